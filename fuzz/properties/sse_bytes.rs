//! Any bytes as the stream of a model's API, cut anywhere: no panic, no cut changes anything, every turn ends once.

use liminal_core::dialect::model_api::Options;
use liminal_core::dialect::model_api::exchange::{Record, payload_frame};
use liminal_core::dialect::sse::{SseItem, SseReader};
use liminal_core::dialect::{AgentCommand, Closed, Dialect, Input, Outbox, anthropic, openai};
use liminal_core::event::StreamEvent;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::replay::Recording;

/// Short, so that events which are too long are found.
const LIMIT: usize = 2048;

/// The first two bytes tell where the others are cut.
pub(crate) fn check(input: &[u8]) {
    let Some((cut, bytes)) = input.split_first_chunk::<2>() else { return };
    let cut = usize::from(u16::from_le_bytes(*cut));
    let (front, back) = bytes.split_at(cut.checked_rem(bytes.len() + 1).unwrap_or_default());
    let items = read(&[front, back]);
    assert_eq!(items, read(&[bytes]));
    for dialect in [anthropic::dialect, openai::dialect] {
        check_turn(&mut dialect(SessionId::from("s"), Options::new("m")), &items);
    }
}

fn read(pieces: &[&[u8]]) -> Vec<SseItem> {
    let (mut reader, mut items) = (SseReader::new(LIMIT), Vec::new());
    pieces.iter().for_each(|piece| reader.feed(piece, &mut items));
    items
}

fn check_turn(dialect: &mut dyn Dialect, items: &[SseItem]) {
    let now = Recording::moment(std::time::Duration::ZERO);
    let mut out = Outbox::default();
    let prompt = AgentCommand::Prompt { turn: TurnId::from("t"), message: "go".into() };
    dialect.handle(Input::Command(prompt), now, &mut out);
    dialect.handle(Input::Frame(&Record::Begun { request: 1 }.frame()), now, &mut out);
    for item in items {
        match item {
            SseItem::Event(event) => {
                dialect.handle(Input::Frame(&payload_frame(event.data.clone())), now, &mut out);
            }
            SseItem::TooLong { bytes } => {
                dialect.handle(Input::FrameTooLong { bytes: *bytes }, now, &mut out);
            }
        }
    }
    dialect.handle(Input::Closed(Closed::default()), now, &mut out);
    let is_end =
        |event: &StreamEvent| matches!(event, StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_));
    assert_eq!(out.events.iter().filter(|event| is_end(&event.payload)).count(), 1);
    assert!(out.events.last().is_some_and(|event| is_end(&event.payload)));
}
