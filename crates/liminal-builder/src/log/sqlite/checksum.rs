//! Sums over what is stored, because the database does not notice a flipped bit inside a value. Owns the sum; a
//! difference is told as [`LogError::Damaged`](super::super::LogError::Damaged).

/// FNV-1a over the parts, each with its length: short, stable between versions, and fast enough beside the disk.
pub(super) fn sum(parts: &[&[u8]]) -> i64 {
    let lengths = parts.iter().flat_map(|part| part.len().to_le_bytes());
    let bytes = parts.iter().flat_map(|part| part.iter().copied());
    let hash = lengths
        .chain(bytes)
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash.cast_signed()
}
