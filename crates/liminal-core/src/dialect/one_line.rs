//! A text as one short line, for lists. Owns how long that is.

/// A title is one line of at most this many characters.
const LENGTH: usize = 80;

/// The first line that is not empty, cut to the length of a title.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.chars().count() <= LENGTH {
        return line.to_owned();
    }
    let mut cut: String = line.chars().take(LENGTH - 1).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(one_line("\n  first \nsecond"), "first");
        assert_eq!(one_line(&"a".repeat(80)), "a".repeat(80));
        assert_eq!(one_line(&"ä".repeat(81)), format!("{}…", "ä".repeat(79)));
    }
}
