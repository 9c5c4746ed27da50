//! What a client is sent of an item for the first time. Owns the status of that state: `create` while the item is open, also
//! if the log has replaced the creation by newer states meanwhile.

use crate::log::Entry;

const STATUS: &[u8] = b"\"status\":\"";
const UPDATE: &[u8] = b"update";
/// As long as the other word, so nothing has to move.
const CREATE: &[u8] = b"create";

/// Whether a client that was sent everything up to a place has not seen the item, and more states of it will follow.
pub(super) const fn is_first_sight(entry: &Entry, after: u64) -> bool {
    entry.is_open && entry.first_seq > after
}

/// Makes the payload of an update that of a creation.
pub(super) fn mark_as_created(payload: &mut [u8]) {
    // The status stands before the body, and quotes inside of texts are escaped.
    let Some(at) = payload.windows(STATUS.len()).position(|part| part == STATUS) else { return };
    let start = at + STATUS.len();
    if let Some(word) = payload.get_mut(start..start + UPDATE.len()).filter(|word| *word == UPDATE) {
        word.copy_from_slice(CREATE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_status_of_an_update_changes() {
        for (before, after) in [
            (
                r#"{"itemId":"a","status":"update","content":""}"#,
                r#"{"itemId":"a","status":"create","content":""}"#,
            ),
            (r#"{"status":"create","toolArguments":{"status":"update"}}"#, ""),
            (r#"{"status":"complete","toolArguments":{"status":"update"}}"#, ""),
            (r#"{"itemId":"\"status\":\"update\"","status":"error"}"#, ""),
            (r#"{"status":"upd"#, ""),
        ] {
            let mut payload = before.as_bytes().to_vec();
            mark_as_created(&mut payload);
            let expected = if after.is_empty() { before } else { after };
            assert_eq!(std::str::from_utf8(&payload).unwrap(), expected);
        }
    }
}
