//! Starts other programs, at the root of the repository. Nothing else in this crate may; nothing here
//! knows what the programs do.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::repository;

/// A command line that has not been started.
#[derive(Debug)]
pub(crate) struct CommandLine(Command);

impl CommandLine {
    /// Splits at white space; words that may hold some go through [`Self::word`].
    pub(crate) fn new(line: &str) -> Self {
        let mut words = line.split_whitespace();
        Self::program(words.next().unwrap_or_default()).words(words)
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that starts programs")]
    pub(crate) fn program(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.current_dir(repository::root());
        env::vars_os().map(|(name, _)| name).filter(|name| is_of_this_package(name)).for_each(|name| {
            command.env_remove(name);
        });
        Self(command)
    }

    pub(crate) fn word(mut self, word: impl AsRef<OsStr>) -> Self {
        self.0.arg(word);
        self
    }

    pub(crate) fn words(mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.0.args(words);
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn without_variable(mut self, name: &str) -> Self {
        self.0.env_remove(name);
        self
    }

    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        self.0.current_dir(directory);
        self
    }

    /// Shows the command line, then runs it to its end.
    pub(crate) fn run(mut self) -> Result<()> {
        eprintln!("$ {self}");
        let status = self.0.status().with_context(|| format!("cannot start `{self}`"))?;
        ensure!(status.success(), "`{self}` failed with {status}");
        Ok(())
    }

    /// Shows the command line and runs it to its end. Every line of its standard error output, ended by a line feed
    /// or overwritten after a carriage return, goes to `reader`.
    pub(crate) fn run_reading_errors(mut self, mut reader: impl FnMut(&str)) -> Result<()> {
        eprintln!("$ {self}");
        let mut child =
            self.0.stderr(Stdio::piped()).spawn().with_context(|| format!("cannot start `{self}`"))?;
        if let Some(errors) = child.stderr.take() {
            each_line(errors, &mut reader)?;
        }
        let status = child.wait()?;
        ensure!(status.success(), "`{self}` failed with {status}");
        Ok(())
    }

    /// Shows the command line and runs it to its end, for programs whose exit code says more than yes or no.
    pub(crate) fn code(mut self) -> Result<i32> {
        eprintln!("$ {self}");
        let status = self.0.status().with_context(|| format!("cannot start `{self}`"))?;
        status.code().with_context(|| format!("`{self}` ended with {status}"))
    }

    /// What the program wrote to standard output.
    pub(crate) fn output(mut self) -> Result<String> {
        self.0.stderr(Stdio::inherit());
        let output = self.0.output().with_context(|| format!("cannot start `{self}`"))?;
        ensure!(output.status.success(), "`{self}` failed with {}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The same of a program whose failure is expected, so that nobody has to see what it complains about.
    #[cfg(test)]
    pub(crate) fn output_quietly(mut self) -> Result<String> {
        let output = self.0.output().with_context(|| format!("cannot start `{self}`"))?;
        ensure!(output.status.success(), "`{self}` failed with {}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Whether the program exists and succeeds; says nothing.
    pub(crate) fn succeeds(mut self) -> bool {
        self.0.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.0.status().is_ok_and(|status| status.success())
    }

    /// Shows the command line and starts it beside this program.
    pub(crate) fn start(mut self) -> Result<Started> {
        eprintln!("$ {self}");
        let child = self.0.stdin(Stdio::null()).spawn().with_context(|| format!("cannot start `{self}`"))?;
        Ok(Started(child))
    }

    /// Becomes the program; returns only if that fails.
    pub(crate) fn replace(mut self) -> Result<()> {
        eprintln!("$ {self}");
        let error = self.0.exec();
        bail!("cannot start `{self}`: {error}")
    }
}

fn each_line(bytes: impl Read, reader: &mut impl FnMut(&str)) -> io::Result<()> {
    let mut line = Vec::new();
    for byte in BufReader::new(bytes).bytes() {
        match byte? {
            b'\n' | b'\r' => reader(&String::from_utf8_lossy(&std::mem::take(&mut line))),
            byte => line.push(byte),
        }
    }
    if !line.is_empty() {
        reader(&String::from_utf8_lossy(&line));
    }
    Ok(())
}

/// What cargo says of this package would make build scripts run again whenever `./x` and cargo take turns.
fn is_of_this_package(variable: &OsStr) -> bool {
    let variable = variable.as_encoded_bytes();
    variable.starts_with(b"CARGO_PKG_") || variable.starts_with(b"CARGO_MANIFEST_")
}

/// A program that runs beside this one, and not longer.
#[derive(Debug)]
pub(crate) struct Started(Child);

impl Started {
    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> Result<()> {
        let status = self.0.wait()?;
        ensure!(status.success(), "it ended with {status}");
        Ok(())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            // Asked and not killed, so that it ends what it has started itself.
            CommandLine::new("kill").word(self.0.id().to_string()).succeeds();
        }
        self.0.wait().ok();
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.get_program().display())?;
        self.0.get_args().try_for_each(|word| write!(formatter, " {}", word.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_line_and_the_exit_code() {
        let error = CommandLine::new("sh -c").word("exit 7").run().unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 7` failed with exit status: 7");
    }

    #[test]
    fn an_exit_code_is_no_failure_where_it_is_asked_for() {
        assert_eq!(CommandLine::new("sh -c").word("exit 7").code().unwrap(), 7);
        assert!(CommandLine::new("sh -c").word("kill $$").code().is_err(), "it has no exit code");
    }

    #[test]
    fn errors_are_read_line_by_line() {
        let mut lines = Vec::new();
        let command = CommandLine::new("sh -c").word("printf 'one\\rtwo\\nthree' >&2; exit 3");
        let result = command.run_reading_errors(|line| lines.push(line.to_owned()));
        assert_eq!(lines, ["one", "two", "three"]);
        assert!(result.unwrap_err().to_string().ends_with("failed with exit status: 3"));
    }

    #[test]
    fn output_is_standard_output() {
        assert_eq!(CommandLine::new("echo two words").output().unwrap(), "two words\n");
    }

    #[test]
    fn programs_are_told_nothing_of_this_package() {
        let told = CommandLine::new("env").output().unwrap();
        assert!(!told.contains("CARGO_PKG_") && !told.contains("CARGO_MANIFEST_"), "{told}");
    }

    #[test]
    fn a_missing_program_does_not_succeed() {
        assert!(!CommandLine::new("no-such-program --version").succeeds());
    }
}
