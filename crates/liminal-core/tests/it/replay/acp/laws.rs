//! What holds for any messages at all, not only for those that were recorded.

use std::sync::LazyLock;

use liminal_core::dialect::acp::{Connection, Routed};
use liminal_core::dialect::{AgentCommand, Input};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::agent::{initialized, opening, result, text, text_of};
use super::recordings::FOLDER;
use crate::replay::agent::Agent;
use crate::replay::happenings::{Happening, Repertoire, assert_all_is_over, happenings, noisy, said_in};

static SAID: LazyLock<Vec<Value>> = LazyLock::new(|| said_in(&FOLDER));

/// What happens to ACP agents only.
#[derive(Debug, Clone)]
enum Own {
    /// The response to a request of ours, if there is one of this number.
    Answered(u64, bool),
    Set(bool),
    Steer,
}

fn anything(most: usize) -> impl Strategy<Value = Vec<Happening<Own>>> {
    let own = prop_oneof![
        4 => any::<(u64, bool)>().prop_map(|(id, is_good)| Own::Answered(id % 12, is_good)),
        1 => any::<bool>().prop_map(Own::Set),
        1 => Just(Own::Steer),
    ];
    happenings(most, 5, own)
}

fn play(agent: &mut Agent, happenings: &[Happening<Own>]) {
    let repertoire = Repertoire { said: &SAID, options: &["allow_once", "approved", "cancel", "abort"] };
    let mut count = 0;
    repertoire.play(agent, happenings, |agent, happening| {
        count += 1;
        own(agent, happening, &format!("steered-{count}"));
    });
}

fn own(agent: &mut Agent, happening: &Own, steered: &str) {
    match happening {
        Own::Answered(id, true) => {
            agent.line(&result(
                *id,
                json!({"sessionId": "s1", "stopReason": "end_turn", "outcome": "injected"}),
            ));
        }
        Own::Answered(id, false) => agent.line(&json!({"id": id, "error": {"code": -1}})),
        Own::Set(true) => agent.command(AgentCommand::SetModel { model: None }),
        Own::Steer => agent.steer(steered, "faster"),
        Own::Set(false) => agent.command(AgentCommand::SetPermissionMode { mode: "x".to_owned() }),
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
    fn whatever_happens_every_turn_ends_once(stage in any::<u8>(), happenings in anything(60)) {
        let mut agent = begun(stage);
        play(&mut agent, &happenings);
        agent.close(0, "");
        assert_all_is_over(&agent);
        let ends = agent.outputs_of("turn_error").len() + agent.outputs_of("turn_complete").len();
        let bound = agent.outputs_of("turn_started").len();
        prop_assert_eq!(ends, bound);
    }

    #[test]
    fn whatever_happened_a_later_turn_is_understood(happenings in anything(40)) {
        let mut agent = begun(0);
        play(&mut agent, &happenings);
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
        for line in noisy(noise, &cuts, &[text("heard"), result(3, json!({"stopReason": "end_turn"}))]) {
            agent.input(Input::Frame(&line));
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
