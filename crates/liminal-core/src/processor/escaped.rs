//! Text in the form in which it leaves. Owns a text that is escaped for JSON while it grows, so that giving it
//! out costs a copy and not another scan of everything that came before.

/// A growing text, escaped as the inside of a JSON string.
#[derive(Debug, Clone, Default)]
pub struct EscapedText(String);

impl EscapedText {
    pub(super) fn push_str(&mut self, text: &str) {
        let mut rest = text;
        while let Some(position) = rest.bytes().position(needs_escape) {
            let (plain, special) = rest.split_at(position);
            let (character, after) = special.split_at(1);
            self.0.push_str(plain);
            character.bytes().for_each(|byte| self.push_escape(byte));
            rest = after;
        }
        self.0.push_str(rest);
    }

    /// The escaped text, without quotes around it.
    #[must_use]
    pub fn as_escaped(&self) -> &str {
        &self.0
    }

    /// The text itself.
    #[must_use]
    pub fn to_plain(&self) -> String {
        if !self.0.contains('\\') {
            return self.0.clone();
        }
        serde_json::from_str(&format!("\"{}\"", self.0)).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push_escape(&mut self, byte: u8) {
        const HEX: [char; 16] =
            ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
        let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or('0');
        match byte {
            b'"' => self.0.push_str("\\\""),
            b'\\' => self.0.push_str("\\\\"),
            b'\n' => self.0.push_str("\\n"),
            b'\t' => self.0.push_str("\\t"),
            b'\r' => self.0.push_str("\\r"),
            0x08 => self.0.push_str("\\b"),
            0x0c => self.0.push_str("\\f"),
            control => {
                self.0.push_str("\\u00");
                self.0.extend([digit(control >> 4), digit(control & 0xf)]);
            }
        }
    }
}

const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_split_of_any_text_is_escaped_as_the_json_library_does(parts: Vec<String>) {
            let mut text = EscapedText::default();
            parts.iter().for_each(|part| text.push_str(part));
            let whole = parts.concat();
            prop_assert_eq!(format!("\"{}\"", text.as_escaped()), serde_json::to_string(&whole).unwrap());
            prop_assert_eq!(text.to_plain(), whole);
        }
    }

    #[test]
    fn every_control_character_is_escaped_as_the_json_library_does() {
        let all: String = (0..=0x7f_u8).map(char::from).collect();
        let mut text = EscapedText::default();
        text.push_str(&all);
        assert_eq!(format!("\"{}\"", text.as_escaped()), serde_json::to_string(&all).unwrap());
    }
}
