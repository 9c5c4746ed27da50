//! What holds for any bytes and any order of things, not only for those that were recorded.

use std::sync::LazyLock;

use liminal_core::dialect::model_api::Options;
use liminal_core::dialect::model_api::exchange::payload_frame;
use liminal_core::dialect::sse::{SseItem, SseReader};
use liminal_core::dialect::{AgentCommand, Input};
use liminal_core::replay::Direction;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use super::recordings::{anthropic, openai};
use super::{VENDORS, Vendor, begun, ended, error_body, failed, refused};
use crate::replay::agent::Agent;
use crate::replay::happenings::assert_all_is_over;

/// Every payload and record of any recording of either API.
static SAID: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let folders = [anthropic::FOLDER, openai::FOLDER];
    let recordings =
        folders.iter().flat_map(|folder| folder.names().into_iter().map(|name| folder.recording(&name)));
    let lines = recordings.flat_map(|recording| recording.lines().to_vec());
    lines.filter(|line| line.direction == Direction::Out).map(|line| line.line).collect()
});

#[derive(Debug, Clone)]
enum Happening {
    Said(Index),
    /// A recorded line, cut off or with a byte changed.
    Damaged(Index, Index, u8),
    Bytes(Vec<u8>),
    TooLong,
    Prompt,
    Cancel,
    Begun,
    Ended,
    Failed,
    Refused(u16),
    Wait(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        12 => any::<Index>().prop_map(Happening::Said),
        3 => any::<(Index, Index, u8)>().prop_map(|(line, at, byte)| Happening::Damaged(line, at, byte)),
        2 => vec(any::<u8>(), 0..40).prop_map(Happening::Bytes),
        1 => Just(Happening::TooLong),
        4 => Just(Happening::Prompt),
        1 => Just(Happening::Cancel),
        4 => Just(Happening::Begun),
        1 => Just(Happening::Ended),
        1 => Just(Happening::Failed),
        1 => (400_u16..600).prop_map(Happening::Refused),
        2 => (0_u64..700).prop_map(Happening::Wait),
    ]
}

/// The request that was made last.
fn newest(agent: &Agent) -> u64 {
    agent.frames.iter().rev().find_map(|frame| frame["request"].as_u64()).unwrap_or_default()
}

fn let_happen(agent: &mut Agent, happening: &Happening, prompts: &mut u64) {
    match happening {
        Happening::Said(index) => agent.line(index.get(&SAID)),
        Happening::Damaged(index, at, byte) => {
            let mut line = index.get(&SAID).to_string().into_bytes();
            let at = at.index(line.len());
            if byte % 2 == 0 {
                line.truncate(at);
            } else {
                line[at] = *byte;
            }
            agent.input(Input::Frame(&line));
        }
        Happening::Bytes(bytes) => agent.input(Input::Frame(bytes)),
        Happening::TooLong => agent.input(Input::FrameTooLong { bytes: 1 << 30 }),
        Happening::Prompt => {
            *prompts += 1;
            agent.prompt(&format!("turn-{prompts}"), "go on");
        }
        Happening::Cancel => agent.command(AgentCommand::Cancel),
        Happening::Begun => agent.line(&begun(newest(agent))),
        Happening::Ended => agent.line(&ended(newest(agent))),
        Happening::Failed => agent.line(&failed(newest(agent), "gone")),
        Happening::Refused(status) => {
            agent.line(&refused(newest(agent), *status, None, &error_body("x", "y")));
        }
        Happening::Wait(seconds) => agent.wait(*seconds),
    }
}

fn vendor() -> impl Strategy<Value = Vendor> {
    proptest::sample::select(VENDORS.to_vec())
}

/// A stream as either API may write it, with what a proxy may add.
fn stream(payloads: &[Value], newline: &str) -> Vec<u8> {
    let mut bytes = format!(": hello{newline}{newline}").into_bytes();
    for payload in payloads {
        let data = payload.to_string().replacen(',', &format!(",{newline}data: "), 1);
        bytes.extend(format!("event: x{newline}data: {data}{newline}{newline}").into_bytes());
    }
    bytes
}

fn heard(vendor: Vendor, pieces: &[&[u8]]) -> Agent {
    let mut agent = vendor.answering();
    let (mut reader, mut items) = (SseReader::new(1 << 20), Vec::new());
    for piece in pieces {
        reader.feed(piece, &mut items);
        for item in items.drain(..) {
            match item {
                SseItem::Event(event) => agent.input(Input::Frame(&payload_frame(event.data))),
                SseItem::TooLong { bytes } => agent.input(Input::FrameTooLong { bytes }),
            }
        }
    }
    agent.line(&ended(1));
    agent
}

#[test]
fn an_answer_cut_at_any_byte_is_the_same_answer() {
    for vendor in VENDORS {
        for newline in ["\n", "\r\n", "\r"] {
            let bytes = stream(&vendor.message("words with, commas and ünicode"), newline);
            let whole = heard(vendor, &[&bytes]).events();
            assert_eq!(whole.last().unwrap()["payload"]["status"], "completed");
            for at in 0..=bytes.len() {
                let (front, back) = bytes.split_at(at);
                assert_eq!(
                    heard(vendor, &[front, back]).events(),
                    whole,
                    "{vendor:?} {newline:?} cut at {at}"
                );
            }
        }
    }
}

#[test]
fn an_answer_that_ends_at_any_byte_ends_its_turn_once() {
    for vendor in VENDORS {
        let bytes = stream(&vendor.message("words"), "\n");
        for at in 0..bytes.len() {
            let mut agent = heard(vendor, &[&bytes[..at]]);
            assert_ne!(agent.last_event()["status"], "completed", "{vendor:?} at {at}");
            // Asked again, it is the same until nobody asks any more.
            agent.close(0, "");
            assert_all_is_over(&agent);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_turn_ends_once(vendor in vendor(), happenings in vec(happening(), 0..60)) {
        let mut agent = vendor.agent(Options::new("m"));
        let mut prompts = 0;
        for happening in &happenings {
            let_happen(&mut agent, happening, &mut prompts);
        }
        agent.close(0, "");
        assert_all_is_over(&agent);
        prop_assert_eq!(agent.deadline(), None);
    }

    #[test]
    fn whatever_happened_a_later_turn_is_understood(vendor in vendor(), happenings in vec(happening(), 0..40)) {
        let mut agent = vendor.agent(Options::new("m"));
        let mut prompts = 0;
        for happening in &happenings {
            let_happen(&mut agent, happening, &mut prompts);
        }
        agent.command(AgentCommand::Cancel);
        agent.prompt("last", "the last prompt");
        let request = newest(&agent);
        agent.line(&begun(request));
        agent.lines(&vendor.message("the last answer"));
        let last = agent.outputs_of("turn_complete").pop().unwrap();
        prop_assert_eq!(&last["turnId"], "last");
        prop_assert_eq!(agent.messages("agent").pop().unwrap(), "the last answer");
    }

    #[test]
    fn any_bytes_cut_anywhere_give_the_same_events(
        vendor in vendor(),
        noise in vec(prop_oneof![any::<u8>(), proptest::sample::select(b"\n\r: dataevent{}\"".to_vec())], 0..300),
        lines in vec(any::<Index>(), 0..6),
        cuts in vec(any::<Index>(), 0..8),
    ) {
        let mut bytes = noise;
        for line in lines {
            bytes.extend(format!("\ndata: {}\n\n", line.get(&SAID)).into_bytes());
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&bytes[from..cut]);
            from = cut;
        }
        pieces.push(&bytes[from..]);
        let (cut, whole) = (heard(vendor, &pieces), heard(vendor, &[&bytes]));
        prop_assert_eq!(cut.events(), whole.events());
    }
}
