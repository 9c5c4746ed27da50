//! Any bytes as a cursor that a client brings back: read exactly if it has the form, and only a place that is kept is gone
//! on from.

use liminal_builder::log::{Cursor, Head};
use liminal_core::wire::Resume;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let parts = text.rsplit_once('.').filter(|(_, seq)| seq.bytes().all(|byte| byte.is_ascii_digit()));
    let expected = parts.and_then(|(epoch, seq)| Some((epoch, seq.parse::<u64>().ok()?)));
    let found = text.parse::<Cursor>().ok();
    assert_eq!(found.as_ref().map(|cursor| (&*cursor.epoch, cursor.seq)), expected, "{text}");
    let Some(cursor) = found else { return };
    assert_eq!(cursor.to_string().parse::<Cursor>(), Ok(cursor.clone()), "{text}");
    let head = Head { epoch: "k3v9".into(), seq: 10, floor: 4 };
    let is_kept = &*cursor.epoch == "k3v9" && (4..=10).contains(&cursor.seq);
    assert_eq!(head.verdict(&cursor) == Resume::Ok, is_kept, "{text}");
    assert_eq!(head.is_behind(&cursor), &*cursor.epoch == "k3v9" && cursor.seq > 10, "{text}");
}
