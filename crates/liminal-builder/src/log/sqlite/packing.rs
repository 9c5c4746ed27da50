//! What is rarely read, in less room: finished texts and canonical events that are not the newest. Owns the form of packed
//! bytes; which rows are packed is theirs to say.

use std::collections::{BTreeMap, BTreeSet};

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::super::LogError;

/// So much is packed at once: about a millisecond of work, and enough for words to come again.
pub(super) const BLOCK_BYTES: usize = 64 << 10;
/// Quick; more effort saves a few hundredths.
const LEVEL: u8 = 3;

pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, LEVEL)
}

/// What was packed, which had so many bytes.
pub(super) fn unpack(packed: &[u8], bytes: usize) -> Result<Vec<u8>, LogError> {
    match decompress_to_vec_with_limit(packed, bytes) {
        Ok(unpacked) if unpacked.len() == bytes => Ok(unpacked),
        Ok(_) | Err(_) => Err(LogError::Damaged("packed bytes cannot be unpacked".to_owned())),
    }
}

/// How long something was before it was packed; stored as SQLite's numbers are.
pub(super) fn length(stored: i64) -> Result<usize, LogError> {
    usize::try_from(stored).map_err(|_| LogError::Damaged("a length is below zero".to_owned()))
}

/// Sessions whose newest events lie as they are.
#[derive(Debug, Default)]
pub(super) struct Packing {
    lying: BTreeMap<i64, usize>,
    due: BTreeSet<i64>,
}

impl Packing {
    /// So many more bytes of a session lie unpacked.
    pub(super) fn grew(&mut self, session: i64, bytes: usize) {
        let lying = self.lying.entry(session).or_default();
        *lying += bytes;
        if *lying >= BLOCK_BYTES {
            self.lying.remove(&session);
            self.due.insert(session);
        }
    }

    /// A session that has enough for a block.
    pub(super) fn next(&mut self) -> Option<i64> {
        self.due.pop_first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_or_is_told_as_damaged() {
        let text = "the same words again and again, ".repeat(1000).into_bytes();
        let packed = pack(&text);
        assert!(packed.len() < text.len() / 10);
        assert_eq!(unpack(&packed, text.len()).unwrap(), text);
        assert_eq!(unpack(&pack(b""), 0).unwrap(), b"");
        for (bytes, length) in
            [(&packed[..], text.len() - 1), (&packed[..], text.len() + 1), (&packed[9..], 5)]
        {
            assert!(matches!(unpack(bytes, length), Err(LogError::Damaged(_))), "{length}");
        }
    }
}
