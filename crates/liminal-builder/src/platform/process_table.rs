//! Owns the reading of `/proc`: who runs, whose child it is, which environment it was started with.
//! May not know why somebody asks.

use std::fs;

/// A process that cannot be confused with a later one of the same pid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessIdentity {
    /// Clock ticks from the machine's start to the process's.
    pub start: u64,
    pub pid: u32,
}

/// One row of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessEntry {
    pub(crate) identity: ProcessIdentity,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    /// Dead, and only kept until its parent asks how it ended.
    pub(crate) is_zombie: bool,
}

impl ProcessEntry {
    /// A thread of the kernel, or founded where we cannot look.
    pub(crate) fn is_kernel(&self) -> bool {
        self.session == 0
    }
}

/// Reads the whole table; processes that come or go meanwhile may be in it or not.
pub(crate) fn process_table() -> Vec<ProcessEntry> {
    let Ok(directory) = fs::read_dir("/proc") else { return Vec::new() };
    let names = directory.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| process_entry(name.parse().ok()?)).collect()
}

/// Reads one row of the table.
pub(crate) fn process_entry(pid: u32) -> Option<ProcessEntry> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Tells whether the process was started with exactly this `NAME=value` in its environment, or
/// `None` if it is just swapping one program for another and shows no environment.
pub(crate) fn carries_variable(pid: u32, variable: &str) -> Option<bool> {
    let environment = environment(pid)?;
    Some(environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes()))
}

// Nobody runs without arguments, so no arguments either means the swap. That was asked later,
// hence the second look at the environment.
fn environment(pid: u32) -> Option<Vec<u8>> {
    let read = |name: &str| fs::read(format!("/proc/{pid}/{name}"));
    let environment = read("environ").unwrap_or_default();
    if !environment.is_empty() {
        return Some(environment);
    }
    let is_swapping = read("cmdline").is_ok_and(|arguments| arguments.is_empty());
    if is_swapping { None } else { Some(read("environ").unwrap_or_default()) }
}

// The second field is the program's name in parentheses and may itself hold spaces and parentheses.
fn parse_stat(stat: &[u8]) -> Option<ProcessEntry> {
    let name_end = memchr::memrchr(b')', stat)?;
    let pid = number(stat.split(|byte| *byte == b' ').next()?)?;
    let mut fields = stat.get(name_end + 1..)?.split(u8::is_ascii_whitespace).skip(1);
    let is_zombie = matches!(fields.next()?, b"Z" | b"X");
    let parent = number(fields.next()?)?;
    let session = number(fields.nth(1)?)?;
    let start = number(fields.nth(15)?)?;
    Some(ProcessEntry { identity: ProcessIdentity { start, pid }, parent, session, is_zombie })
}

fn number<T: std::str::FromStr>(field: &[u8]) -> Option<T> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: u32, parent: u32, session: u32, start: u64, is_zombie: bool) -> ProcessEntry {
        ProcessEntry { identity: ProcessIdentity { start, pid }, parent, session, is_zombie }
    }

    #[test]
    fn reads_a_row_whatever_the_name_of_the_program() {
        let rest = "0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 4711 3133440 356";
        let cases = [
            (format!("42 (sh) S 7 8 9 {rest}\n"), Some(entry(42, 7, 9, 4711, false))),
            (format!("42 (a) Z (b c) Z 7 8 9 {rest}\n"), Some(entry(42, 7, 9, 4711, true))),
            (format!("42 () X 0 0 0 {rest}\n"), Some(entry(42, 0, 0, 4711, true))),
            ("42 (sh) S 7 8".to_owned(), None),
            (String::new(), None),
        ];
        for (row, expected) in cases {
            assert_eq!(parse_stat(row.as_bytes()), expected, "{row}");
        }
    }

    #[test]
    fn finds_this_process_in_the_table() {
        let own = std::process::id();
        let entry = process_entry(own).unwrap();
        assert!(process_table().contains(&entry));
        assert_eq!(entry.parent, std::os::unix::process::parent_id());
        assert!(entry.identity.start > 0 && !entry.is_zombie);
    }

    #[test]
    fn tells_whole_variables_from_parts_of_them() {
        let Some((name, value)) = std::env::vars().find(|(name, _)| name == "PATH") else {
            panic!("no PATH")
        };
        let own = std::process::id();
        assert_eq!(carries_variable(own, &format!("{name}={value}")), Some(true));
        assert_eq!(carries_variable(own, &format!("{name}={value}x")), Some(false));
        assert_eq!(carries_variable(own, "ATH="), Some(false));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a stranger to look at is started by hand")]
    fn does_not_tell_what_a_process_without_environment_carries() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        while process_entry(child.id()).is_some_and(|entry| !entry.is_zombie) {
            std::thread::yield_now();
        }
        assert_eq!(carries_variable(child.id(), "ANY=thing"), None);
        child.wait().unwrap();
        assert_eq!(carries_variable(child.id(), "ANY=thing"), Some(false));
    }
}
