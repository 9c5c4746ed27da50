//! Counts instructions by running this program again under callgrind.

use std::process::Command;

/// Of one scenario, without its preparation.
pub(crate) fn instructions(scenario: &str) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=counts::measured*"])
        .arg(std::env::current_exe().unwrap())
        .args([crate::ALONE, scenario])
        .output()
        .unwrap_or_else(|error| {
            panic!("valgrind cannot be started, `./x bench --check` installs it: {error}")
        });
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{scenario} failed: {report}");
    let count = report.lines().find_map(|line| line.split("Collected :").nth(1));
    let count = count.and_then(|count| count.trim().parse().ok()).filter(|count| *count > 0);
    count.unwrap_or_else(|| panic!("callgrind counted nothing of {scenario}: {report}"))
}
