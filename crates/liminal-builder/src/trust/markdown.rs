//! Sub-agents, commands and skills that a project brings. Owns finding what their heads allow or run; their texts are
//! prompts, which run nothing by themselves.

use liminal_core::wire::projects::FindingKind;

use super::Gathered;

const WORDS: [(&str, FindingKind); 4] = [
    ("hooks", FindingKind::Hook),
    ("mcpServers", FindingKind::McpServer),
    ("allowed-tools", FindingKind::Permission),
    ("permissionMode", FindingKind::Permission),
];

pub(super) fn look(text: &str, shown: &str, gathered: &mut Gathered) {
    for (word, kind) in WORDS {
        if let Some(value) = head(text).and_then(|head| setting(head, word)) {
            gathered.add(shown, kind, &value, value.as_bytes());
        }
    }
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
