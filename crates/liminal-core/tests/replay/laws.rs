//! What holds for any lines at all, not only for those that were recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use liminal_core::dialect::{AgentCommand, Input};
use liminal_core::replay::{Direction, Recording};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::agent::{Agent, assistant, init, result, text};
use crate::recordings::{FOLDER, events_of};

/// Every line that the agent said in any recording.
static SAID: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let names = FOLDER.names().into_iter().map(|name| FOLDER.recording(&name));
    let lines = names.flat_map(|recording| recording.lines().to_vec());
    lines.filter(|line| line.direction == Direction::Out).map(|line| line.line).collect()
});

#[derive(Debug, Clone)]
enum Happening {
    Said(usize),
    /// A recorded line, cut off or with bytes changed.
    Damaged(usize, usize, u8),
    Bytes(Vec<u8>),
    TooLong,
    Prompt,
    Cancel,
    Answer(u64, bool),
    Wait(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        12 => any::<usize>().prop_map(Happening::Said),
        3 => any::<(usize, usize, u8)>().prop_map(|(line, at, byte)| Happening::Damaged(line, at, byte)),
        2 => vec(any::<u8>(), 0..40).prop_map(Happening::Bytes),
        1 => Just(Happening::TooLong),
        2 => Just(Happening::Prompt),
        1 => Just(Happening::Cancel),
        1 => any::<(u64, bool)>().prop_map(|(item, allow)| Happening::Answer(item % 20, allow)),
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
        Happening::Prompt => {
            *prompts += 1;
            agent.prompt(&format!("turn-{prompts}"), "go on");
        }
        Happening::Cancel => agent.command(AgentCommand::Cancel),
        Happening::Answer(item, allow) => {
            agent.choose(&format!("turn-{prompts}/{item}"), if *allow { "allow_once" } else { "deny" });
        }
        Happening::Wait(seconds) => agent.wait(*seconds),
    }
}

/// Every turn that began has one end, and it is the last of its events.
pub(crate) fn assert_every_turn_ends(agent: &Agent) {
    let mut ended: BTreeMap<String, bool> = BTreeMap::new();
    for event in agent.events() {
        let turn = event["turnId"].as_str().unwrap().to_owned();
        let is_end = event["type"] == "response_done" || event["type"] == "response_error";
        let before = ended.insert(turn, is_end);
        assert_ne!(before, Some(true), "after the end: {event}");
    }
    assert!(ended.values().all(|ended| *ended), "{ended:?}");
}

/// Every permission that was ever asked was closed.
pub(crate) fn assert_every_question_closes(agent: &Agent) {
    let mut open = BTreeSet::new();
    for permission in agent.outputs_of("permission") {
        let id = permission["itemId"].as_str().unwrap().to_owned();
        if permission["status"] == "create" {
            open.insert(id)
        } else {
            open.remove(&id)
        };
    }
    assert_eq!(open, BTreeSet::new());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_turn_ends_once(happenings in vec(happening(), 0..60)) {
        let mut agent = Agent::new();
        let mut prompts = 0;
        for happening in &happenings {
            let_happen(&mut agent, happening, &mut prompts);
        }
        agent.close(0, "");
        assert_every_turn_ends(&agent);
        assert_every_question_closes(&agent);
        prop_assert_eq!(agent.deadline(), None);
    }

    #[test]
    fn whatever_happened_a_later_turn_is_understood(happenings in vec(happening(), 0..40)) {
        let mut agent = Agent::new();
        let mut prompts = 0;
        for happening in &happenings {
            let_happen(&mut agent, happening, &mut prompts);
        }
        // However many prompts wait, each gets its turn.
        for _ in 0..=prompts + 1 {
            agent.lines(&[result(), init(), result()]);
        }
        agent.wait(5);
        agent.prompt("last", "the last prompt");
        agent.lines(&[init(), assistant("m-last", text("the last answer")), result()]);
        let last = agent.outputs_of("turn_complete").pop().unwrap();
        prop_assert_eq!(&last["turnId"], "last");
        prop_assert_eq!(agent.messages("agent").pop().unwrap(), "the last answer");
    }

    #[test]
    fn any_bytes_on_any_lines_lose_no_valid_line(
        noise in vec(any::<u8>(), 0..300),
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut agent = Agent::new();
        agent.prompt("t", "go");
        let mut stream = noise;
        for cut in cuts {
            let at = cut.index(stream.len() + 1);
            stream.insert(at, b'\n');
        }
        for line in [init(), assistant("m", text("heard")), result()] {
            stream.extend(format!("\n{line}\n").into_bytes());
        }
        for line in stream.split(|byte| *byte == b'\n') {
            agent.input(Input::Frame(line));
        }
        prop_assert_eq!(agent.messages("agent"), ["heard"]);
        prop_assert_eq!(agent.outputs_of("turn_complete").len(), 1);
    }

    #[test]
    fn lines_that_come_twice_change_nothing(
        which in any::<prop::sample::Index>(),
        again in vec(any::<(bool, bool)>(), 1..40),
    ) {
        let names = FOLDER.names();
        let name = &names[which.index(names.len())];
        let once = FOLDER.text(name);
        let twice = repeated(&once, &again);
        let events = |text: &str| events_of(&Recording::read(text).unwrap());
        prop_assert_eq!(events(&twice), events(&once), "{}", name);
    }
}

/// The recording, with some of the agent's lines twice: at once, or after the line that follows.
fn repeated(recording: &str, again: &[(bool, bool)]) -> String {
    let mut lines = String::new();
    let mut late: Option<Value> = None;
    for (line, (is_repeated, is_late)) in recording.lines().zip(again.iter().cycle()) {
        let said: Value = serde_json::from_str(line).unwrap();
        let mut add = |said: &Value| lines.push_str(&format!("{said}\n"));
        add(&said);
        if let Some(mut earlier) = late.take() {
            earlier["t"] = said["t"].clone();
            add(&earlier);
        }
        let has_id = said["dir"] == "out" && said["line"]["uuid"].is_string();
        if *is_repeated && has_id {
            if *is_late { late = Some(said) } else { add(&said) }
        }
    }
    lines
}
