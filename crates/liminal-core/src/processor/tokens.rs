//! Counting tokens as text arrives. Owns the count; never looks at earlier text again.

use super::rules::TokenRule;

/// A running count over the deltas of one text.
#[derive(Debug, Clone)]
pub(super) enum TokenCounter {
    Words { count: u64, inside: bool },
    QuarterChars { utf16_units: u64 },
}

impl TokenCounter {
    pub(super) const fn new(rule: TokenRule) -> Self {
        match rule {
            TokenRule::Words => Self::Words { count: 0, inside: false },
            TokenRule::QuarterChars => Self::QuarterChars { utf16_units: 0 },
        }
    }

    pub(super) fn push(&mut self, delta: &str) {
        match self {
            Self::Words { count, inside } => {
                for character in delta.chars() {
                    let word = !is_white_space(character);
                    *count += u64::from(word && !*inside);
                    *inside = word;
                }
            }
            Self::QuarterChars { utf16_units } => {
                *utf16_units += delta.chars().map(|character| character.len_utf16() as u64).sum::<u64>();
            }
        }
    }

    pub(super) const fn total(&self) -> u64 {
        match self {
            Self::Words { count, .. } => *count,
            Self::QuarterChars { utf16_units } => utf16_units.div_ceil(4),
        }
    }
}

/// White space as JavaScript's `\s` has it: Unicode's, without NEL and with the byte order mark.
fn is_white_space(character: char) -> bool {
    match character {
        '\u{85}' => false,
        '\u{feff}' => true,
        _ => character.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(deltas: &[&str]) -> u64 {
        let mut counter = TokenCounter::new(TokenRule::Words);
        deltas.iter().for_each(|delta| counter.push(delta));
        counter.total()
    }

    #[test]
    fn a_word_may_span_deltas() {
        assert_eq!(words(&["Hel", "lo", " wor", "", "ld ", " "]), 2);
    }

    #[test]
    fn white_space_is_what_javascript_says() {
        let spaces = "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
        for space in spaces.chars() {
            assert_eq!(words(&[&format!("a{space}b")]), 2, "U+{:04X}", u32::from(space));
        }
        for letter in ['\u{85}', '\u{200b}', '\u{180e}', '\u{2060}', '\u{1f}'] {
            assert_eq!(words(&[&format!("a{letter}b")]), 1, "U+{:04X}", u32::from(letter));
        }
    }

    #[test]
    fn characters_are_utf_16_units_and_rounded_up_as_a_whole() {
        let mut counter = TokenCounter::new(TokenRule::QuarterChars);
        for (delta, total) in [("a", 1), ("bcd", 1), ("e", 2), ("😀", 2), ("😀", 3)] {
            counter.push(delta);
            assert_eq!(counter.total(), total, "{delta}");
        }
    }
}
