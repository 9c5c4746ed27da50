//! `liminal run` and `liminal attach` as people use them, at a terminal.

use serde_json::Value;

use super::terminal::{CTRL_C, CTRL_D, Terminal};
use super::world::World;

fn state_of(world: &World, session: &str) -> Value {
    let (status, told) = world.ask("GET", &format!("/api/session/{session}/status"), "");
    assert_eq!(status, 200, "{told}");
    serde_json::from_str(&told).unwrap()
}

/// The one session that is at work.
fn working(world: &World) -> String {
    world.wait_for(|world| {
        let projects: Value = serde_json::from_str(&world.ask("GET", "/api/projects", "").1).unwrap();
        let project = projects["projects"].get(0)?["id"].as_str()?.to_owned();
        let list = world.ask("GET", &format!("/api/session/list?projectId={project}"), "").1;
        let list: Value = serde_json::from_str(&list).unwrap();
        let sessions = list["sessions"].as_array()?;
        let busy = sessions.iter().find(|session| session["state"] == "running")?;
        Some(busy["sessionId"].as_str()?.to_owned())
    })
}

#[test]
fn a_run_asks_whoever_sits_there_and_does_what_is_answered() {
    let world = World::new();
    for (answer, outcome) in [("1\n", "It was allowed"), ("3\n", "It was rejected")] {
        let mut terminal = Terminal::start(&world.command(&["run", "--agent", "demo", "/permission"]));
        terminal.shows("? ");
        terminal.shows("1) Allow once");
        terminal.shows("3) Reject");
        terminal.answers("nonsense\n", "1) Allow once");
        terminal.answers(answer, outcome);
        let (status, shown) = terminal.ends();
        assert_eq!(status.code(), Some(0), "{shown}");
    }
}

#[test]
fn whoever_attaches_talks_answers_and_leaves() {
    let world = World::served();
    let session = world.session("/help");
    let mut terminal = Terminal::start(&world.command(&["attach", &session]));
    terminal.types("/words 100\n");
    terminal.shows("**100**");
    terminal.types("/permission\n");
    terminal.shows("1) Allow once");
    terminal.answers("3\n", "It was rejected");
    world.wait_for(|world| (state_of(world, &session)["state"] == "idle").then_some(()));
    terminal.types(CTRL_D);
    let (status, shown) = terminal.ends();
    assert_eq!(status.code(), Some(0), "{shown}");
    let (_, history) = world.ask("GET", &format!("/api/session/{session}/history"), "");
    assert!(history.contains(r#""optionId":"reject-once""#), "{history}");
}

#[test]
fn ctrl_c_leaves_what_is_attached_and_the_turn_goes_on() {
    let world = World::served();
    let session = world.session("/help");
    let mut terminal = Terminal::start(&world.command(&["attach", &session]));
    terminal.types("/hang\n");
    world.wait_for(|world| (state_of(world, &session)["state"] == "running").then_some(()));
    terminal.types(CTRL_C);
    let (status, shown) = terminal.ends();
    assert_eq!(status.code(), Some(0), "{shown}");
    assert_eq!(state_of(&world, &session)["state"], "running");
}

#[test]
fn ctrl_c_stops_the_turn_of_a_run() {
    let world = World::served();
    let mut terminal = Terminal::start(&world.command(&["run", "--agent", "demo", "/hang"]));
    let session = working(&world);
    terminal.types(CTRL_C);
    terminal.shows("press Ctrl-C again to quit");
    let (status, shown) = terminal.ends();
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(shown.contains(&session), "{shown}");
    world.wait_for(|world| (state_of(world, &session)["state"] == "idle").then_some(()));
}

#[test]
fn a_second_ctrl_c_leaves_an_agent_that_does_not_stop() {
    let world = World::with_fake();
    let mut terminal = Terminal::start(&world.command(&["run", "--agent", "claude-code", "!say 1 !hang"]));
    let session = working(&world);
    terminal.types(CTRL_C);
    terminal.shows("press Ctrl-C again to quit");
    world.wait_for(|world| (state_of(world, &session)["state"] == "cancelling").then_some(()));
    terminal.types(CTRL_C);
    let (status, shown) = terminal.ends();
    assert_eq!(status.code(), Some(130), "{shown}");
}
