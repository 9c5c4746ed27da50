//! Files with the variables of one agent. Owns their form and who may read them; their values are told nowhere.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::confining::variable;
use crate::foreign_file;

/// More are no variables but a mistake.
const LONGEST: u64 = 1024 * 1024;

/// The variables of a file that nobody else may read, or what is wrong with it.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let text = text(path).map_err(|problem| format!("env-file: {} {problem}", path.display()))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !is_remark(line));
    let wrong = |number: usize| format!("env-file: line {number} of {} is no NAME=value", path.display());
    lines.map(|(line, number)| assignment(line).ok_or_else(|| wrong(number))).collect()
}

fn text(path: &Path) -> Result<String, String> {
    if let Ok(found) = path.metadata() {
        let is_own = found.uid() == rustix::process::geteuid().as_raw();
        let problem =
            if is_own { "can be read by others; `chmod 600` it" } else { "belongs to another user" };
        if !is_own || (found.is_file() && found.mode() & 0o077 != 0) {
            return Err(problem.to_owned());
        }
    }
    let text = foreign_file::read_text(path, LONGEST).map_err(|error| error.to_string())?;
    text.ok_or_else(|| "is not there".to_owned())
}

fn is_remark(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// As shells and `.env` files write it, but nothing is expanded.
fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    Some((variable(name.trim())?, unquoted(value.trim()).to_owned()))
}

fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    struct EnvFile(tempfile::TempDir);

    impl EnvFile {
        fn with(text: &str, mode: u32) -> Self {
            let file = Self(tempfile::tempdir().unwrap());
            std::fs::write(file.path(), text).unwrap();
            std::fs::set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
            file
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("agent.env")
        }
    }

    #[test]
    fn variables_are_read_as_they_are_written() {
        let text = "# mine\n\nA=1\n export B = \"two words\" \nC='$A'\nD=a=b\nE=\n";
        let expected = [("A", "1"), ("B", "two words"), ("C", "$A"), ("D", "a=b"), ("E", "")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read(&EnvFile::with(text, 0o600).path()).unwrap(), BTreeMap::from(expected));
    }

    #[test]
    fn d18_a_file_that_others_may_read_is_refused() {
        for mode in [0o640, 0o604, 0o660] {
            let problem = read(&EnvFile::with("A=1", mode).path()).unwrap_err();
            assert!(problem.contains("chmod 600"), "{problem}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line_and_never_by_its_value() {
        for line in ["hunter2", "9A=hunter2", "A B=hunter2"] {
            let problem = read(&EnvFile::with(&format!("A=1\n{line}\n"), 0o600).path()).unwrap_err();
            assert!(problem.contains("line 2") && !problem.contains("hunter2"), "{problem}");
        }
        assert!(read(Path::new("/")).unwrap_err().contains("is not a file"));
    }
}
