//! JSON as people write it into settings. Owns taking away comments and last commas, which agents allow too.

use serde_json::Value;

/// The value, with or without comments.
pub(super) fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&plain(text))).ok()
}

/// The text without comments and without commas that nothing follows.
fn plain(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('"', _) => {
                clean.push('"');
                copy_string(&mut rest, &mut clean);
            }
            ('/', Some('/')) => while rest.next_if(|next| *next != '\n').is_some() {},
            ('/', Some('*')) => skip_block(&mut rest),
            (']' | '}', _) => {
                let kept = clean.trim_end().trim_end_matches(',').len();
                clean.truncate(kept);
                clean.push(character);
            }
            _ => clean.push(character),
        }
    }
    clean
}

fn copy_string(rest: &mut impl Iterator<Item = char>, clean: &mut String) {
    let mut is_escaped = false;
    for character in rest {
        clean.push(character);
        match (character, is_escaped) {
            ('"', false) => return,
            ('\\', false) => is_escaped = true,
            _ => is_escaped = false,
        }
    }
}

fn skip_block(rest: &mut impl Iterator<Item = char>) {
    let mut before = ' ';
    rest.next();
    for character in rest {
        if before == '*' && character == '/' {
            return;
        }
        before = character;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_last_commas_are_taken_away() {
        let text = "\u{feff}{ // one\n \"a//b\": \"c/*d*/\\\"//\", /* two\n */ \"e\": [1, 2,], }";
        assert_eq!(parse(text), Some(json!({"a//b": "c/*d*/\"//", "e": [1, 2]})));
        for bad in ["", "{", "\"", "/*", "{]", "a"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
