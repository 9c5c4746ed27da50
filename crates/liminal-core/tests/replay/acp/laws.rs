//! What holds for any messages at all, not only for those that were recorded.

use std::sync::LazyLock;

use liminal_core::dialect::acp::{Connection, Routed};
use liminal_core::dialect::{AgentCommand, Input};
use liminal_core::replay::Direction;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::agent::{initialized, opening, result, text, text_of};
use super::recordings::FOLDER;
use crate::agent::Agent;
use crate::laws::{assert_every_question_closes, assert_every_turn_ends};

/// Every message that an agent said in any recording.
static SAID: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let names = FOLDER.names().into_iter().map(|name| FOLDER.recording(&name));
    let lines = names.flat_map(|recording| recording.lines().to_vec());
    lines.filter(|line| line.direction == Direction::Out).map(|line| line.line).collect()
});

#[derive(Debug, Clone)]
enum Happening {
    Said(usize),
    /// A recorded message, cut off or with bytes changed.
    Damaged(usize, usize, u8),
    Bytes(Vec<u8>),
    TooLong,
    /// The response to a request of ours, if there is one of this number.
    Answered(u64, bool),
    Prompt,
    Cancel,
    Answer(u64, usize),
    Set(bool),
    Wait(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        12 => any::<usize>().prop_map(Happening::Said),
        3 => any::<(usize, usize, u8)>().prop_map(|(line, at, byte)| Happening::Damaged(line, at, byte)),
        2 => vec(any::<u8>(), 0..40).prop_map(Happening::Bytes),
        1 => Just(Happening::TooLong),
        4 => any::<(u64, bool)>().prop_map(|(id, is_good)| Happening::Answered(id % 12, is_good)),
        3 => Just(Happening::Prompt),
        1 => Just(Happening::Cancel),
        1 => any::<(u64, usize)>().prop_map(|(item, option)| Happening::Answer(item % 20, option)),
        1 => any::<bool>().prop_map(Happening::Set),
        1 => (0_u64..700).prop_map(Happening::Wait),
    ]
}

fn let_happen(agent: &mut Agent, happening: &Happening, prompts: &mut u64) {
    let said = |index: &usize| SAID[index % SAID.len()].to_string().into_bytes();
    match happening {
        Happening::Said(index) => agent.input(Input::Frame(&said(index))),
        Happening::Damaged(index, at, byte) => {
            let mut line = said(index);
            let at = at % line.len();
            if byte % 2 == 0 {
                line.truncate(at);
            } else {
                line[at] = *byte;
            }
            agent.input(Input::Frame(&line));
        }
        Happening::Bytes(bytes) => agent.input(Input::Frame(bytes)),
        Happening::TooLong => agent.input(Input::FrameTooLong { bytes: 1 << 30 }),
        Happening::Answered(id, true) => {
            agent.line(&result(
                *id,
                json!({"sessionId": "s1", "stopReason": "end_turn", "outcome": "injected"}),
            ));
        }
        Happening::Answered(id, false) => agent.line(&json!({"id": id, "error": {"code": -1}})),
        Happening::Prompt => {
            *prompts += 1;
            agent.prompt(&format!("turn-{prompts}"), "go on");
        }
        Happening::Cancel => agent.command(AgentCommand::Cancel),
        Happening::Answer(item, option) => {
            let options = ["allow_once", "approved", "cancel", "abort"];
            agent.choose(&format!("turn-{prompts}/{item}"), options[option % options.len()]);
        }
        Happening::Set(true) => agent.command(AgentCommand::SetModel { model: None }),
        Happening::Set(false) => agent.command(AgentCommand::SetPermissionMode { mode: "x".to_owned() }),
        Happening::Wait(seconds) => agent.wait(*seconds),
    }
}

/// An agent whose session is open, being opened, or being gone on with.
fn begun(stage: u8) -> Agent {
    let mut agent = opening((stage % 3 == 2).then_some("s1"));
    let mut able = initialized();
    able["result"]["_meta"] = json!({"steering": {"supported": stage >= 128}});
    agent.line(&able);
    if stage.is_multiple_of(3) {
        agent.line(&result(2, json!({"sessionId": "s1"})));
    }
    agent
}

/// The response to every request that waits for one, until nothing is asked any more.
fn settle(agent: &mut Agent) {
    let mut answered = 0;
    while answered < agent.frames.len() {
        let frame = agent.frames[answered].clone();
        answered += 1;
        if let (Some(_), Some(id)) = (frame.get("method"), frame["id"].as_u64()) {
            agent.line(&result(id, json!({"sessionId": "s1", "stopReason": "end_turn"})));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_turn_ends_once(stage in any::<u8>(), happenings in vec(happening(), 0..60)) {
        let mut agent = begun(stage);
        let mut prompts = 0;
        for happening in &happenings {
            let_happen(&mut agent, happening, &mut prompts);
        }
        agent.close(0, "");
        assert_every_turn_ends(&agent);
        assert_every_question_closes(&agent);
        prop_assert_eq!(agent.deadline(), None);
        let ends = agent.outputs_of("turn_error").len() + agent.outputs_of("turn_complete").len();
        let bound = agent.outputs_of("turn_started").len();
        prop_assert_eq!(ends, bound);
    }

    #[test]
    fn whatever_happened_a_later_turn_is_understood(happenings in vec(happening(), 0..40)) {
        let mut agent = begun(0);
        let mut prompts = 0;
        for happening in &happenings {
            let_happen(&mut agent, happening, &mut prompts);
        }
        settle(&mut agent);
        agent.wait(700);
        agent.prompt("last", "the last prompt");
        let id = agent.frames.last().unwrap()["id"].as_u64().unwrap();
        agent.lines(&[text_of("m-last", "the last answer"), result(id, json!({"stopReason": "end_turn"}))]);
        let last = agent.outputs_of("turn_complete").pop().unwrap();
        prop_assert_eq!(&last["turnId"], "last");
        prop_assert_eq!(agent.messages("agent").pop().unwrap(), "the last answer");
    }

    #[test]
    fn any_bytes_on_any_lines_lose_no_valid_line(
        noise in vec(any::<u8>(), 0..300),
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut agent = begun(0);
        agent.prompt("t", "go");
        let mut stream = noise;
        for cut in cuts {
            let at = cut.index(stream.len() + 1);
            stream.insert(at, b'\n');
        }
        for line in [text("heard"), result(3, json!({"stopReason": "end_turn"}))] {
            stream.extend(format!("\n{line}\n").into_bytes());
        }
        for line in stream.split(|byte| *byte == b'\n') {
            agent.input(Input::Frame(line));
        }
        prop_assert_eq!(agent.messages("agent"), ["heard"]);
        prop_assert_eq!(agent.outputs_of("turn_complete").len(), 1);
    }

    #[test]
    fn no_message_reaches_two_sessions(lines in vec((any::<usize>(), any::<bool>()), 0..60)) {
        let mut connection = Connection::default();
        let channels = [connection.open(), connection.open()];
        for (index, is_ours) in lines {
            let mut routed = Routed::default();
            let mut line = SAID[index % SAID.len()].clone();
            if is_ours {
                line["method"] = json!("session/load");
                line["params"] = json!({"sessionId": format!("s{}", index % 3)});
                connection.hear_session(channels[index % 2], line.to_string().as_bytes(), &mut routed);
            } else {
                line["params"]["sessionId"] = json!(format!("s{}", index % 3));
                connection.hear_agent(line.to_string().as_bytes(), &mut routed);
            }
            prop_assert!(routed.to_sessions.len() <= 1);
        }
    }
}
