//! Cuts text into the pieces that arrive one by one. Never cuts inside a character.

use std::num::NonZeroUsize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunking {
    /// One piece per word, each with the white space that follows it.
    Words,
    /// Everything at once.
    Whole,
    /// At most so many bytes per piece; a character that is longer is a piece of its own.
    Bytes(NonZeroUsize),
    /// So many pieces of about equal size.
    Pieces(NonZeroUsize),
}

impl Chunking {
    /// The pieces of `text`, in order and without gaps; none is empty.
    pub(crate) fn cut(self, text: &str) -> Vec<&str> {
        let pieces = match self {
            Self::Words => text.split_inclusive(char::is_whitespace).collect(),
            Self::Whole => vec![text],
            Self::Bytes(limit) => cut_by_bytes(text, limit.get()),
            Self::Pieces(count) => cut_evenly(text, count.get()),
        };
        pieces.into_iter().filter(|piece| !piece.is_empty()).collect()
    }
}

fn cut_by_bytes(text: &str, limit: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.floor_char_boundary(limit).max(first.len_utf8());
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

fn cut_evenly(text: &str, count: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for remaining in (1..=count).rev() {
        let (piece, tail) = rest.split_at(rest.floor_char_boundary(rest.len().div_ceil(remaining)));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 7] = [
        "",
        "a",
        "hello  world\n\tagain ",
        "äöü ß €",
        "👩‍👩‍👧‍👦 family 🇩🇪",
        "\u{0}\u{10ffff}x",
        "日本語のテキスト、空白なし",
    ];

    fn every_chunking() -> Vec<Chunking> {
        let sizes = || (1..=40).filter_map(NonZeroUsize::new);
        let mut all = vec![Chunking::Words, Chunking::Whole];
        all.extend(sizes().map(Chunking::Bytes));
        all.extend(sizes().map(Chunking::Pieces));
        all
    }

    #[test]
    fn pieces_join_to_the_same_text() {
        for text in TEXTS {
            for chunking in every_chunking() {
                let pieces = chunking.cut(text);
                assert_eq!(pieces.concat(), text, "{chunking:?}");
                assert!(pieces.iter().all(|piece| !piece.is_empty()), "{chunking:?} of {text:?}");
            }
        }
    }

    #[test]
    fn bytes_are_a_limit_that_only_a_long_character_breaks() {
        for text in TEXTS {
            for limit in (1..=40).filter_map(NonZeroUsize::new) {
                for piece in Chunking::Bytes(limit).cut(text) {
                    assert!(piece.len() <= limit.get() || piece.chars().count() == 1, "{piece:?}");
                }
            }
        }
    }

    #[test]
    fn pieces_have_the_wanted_count_when_there_is_enough_text() {
        let text = r#"{"command":"echo hi","description":"x"}"#;
        for count in (1..=text.len()).filter_map(NonZeroUsize::new) {
            assert_eq!(Chunking::Pieces(count).cut(text).len(), count.get());
        }
    }
}
