//! Outputs as lines of JSON. Owns the line format of `liminal process`, for both profiles; the caller owns where
//! the bytes go.

use crate::json;
use crate::processor::{Emission, Profile, Sink, TurnChange, TurnRef};
use crate::stream_b;
use crate::upsert::TurnEvent;
use crate::wire::ServerMessage;

/// Gathers outputs as lines.
#[derive(Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    format: Format,
}

#[derive(Debug)]
enum Format {
    Session,
    StreamB(stream_b::Encoder),
}

impl Lines {
    /// Lines in the words of a profile.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        let format = match profile {
            Profile::UpsertV1 => Format::Session,
            Profile::StreamB => Format::StreamB(stream_b::Encoder::default()),
        };
        Self { bytes: Vec::new(), format }
    }

    /// What has gathered.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets what has gathered, once it is written.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

impl Sink for Lines {
    fn item(&mut self, emission: Emission<'_>) {
        match &mut self.format {
            Format::Session => write_upsert(&mut self.bytes, &emission),
            Format::StreamB(encoder) => json::append(&mut self.bytes, &encoder.item(emission)),
        }
        self.bytes.push(b'\n');
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        match &mut self.format {
            Format::Session => write_turn(&mut self.bytes, change.into_event(turn)),
            Format::StreamB(encoder) => json::append(&mut self.bytes, &encoder.turn(turn, change)),
        }
        self.bytes.push(b'\n');
    }
}

/// The same bytes as a [`ServerMessage::Upsert`] would give, without making a copy of a growing text first.
fn write_upsert(out: &mut Vec<u8>, emission: &Emission<'_>) {
    out.extend_from_slice(b"{\"type\":\"session:upsert\",\"sessionId\":");
    json::append(out, &emission.head().session_id);
    out.extend_from_slice(b",\"payload\":");
    emission.write_json(out);
    out.push(b'}');
}

fn write_turn(out: &mut Vec<u8>, event: TurnEvent) {
    let session_id = event.session_id().clone();
    json::append(out, &ServerMessage::Turn { session_id, seq: None, payload: event });
}
