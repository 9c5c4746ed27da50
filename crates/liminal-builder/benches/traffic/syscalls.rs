//! What is asked of the system per event, counted by strace: this program runs again, on simulated time. Agents and
//! clients are in memory, so reading pipes and writing sockets do not count; the database and the runtime do.

use std::process::Command;

use crate::disk::{self, Pattern};
use crate::figure;
use crate::machine::simulate;

/// Asks this program to run one pattern, and nothing else.
pub(crate) const ALONE: &str = "--alone";

/// Deltas of a short and of a long answer; what both need besides does not count.
const DELTAS: [u64; 2] = [50, 150];

pub(crate) fn measure() {
    for pattern in &disk::PATTERNS[..2] {
        let [short, long] = DELTAS.map(|deltas| calls(pattern.name, deltas));
        let events = pattern.agents * (DELTAS[1] - DELTAS[0]);
        figure::counts(&format!("syscalls.{}", pattern.name), &[(long - short) / events as f64]);
    }
}

/// Is the program that is counted.
pub(crate) fn run_alone(mut arguments: impl Iterator<Item = String>) {
    let (name, deltas) = (arguments.next().unwrap(), arguments.next().unwrap().parse().unwrap());
    let pattern = disk::PATTERNS.iter().find(|pattern| pattern.name == name).unwrap();
    simulate(disk::run(&Pattern { deltas, ..*pattern }, None));
}

fn calls(pattern: &str, deltas: u64) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-c", "-o"])
        .arg(&seen)
        .arg(std::env::current_exe().unwrap())
        .args([ALONE, pattern, &deltas.to_string()])
        .status();
    assert!(status.expect("strace is there; ./x bench --check installs it").success());
    total(&std::fs::read_to_string(seen).unwrap())
}

/// Of the line `100.00    0.123456    12    4711    3 total`.
fn total(table: &str) -> f64 {
    let line = table.lines().find(|line| line.ends_with(" total")).unwrap_or_else(|| panic!("{table}"));
    line.split_whitespace().nth(3).and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}
