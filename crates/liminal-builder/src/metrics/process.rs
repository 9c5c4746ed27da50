//! What this process uses of the machine. Owns asking the system; what it does not tell is zero.

use std::fs;

/// What is in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) memory_bytes: u64,
    pub(super) open_files: u64,
}

pub(super) fn usage() -> Usage {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let open_files = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count) as u64;
    // The look itself opens one.
    Usage { memory_bytes: resident(&status), open_files: open_files.saturating_sub(1) }
}

fn resident(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        assert_eq!(resident("Name:\ta\nVmRSS:\t    1024 kB\n"), 1 << 20);
        assert_eq!(resident("Name:\ta\n"), 0);
    }
}
