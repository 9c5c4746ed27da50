//! Which sessions match a text that a person typed. Owns what of a session is compared, and how.

use liminal_core::wire::rest::SessionSummary;

/// The words of a text; a session matches if it contains all of them.
#[derive(Debug)]
pub(super) struct Matcher {
    words: Vec<String>,
}

impl Matcher {
    pub(super) fn new(text: &str) -> Self {
        Self { words: folded(text).split_whitespace().map(str::to_owned).collect() }
    }

    pub(super) fn matches(&self, session: &SessionSummary) -> bool {
        let title = session.title.as_deref().unwrap_or_default();
        let id = session.session_id.as_str();
        let text = folded(&[title, &session.directory, &session.cli_type, id].join("\n"));
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// Letters of Latin alphabets that differ from the first of their line by an accent only.
const ACCENTED: [&str; 21] = [
    "aàáâãäåāăąǎ",
    "cçćĉċč",
    "dď",
    "eèéêëēĕėęě",
    "gĝğġģ",
    "hĥ",
    "iìíîïĩīĭįı",
    "jĵ",
    "kķ",
    "lĺļľ",
    "nñńņň",
    "oòóôõöōŏőǒ",
    "rŕŗř",
    "sśŝşšș",
    "tţťț",
    "uùúûüũūŭůűųǔ",
    "wŵ",
    "yýÿŷ",
    "zźżž",
    "æǽ",
    "øǿ",
];

/// In lower case and without accents, as the page folds text.
fn folded(text: &str) -> String {
    let is_mark = |letter: &char| ('\u{300}'..='\u{36f}').contains(letter);
    text.chars().flat_map(char::to_lowercase).filter(|letter| !is_mark(letter)).map(without_accent).collect()
}

fn without_accent(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    let line = ACCENTED.iter().find(|line| line.contains(letter));
    line.and_then(|line| line.chars().next()).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use liminal_core::time::Timestamp;
    use liminal_core::wire::rest::{SessionSource, SessionState};

    use super::*;

    fn session(title: &str) -> SessionSummary {
        SessionSummary {
            session_id: "codex:42".into(),
            cli_type: "codex".to_owned(),
            project_id: "p".into(),
            title: Some(title.to_owned()),
            directory: "/home/dev/Shop".to_owned(),
            state: SessionState::Idle,
            is_alive: false,
            source: SessionSource::Made,
            pending: 0,
            background: None,
            has_failed: false,
            is_archived: false,
            timed_out: false,
            seq: 0,
            updated_at: Timestamp::from(jiff::Timestamp::UNIX_EPOCH),
        }
    }

    #[test]
    fn all_words_must_occur_somewhere() {
        for (text, expected) in [
            ("cafe", true),
            ("CAFÉ menu", true),
            ("cafe\u{301}", true),
            ("menu shop codex 42", true),
            ("afé", true),
            ("menu card", false),
        ] {
            assert_eq!(Matcher::new(text).matches(&session("Café Menu")), expected, "{text}");
        }
    }
}
