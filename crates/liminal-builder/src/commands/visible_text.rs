//! Text of a permission request as an approver has to see it on a terminal. Owns that nothing in it is invisible or
//! drives the terminal; knows nothing of requests.

/// The lines of a text with everything that would not be seen written out: control and format characters as
/// `‹U+001B›`, unusual spaces likewise, tabs as `→`, spaces at the end of a line as `·`.
pub(super) fn visible_lines(text: &str) -> Vec<String> {
    text.split('\n').map(visible_line).collect()
}

fn visible_line(line: &str) -> String {
    let body = line.trim_end_matches(' ');
    let mut shown = String::with_capacity(line.len());
    body.chars().for_each(|character| push_visible(&mut shown, character));
    shown.extend(std::iter::repeat_n('·', line.len() - body.len()));
    shown
}

fn push_visible(shown: &mut String, character: char) {
    match character {
        '\t' => shown.push('→'),
        _ if is_hidden(character) => shown.push_str(&format!("‹U+{:04X}›", u32::from(character))),
        _ => shown.push(character),
    }
}

/// Whether a character has no shape of its own, looks like a space without being one, or changes the order of others.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_out_everything_that_would_not_be_seen() {
        for (text, lines) in [
            ("ls -la", vec!["ls -la"]),
            ("ls # list\nrm -rf x", vec!["ls # list", "rm -rf x"]),
            ("a\r\nb", vec!["a‹U+000D›", "b"]),
            ("echo \u{202e}txt.exe", vec!["echo ‹U+202E›txt.exe"]),
            ("\u{1b}[2Jx\u{9b}\u{7}", vec!["‹U+001B›[2Jx‹U+009B›‹U+0007›"]),
            ("a\tb  ", vec!["a→b··"]),
            ("a\u{a0}b\u{200b}c\u{3000}", vec!["a‹U+00A0›b‹U+200B›c‹U+3000›"]),
            ("x\u{e0041}\u{fe0f}\u{2800}", vec!["x‹U+E0041›‹U+FE0F›‹U+2800›"]),
            ("ä ö 漢字 🙂", vec!["ä ö 漢字 🙂"]),
            ("", vec![""]),
        ] {
            assert_eq!(visible_lines(text), lines, "{text:?}");
        }
    }
}
