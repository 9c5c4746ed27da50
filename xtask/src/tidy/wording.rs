//! What no text may leave open.

use super::{Source, assert_fails, assert_passes, holds};

/// Written in parts, so that this file keeps its own rule.
const REMINDERS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

fn reminders(source: &Source) -> Vec<String> {
    if source.is_fixture() {
        return Vec::new();
    }
    let lines = source.text.lines().enumerate();
    let open = lines.filter(|(_, line)| REMINDERS.iter().any(|word| is_open(line, word)));
    open.map(|(index, line)| format!("line {} needs an issue number `#N`: {}", index + 1, line.trim()))
        .collect()
}

fn is_open(line: &str, word: &str) -> bool {
    let mut words = line.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.any(|found| found == word) && !names_an_issue(line)
}

fn names_an_issue(line: &str) -> bool {
    line.split('#').skip(1).any(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

#[test]
fn reminders_name_their_issue() {
    holds(reminders);
}

#[test]
fn reminders_sample() {
    assert_passes(reminders, "a.rs", "// the TodoWrite tool\n");
    for word in REMINDERS {
        assert_passes(reminders, "a.rs", &format!("// {word}(#12): more\n"));
        assert_passes(reminders, "a/tests/fixtures/b.json", word);
        assert_passes(reminders, "a.rs", &format!("const {word}_LIST: u8 = 1;\n"));
        assert_fails(reminders, "a.rs", &format!("// {word}: more\n"));
        assert_fails(reminders, "web/a.ts", &format!("// {word} # more\n"));
    }
}
