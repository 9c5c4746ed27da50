//! Any lines as those of an ACP agent with two sessions: no panic, every turn ends once, nothing is allowed.

use liminal_core::dialect::acp::{AcpDialect, Connection, Options, Routed};
use liminal_core::dialect::{AgentCommand, Closed, Dialect, Input, Outbox};
use liminal_core::event::StreamEvent;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::replay::Recording;
use serde_json::{Value, json};

pub(crate) fn check(bytes: &[u8]) {
    let now = Recording::moment(std::time::Duration::ZERO);
    let mut connection = Connection::default();
    let mut sessions =
        ["a", "b"].map(|id| (connection.open(), AcpDialect::new(SessionId::from(id), Options::default())));
    let (mut out, mut routed) = (Outbox::default(), Routed::default());
    for (channel, session) in &mut sessions {
        let open = AgentCommand::Open { directory: "/".to_owned(), resume: None };
        let prompt = AgentCommand::Prompt { turn: TurnId::from("t"), message: "go".into() };
        session.handle(Input::Command(open), now, &mut out);
        session.handle(Input::Command(prompt), now, &mut out);
        out.frames.drain(..).for_each(|frame| connection.hear_session(*channel, &frame, &mut routed));
    }
    for line in bytes.split(|byte| *byte == b'\n') {
        connection.hear_agent(line, &mut routed);
        while let Some((to, line)) = routed.to_sessions.pop() {
            for (channel, session) in sessions.iter_mut().filter(|(channel, _)| *channel == to) {
                session.handle(Input::Frame(&line), now, &mut out);
                out.frames.drain(..).for_each(|frame| connection.hear_session(*channel, &frame, &mut routed));
            }
        }
    }
    sessions
        .iter_mut()
        .for_each(|(_, session)| session.handle(Input::Closed(Closed::default()), now, &mut out));
    let is_end =
        |event: &StreamEvent| matches!(event, StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_));
    let begun =
        out.events.iter().filter(|event| matches!(event.payload, StreamEvent::ResponseStart(_))).count();
    let ended = out.events.iter().filter(|event| is_end(&event.payload)).count();
    assert_eq!(begun, ended);
    let mut answers = routed.to_agent.iter().filter_map(|frame| serde_json::from_slice::<Value>(frame).ok());
    let allowed = answers.any(|answer| answer.pointer("/result/outcome/outcome") == Some(&json!("selected")));
    assert!(!allowed, "nobody answered");
}
