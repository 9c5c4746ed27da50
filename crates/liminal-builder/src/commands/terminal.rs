//! What reaches a terminal. Owns that nothing an agent says can drive it.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::redaction::escape_controls;

/// A text of somebody else, with its lines and tabs and without anything else that a terminal acts on.
#[must_use]
pub fn safe(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for part in text.split_inclusive(['\n', '\t']) {
        let end = part.chars().next_back().filter(|last| matches!(last, '\n' | '\t'));
        let body = end.map_or(part, |_| part.get(..part.len() - 1).unwrap_or_default());
        let body = if end == Some('\n') { body.strip_suffix('\r').unwrap_or(body) } else { body };
        clean.push_str(&escape_controls(body));
        clean.extend(end);
    }
    clean
}

/// The same on one line.
pub(super) fn safe_line(text: &str) -> String {
    escape_controls(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// A value as one line of JSON. What a terminal acts on can stand only inside texts, where it is written out.
pub fn json_line(value: &impl Serialize) -> io::Result<String> {
    Ok(escape_controls(&serde_json::to_string(value)?).into_owned())
}

/// Writes a line to standard output.
pub(super) fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// Writes a line to standard error, for the one who reads and not for a program.
pub(super) fn tell(line: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{}", safe_line(line))
}

/// Whether somebody sits there who can be asked.
pub(super) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tabs_pass_and_nothing_else_that_acts() {
        assert_eq!(safe("a\r\nb\tc\n"), "a\nb\tc\n");
        assert_eq!(
            safe("\u{1b}[2Jx\u{9b}31m\u{202e}\u{7}\rz"),
            "\\u001b[2Jx\\u009b31m\\u202e\\u0007\\u000dz"
        );
        assert_eq!(safe("ä\n\n"), "ä\n\n");
        assert_eq!(safe_line(" a\n\tb\u{1b} "), "a b\\u001b");
    }

    #[test]
    fn json_stays_json() {
        let line = json_line(&"a\u{9b}\u{202e}\n\u{1b}").unwrap();
        assert!(line.is_ascii(), "{line}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), "a\u{9b}\u{202e}\n\u{1b}");
    }
}
