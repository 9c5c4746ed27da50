//! Runs the real binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

#[expect(clippy::disallowed_methods, reason = "the program under test is started by hand")]
pub(crate) fn liminal(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_liminal"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end with this input.
pub(crate) fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = liminal(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // From another thread, so that neither side waits for the other's full pipe. It may end before it has read all.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).is_ok());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// A child that does not outlive its test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub(crate) fn process_fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../liminal-core/tests/fixtures/process");
    let mut directories: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.sort();
    directories
}
