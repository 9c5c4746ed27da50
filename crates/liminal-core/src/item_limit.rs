//! How long one item may grow. Owns the limit: an agent that never stops must not fill the memory of those who
//! listen.

/// As long as the longest line that is read from an agent: what is longer could not be told as a whole either. The
/// longest answers of models are a tenth of it.
pub(crate) const ITEM_BYTES: usize = 16 << 20;

/// Stands behind what was cut.
pub(crate) const CUT: &str = "\n[the rest is too long to be shown]";

/// The longest beginning of a text that fits into so many bytes.
pub(crate) fn beginning(text: &str, room: usize) -> &str {
    text.get(..text.floor_char_boundary(room)).unwrap_or_default()
}

/// Adds what fits to a text that is kept until it is whole, and a mark where it was cut.
pub(crate) fn keep(kept: &mut String, added: &str) {
    keep_within(ITEM_BYTES, kept, added);
}

fn keep_within(limit: usize, kept: &mut String, added: &str) {
    // With its mark, a text that was cut is longer than the limit.
    let Some(room) = limit.checked_sub(kept.len()) else { return };
    let fitting = beginning(added, room);
    kept.push_str(fitting);
    if fitting.len() < added.len() {
        kept.push_str(CUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_cut_once_between_characters_and_says_so() {
        for parts in [vec!["abcé", "é", "x"], vec!["abc", "é", "", "éé"], vec!["abcééé"]] {
            let mut kept = String::new();
            parts.iter().for_each(|part| keep_within(6, &mut kept, part));
            assert_eq!(kept, format!("abcé{CUT}"), "{parts:?}");
        }
        let mut kept = String::new();
        ["abc", "def"].iter().for_each(|part| keep_within(6, &mut kept, part));
        assert_eq!(kept, "abcdef", "a text that just fits is whole");
    }
}
