//! Sub-agents, commands and skills that a project brings. Owns finding what their heads allow or run, and the commands
//! in their texts; otherwise the texts are prompts, which run nothing by themselves.

use liminal_core::wire::projects::FindingKind;

const WORDS: [(&str, FindingKind); 5] = [
    ("hooks", FindingKind::Hook),
    ("mcpServers", FindingKind::McpServer),
    ("mcp-servers", FindingKind::McpServer),
    ("allowed-tools", FindingKind::Permission),
    ("permissionMode", FindingKind::Permission),
];

/// How a text marks a command that runs when the text is used.
const COMMAND: [&str; 2] = ["!`", "```!"];

pub(super) fn findings(text: &str) -> Vec<(FindingKind, String)> {
    let head = head(text).unwrap_or_default();
    let mut found: Vec<_> =
        WORDS.iter().filter_map(|(word, kind)| Some((*kind, setting(head, word)?))).collect();
    let runs = text.lines().map(str::trim).filter(|line| COMMAND.iter().any(|mark| line.contains(mark)));
    found.extend(runs.map(|line| (FindingKind::Hook, format!("runs a command when it is used: {line}"))));
    found
}

/// What stands between the first two lines of dashes.
fn head(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('\u{feff}').strip_prefix("---")?;
    let (head, _) = rest.split_once("\n---")?;
    Some(head)
}

/// A setting with the lines that belong to it: those that are indented, or go on as a list.
fn setting(head: &str, word: &str) -> Option<String> {
    let is_it = |line: &&str| line.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let mut lines = head.lines().skip_while(|line| !is_it(line));
    let first = lines.next()?.trim();
    let more = lines.take_while(|line| line.starts_with([' ', '\t', '-'])).map(str::trim);
    Some([first].into_iter().chain(more).collect::<Vec<_>>().join(" "))
}
