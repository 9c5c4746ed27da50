//! The permission modes of Claude Code. Owns their words and what they mean to people; the program itself names none and
//! takes any word.

use crate::dialect::Choice;

/// The word of `--permission-mode`, what people call it, and what it means.
const MODES: [(&str, &str, &str); 5] = [
    (DEFAULT_MODE, "Ask first", "Asks before it changes files or runs commands"),
    ("acceptEdits", "Accept edits", "Changes files without asking, asks before it runs commands"),
    ("plan", "Plan", "Reads and plans, and changes nothing"),
    ("dontAsk", "Never ask", "Does only what rules allow; the rest is denied unasked"),
    ("bypassPermissions", "Bypass permissions", "Does everything without asking"),
];

/// The mode of a session for which none was chosen.
pub const DEFAULT_MODE: &str = "default";

/// Whether a word is one of the modes.
#[must_use]
pub fn is_permission_mode(word: &str) -> bool {
    MODES.iter().any(|(id, ..)| *id == word)
}

/// The words of all modes, to be told.
#[must_use]
pub fn permission_modes() -> String {
    MODES.map(|(id, ..)| id).join(", ")
}

/// All modes, to choose from.
#[must_use]
pub fn permission_mode_choices() -> Vec<Choice> {
    let choice = |(id, name, description): (&str, &str, &str)| Choice {
        id: id.to_owned(),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        guard: None,
    };
    MODES.map(choice).into()
}
