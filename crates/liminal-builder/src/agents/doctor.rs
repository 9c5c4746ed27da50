//! One line for each agent, for people at a terminal. Owns the words of `liminal doctor`.

use super::AgentReport;

/// An agent in one line.
#[must_use]
pub fn line(report: &AgentReport) -> String {
    let AgentReport { name, version, problem, .. } = report;
    let version = version.as_deref().unwrap_or_default();
    match (problem, &report.launch) {
        (Some(problem), _) => format!("✗ {name:<14} {problem}"),
        (None, _) if report.built_in => {
            format!("✓ {name:<14} {version:<12} built in: scripted, no model, no account")
        }
        (None, Some(launch)) => {
            let program = launch.program.display().to_string();
            let command = [program].into_iter().chain(launch.args.iter().cloned());
            let command = command.collect::<Vec<_>>().join(" ");
            let mark = if report.logged_in == Some(false) { '!' } else { '✓' };
            format!("{mark} {name:<14} {version:<12} {command}{}", login(report))
        }
        (None, None) => format!("✓ {name:<14} {version}"),
    }
}

fn login(report: &AgentReport) -> String {
    match (report.logged_in, &report.sign_in) {
        (Some(true), _) => " (logged in)".to_owned(),
        (Some(false), Some(command)) => format!(" (not logged in; run `{command}`)"),
        (Some(false), None) => " (not logged in)".to_owned(),
        (None, _) => String::new(),
    }
}
