//! Frames as they are sent. Owns how an entry of the log becomes one: what the log holds is put in as it is, so that
//! nothing is written as JSON twice.

use bytes::Bytes;
use liminal_core::ids::{ItemId, SessionId};
use liminal_core::wire::ServerMessage;
use serde::Serialize;

use super::first_sight::{is_first_sight, mark_as_created};
use crate::log::{Entry, Kind};
use crate::session::unstored::Shown;

/// The kinds of frames, by their words on the wire.
pub(super) const SUBSCRIBED: &str = "session:subscribed";
pub(super) const HISTORY: &str = "session:history";
pub(super) const UPSERT: &str = "session:upsert";
pub(super) const TURN: &str = "session:turn";
pub(super) const APPEND: &str = "session:append";
pub(super) const STATE: &str = "session:state";

/// A frame that needs nothing from the log.
pub(super) fn message(message: &ServerMessage) -> Bytes {
    json(message).into()
}

/// An entry of the log as a frame, with its kind. `after` is the place up to which the client was sent everything.
pub(super) fn entry(session: &SessionId, entry: &Entry, after: u64) -> (&'static str, Bytes) {
    let kind = match entry.kind() {
        Kind::Upsert => UPSERT,
        Kind::Turn => TURN,
    };
    let mut frame = opened(kind, session, entry.bytes.len());
    number(&mut frame, "seq", entry.seq);
    if entry.kind() == Kind::Upsert {
        number(&mut frame, "firstSeq", entry.first_seq);
    }
    frame.extend_from_slice(b",\"payload\":");
    let payload = frame.len();
    frame.extend_from_slice(&entry.bytes);
    if is_first_sight(entry, after) {
        mark_as_created(frame.get_mut(payload..).unwrap_or_default());
    }
    frame.push(b'}');
    (kind, frame.into())
}

/// A state that is not stored yet, and so has no place.
pub(super) fn unstored(session: &SessionId, state: &Shown) -> Bytes {
    let mut frame = opened(UPSERT, session, state.bytes.len());
    frame.extend_from_slice(b",\"payload\":");
    let payload = frame.len();
    frame.extend_from_slice(&state.bytes);
    if state.is_first_sight {
        mark_as_created(frame.get_mut(payload..).unwrap_or_default());
    }
    frame.push(b'}');
    frame.into()
}

/// What was added to a text that the client holds the beginning of. `added` is escaped as inside a JSON string.
pub(super) fn append(session: &SessionId, seq: u64, item: &ItemId, base: u64, added: &[u8]) -> Bytes {
    let mut frame = opened(APPEND, session, added.len());
    number(&mut frame, "seq", seq);
    frame.extend_from_slice(b",\"itemId\":");
    frame.extend(json(item));
    number(&mut frame, "base", base);
    frame.extend_from_slice(b",\"text\":\"");
    frame.extend_from_slice(added);
    frame.extend_from_slice(b"\"}");
    frame.into()
}

/// Many entries at once.
pub(super) fn history(session: &SessionId, entries: &[Entry], seq: u64, before: Option<u64>) -> Bytes {
    let bytes: usize = entries.iter().map(|entry| entry.bytes.len() + 1).sum();
    let mut frame = opened(HISTORY, session, bytes);
    lists(&mut frame, entries);
    number(&mut frame, "seq", seq);
    if let Some(before) = before {
        number(&mut frame, "before", before);
    }
    frame.push(b'}');
    frame.into()
}

/// Adds the items and the turns' milestones as two lists.
pub(super) fn lists(out: &mut Vec<u8>, entries: &[Entry]) {
    for (name, kind) in [("entries", Kind::Upsert), ("turns", Kind::Turn)] {
        out.extend_from_slice(format!(",\"{name}\":[").as_bytes());
        let mut is_first = true;
        for entry in entries.iter().filter(|entry| entry.kind() == kind) {
            if !std::mem::replace(&mut is_first, false) {
                out.push(b',');
            }
            out.extend_from_slice(&entry.bytes);
        }
        out.push(b']');
    }
}

pub(super) fn number(out: &mut Vec<u8>, name: &str, value: u64) {
    out.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
}

fn opened(kind: &str, session: &SessionId, payload: usize) -> Vec<u8> {
    let mut frame = Vec::with_capacity(payload + 256);
    frame.extend_from_slice(format!("{{\"type\":\"{kind}\",\"sessionId\":").as_bytes());
    frame.extend(json(session));
    frame
}

#[expect(clippy::expect_used, reason = "no type of ours has keys that are not text")]
pub(super) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("a value of ours is JSON")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use liminal_core::event::Origin;
    use liminal_core::upsert::{MessageBody, Upsert, UpsertBody, UpsertStatus};

    use super::*;
    use crate::log::memory::MemoryLog;
    use crate::log::{Durability, Encoder, Limit, StreamLog};

    fn message(text: &str) -> Upsert {
        let now = liminal_core::time::Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
        let body = UpsertBody::Message(MessageBody::new(Origin::Agent, text.to_owned()));
        let upsert = Upsert::finished("s:\"1\"".into(), "t".into(), "t/1".into(), now, body);
        Upsert { status: UpsertStatus::Update, ..upsert }
    }

    #[tokio::test]
    async fn frames_are_what_their_types_say() {
        let (log, session) = (Arc::new(MemoryLog::default()), SessionId::from("s:\"1\""));
        let mut encoder = Encoder::default();
        encoder.upsert(&message("a\n\"b\""));
        log.append(&session, encoder.take(), Durability::Grouped).await.unwrap();
        let page = log.history(&session, None, Limit::NONE).await.unwrap();
        let read = |bytes: &[u8]| serde_json::from_slice::<ServerMessage>(bytes).unwrap();

        for (after, status) in [(1, UpsertStatus::Update), (0, UpsertStatus::Create)] {
            let (kind, frame) = entry(&session, &page.entries[0], after);
            let payload = Box::new(Upsert { status, ..message("a\n\"b\"") });
            assert_eq!(kind, UPSERT);
            let expected = ServerMessage::Upsert {
                session_id: session.clone(),
                seq: Some(1),
                first_seq: Some(1),
                payload,
            };
            assert_eq!(read(&frame), expected);
        }

        let frame = append(&session, 2, &"t/1".into(), 3, b"\\n\\u00e4");
        let expected = ServerMessage::Append {
            session_id: session.clone(),
            seq: 2,
            item_id: "t/1".into(),
            base: 3,
            text: "\nä".to_owned(),
        };
        assert_eq!(read(&frame), expected);

        let frame = history(&session, &page.entries, 1, Some(1));
        let entries = vec![message("a\n\"b\"")];
        let expected = ServerMessage::History {
            session_id: session,
            entries,
            turns: Vec::new(),
            seq: 1,
            before: Some(1),
        };
        assert_eq!(read(&frame), expected);
    }
}
