//! Anything that can happen to an agent of any kind, and what must hold whatever happened.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::dialect::{AgentCommand, Input};
use liminal_core::replay::Direction;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::replay::agent::Agent;
use crate::replay::invariants;
use crate::replay::snapshots::Folder;

/// What happens; `Own` is what can happen to one kind of agent only.
#[derive(Debug, Clone)]
pub(crate) enum Happening<Own> {
    Said(usize),
    /// A recorded line, cut off or with bytes changed.
    Damaged(usize, usize, u8),
    Bytes(Vec<u8>),
    TooLong,
    Prompt,
    Cancel,
    Answer(u64, usize),
    Wait(u64),
    Own(Own),
}

/// Up to so many happenings, with what is the agent's own as often as its weight says.
pub(crate) fn happenings<Own: Clone + std::fmt::Debug>(
    most: usize,
    weight: u32,
    own: impl Strategy<Value = Own>,
) -> impl Strategy<Value = Vec<Happening<Own>>> {
    let happening = prop_oneof![
        12 => any::<usize>().prop_map(Happening::Said),
        3 => any::<(usize, usize, u8)>().prop_map(|(line, at, byte)| Happening::Damaged(line, at, byte)),
        2 => vec(any::<u8>(), 0..40).prop_map(Happening::Bytes),
        1 => Just(Happening::TooLong),
        2 => Just(Happening::Prompt),
        1 => Just(Happening::Cancel),
        1 => any::<(u64, usize)>().prop_map(|(item, option)| Happening::Answer(item % 20, option)),
        1 => (0_u64..700).prop_map(Happening::Wait),
        weight => own.prop_map(Happening::Own),
    ];
    vec(happening, 0..most)
}

/// Every line that the agent said in any recording.
pub(crate) fn said_in(folder: &Folder) -> Vec<Value> {
    let recordings = folder.names().into_iter().map(|name| folder.recording(&name));
    let lines = recordings.flat_map(|recording| recording.lines().to_vec());
    lines.filter(|line| line.direction == Direction::Out).map(|line| line.line).collect()
}

/// What an agent of one kind may say, and what it may be answered.
pub(crate) struct Repertoire {
    pub(crate) said: &'static [Value],
    pub(crate) options: &'static [&'static str],
}

impl Repertoire {
    /// Lets all of it happen, and tells how many prompts there were.
    pub(crate) fn play<Own>(
        &self,
        agent: &mut Agent,
        happenings: &[Happening<Own>],
        mut own: impl FnMut(&mut Agent, &Own),
    ) -> u64 {
        let mut prompts = 0;
        for happening in happenings {
            match happening {
                Happening::Prompt => {
                    prompts += 1;
                    agent.prompt(&format!("turn-{prompts}"), "go on");
                }
                Happening::Answer(item, option) => {
                    let option = self.options[option % self.options.len()];
                    agent.choose(&format!("turn-{prompts}/{item}"), option);
                }
                Happening::Own(happening) => own(agent, happening),
                Happening::Said(index) => agent.input(Input::Frame(&self.line(*index))),
                Happening::Damaged(index, at, byte) => {
                    agent.input(Input::Frame(&damaged(self.line(*index), *at, *byte)));
                }
                Happening::Bytes(bytes) => agent.input(Input::Frame(bytes)),
                Happening::TooLong => agent.input(Input::FrameTooLong { bytes: 1 << 30 }),
                Happening::Cancel => agent.command(AgentCommand::Cancel),
                Happening::Wait(seconds) => agent.wait(*seconds),
            }
        }
        prompts
    }

    fn line(&self, index: usize) -> Vec<u8> {
        self.said[index % self.said.len()].to_string().into_bytes()
    }
}

fn damaged(mut line: Vec<u8>, at: usize, byte: u8) -> Vec<u8> {
    let at = at % line.len();
    if byte.is_multiple_of(2) {
        line.truncate(at);
    } else {
        line[at] = byte;
    }
    line
}

/// Noise of any bytes, cut into lines anywhere, and sound lines behind it.
pub(crate) fn noisy(mut noise: Vec<u8>, cuts: &[prop::sample::Index], lines: &[Value]) -> Vec<Vec<u8>> {
    for cut in cuts {
        noise.insert(cut.index(noise.len() + 1), b'\n');
    }
    let noise = noise.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    noise.chain(lines.iter().map(|line| line.to_string().into_bytes())).collect()
}

/// Whatever happened: the agent is gone, and nothing that it began is left open.
pub(crate) fn assert_all_is_over(agent: &Agent) {
    assert_every_turn_ends(agent);
    assert_every_question_closes(agent);
    invariants::of_upserts_but(&agent.output_lines(), &invariants::cancelled(&agent.events()));
    assert_eq!(agent.deadline(), None);
}

/// Every turn that began has one end. After it come only events of items, and only those of calls in the background: the
/// processor drops none of them.
fn assert_every_turn_ends(agent: &Agent) {
    let mut ended: BTreeMap<String, bool> = BTreeMap::new();
    for event in agent.events() {
        let turn = event["turnId"].as_str().unwrap().to_owned();
        let is_end = event["type"] == "response_done" || event["type"] == "response_error";
        let has_ended = ended.entry(turn).or_default();
        let is_of_item = event["type"].as_str().unwrap().starts_with("item_");
        assert!(!*has_ended || is_of_item, "after the end: {event}");
        *has_ended |= is_end;
    }
    assert!(ended.values().all(|ended| *ended), "{ended:?}");
    assert_eq!(agent.dropped().after_end, 0, "after the end");
}

/// Every permission that was ever asked was closed.
fn assert_every_question_closes(agent: &Agent) {
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
