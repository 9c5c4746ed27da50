//! What must not be told: keys, and characters that drive a terminal. Owns their shapes; every sink of the program's own
//! words goes through here.

use std::borrow::Cow;
use std::ops::Range;

/// What stands where a key was.
const INSTEAD: &str = "[redacted]";
/// The least length of what follows a prefix: words that happen to begin like a key are shorter.
const SHORTEST: usize = 16;
/// How keys begin, wherever they stand: those of Anthropic and OpenAI, GitHub's, Slack's, Google's, GitLab's.
const PREFIXES: [&str; 12] = [
    "sk-ant-",
    "sk-proj-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "AIza",
    "glpat-",
];
/// How keys begin that stand alone: ids such as `task-…` have the same letters in them.
const ALONE: &str = "sk-";
/// AWS keys have an exact length.
const AWS: [&str; 2] = ["AKIA", "ASIA"];
const AWS_LENGTH: usize = 20;
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
const PEM_SECRET: &str = "PRIVATE KEY";

/// The text without what has the shape of a key.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut found = pems(text);
    found.extend(words(text));
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|range| range.start);
    let (mut clean, mut end) = (String::with_capacity(text.len()), 0);
    for range in found {
        if range.start < end {
            end = end.max(range.end);
            continue;
        }
        clean.push_str(text.get(end..range.start).unwrap_or_default());
        clean.push_str(INSTEAD);
        end = range.end;
    }
    clean.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(clean)
}

/// The text with characters that a terminal acts on, or that change the order of others, written out; line ends too.
#[must_use]
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_control) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_control(character) {
            clean.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            clean.push(character);
        }
    }
    Cow::Owned(clean)
}

/// C0, DEL, C1, line and paragraph separators, and what overrides the direction of text.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Private keys, up to their end or, if that is missing, to the end of the text or of the quotes they stand in.
fn pems(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text.get(from..).and_then(|rest| rest.find(PEM_BEGIN)).map(|at| from + at) {
        let head = text.get(begin + PEM_BEGIN.len()..).unwrap_or_default();
        let title = head.split("-----").next().unwrap_or_default();
        from = begin + PEM_BEGIN.len();
        if !title.contains(PEM_SECRET) {
            continue;
        }
        let end = head.find(PEM_END).map(|at| from + at + PEM_END.len());
        let tail = end.and_then(|end| text.get(end..)).and_then(|rest| rest.find("-----")).map(|at| at + 5);
        let cut_off = head.find('"').map_or(text.len(), |at| from + at);
        from = end.map_or(cut_off, |end| end + tail.unwrap_or(0));
        found.push(begin..from);
    }
    found
}

/// Keys among the words of the text.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let ends = text.char_indices().map(Some).chain([None]);
    for next in ends {
        let inside = next.is_some_and(|(_, character)| is_part(character));
        let at = next.map_or(text.len(), |(at, _)| at);
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                let begin = begin + escape(text, begin);
                found.extend(key_in(text.get(begin..at).unwrap_or_default()).map(|key| begin + key..at));
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    found
}

const fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

/// How many letters at a place belong to an escape of JSON, such as the `n` of a line end.
fn escape(text: &str, at: usize) -> usize {
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    match before.ends_with('\\') {
        true if rest.starts_with('u') => rest.len().min(5),
        true => 1,
        false => 0,
    }
}

/// Where in a word a key begins.
fn key_in(word: &str) -> Option<usize> {
    let is_long = |at: usize, prefix: &str| word.len() - at - prefix.len() >= SHORTEST;
    let anywhere = PREFIXES.iter().filter_map(|prefix| word.find(prefix).filter(|at| is_long(*at, prefix)));
    let alone = word.match_indices(ALONE).map(|(at, _)| at).find(|at| {
        let before = word.get(..*at).and_then(|text| text.chars().next_back());
        is_long(*at, ALONE) && !before.is_some_and(char::is_alphanumeric)
    });
    anywhere.chain(alone).chain(aws_in(word)).chain(jwt_in(word)).min()
}

fn aws_in(word: &str) -> Option<usize> {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    AWS.iter().find_map(|prefix| {
        let at = word.find(prefix)?;
        word.as_bytes().get(at..at + AWS_LENGTH)?.iter().copied().all(is_upper).then_some(at)
    })
}

/// Three parts of which the first two are JSON in base64.
fn jwt_in(word: &str) -> Option<usize> {
    let at = word.find("eyJ")?;
    let mut parts = word.get(at..)?.split('.');
    let is_long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 8);
    let has_head = is_long(parts.next());
    let has_body = parts.next().is_some_and(|part| part.len() >= 8 && part.starts_with("eyJ"));
    (has_head && has_body && parts.next().is_some()).then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_of_every_shape_are_left_out() {
        let long = "A1b2C3d4E5f6G7h8I9j0";
        for key in [
            format!("sk-ant-api03-{long}"),
            format!("sk-proj-{long}"),
            format!("ghp_{long}"),
            format!("github_pat_{long}"),
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl".to_owned(),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{long}\n-----END RSA PRIVATE KEY-----"),
            format!("-----BEGIN PRIVATE KEY-----\\n{long}"),
        ] {
            for text in [
                key.clone(),
                format!("a {key} b"),
                format!("{{\"k\":\"{key}\"}}"),
                format!("\\n{key}"),
                format!("\\u001b{key}"),
            ] {
                let clean = redact(&text);
                let secret = key.split("-----").find(|part| part.contains("A1b2")).unwrap_or(&key);
                assert!(!clean.contains(secret.trim()) && clean.contains(INSTEAD), "{text}: {clean}");
            }
        }
    }

    #[test]
    fn what_stands_around_a_key_stays() {
        let text = "key=ghp_A1b2C3d4E5f6G7h8I9j0; next sk-A1b2C3d4E5f6G7h8I9j0, end";
        assert_eq!(redact(text), "key=[redacted]; next [redacted], end");
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
        for plain in
            ["sk-short", "task-force", "AKIAshort", "eyJ.x.y", "0f3c2a54-7d1e-4b8a-9c60", certificate]
        {
            assert!(matches!(redact(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }

    #[test]
    fn s32_what_drives_a_terminal_is_written_out() {
        let text = "a\u{1b}[31m\u{7f}\u{9b}\u{202e}\r\nb";
        assert_eq!(escape_controls(text), "a\\u001b[31m\\u007f\\u009b\\u202e\\u000d\\u000ab");
        assert!(matches!(escape_controls("plain — text"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC*(sk-|AKIA|eyJ|-----BEGIN |ghp_)\\PC{0,40}") {
            let secret = format!("{text} sk-ant-A1b2C3d4E5f6G7h8");
            prop_assert!(!redact(&secret).contains("sk-ant-A1b2C3d4E5f6G7h8"));
            prop_assert!(!escape_controls(&text).chars().any(is_control));
        }
    }
}
