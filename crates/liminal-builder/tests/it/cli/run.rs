//! `liminal run`.

use std::io::{BufRead, BufReader, Read};

use serde_json::Value;

use super::world::{Ended, World, interrupt};
use crate::support::Running;

fn demo(world: &World, prompt: &str, more: &[&str]) -> Ended {
    world.run(&[&["run", "--agent", "demo"], more, &[prompt]].concat())
}

#[test]
fn without_a_server_a_run_brings_its_own_and_leaves_none() {
    let world = World::new();
    let first = demo(&world, "/words 300", &[]);
    assert_eq!(first.code, Some(0), "{first:?}");
    // Every hundredth word is its number: each of them once, so nothing was shown twice.
    for number in ["**100**", "**200**", "**300**"] {
        let count = first.out.split_whitespace().filter(|word| word.contains(number)).count();
        assert_eq!(count, 1, "{number} in {first:?}");
    }
    assert!(first.err.contains("is a project from now on"), "{first:?}");
    assert!(first.err.contains("session demo:"), "{first:?}");
    assert!(!world.data().join("server.json").exists());
    let second = demo(&world, "/help", &[]);
    assert_eq!(second.code, Some(0), "{second:?}");
    assert!(!second.err.contains("is a project"), "{second:?}");
}

#[test]
fn tools_take_a_line_each_and_no_control_character_comes_through() {
    let world = World::served();
    let ended = demo(&world, "/tour", &["--approve", "never"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.lines().any(|line| line.starts_with("• ")), "{ended:?}");
    assert!(ended.err.lines().any(|line| line.starts_with("✗ ")), "{ended:?}");
    let acts = |text: &str| text.chars().any(|letter| letter.is_control() && !"\n\t".contains(letter));
    assert!(!acts(&ended.out) && !acts(&ended.err), "{ended:?}");
}

#[test]
fn where_nobody_can_be_asked_the_answer_is_no() {
    let world = World::served();
    for approve in ["ask", "never"] {
        let ended = demo(&world, "/permission", &["--approve", approve]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.err.contains("Rejected (no terminal to ask on)"), "{ended:?}");
        let session = ended.err.lines().last().unwrap().rsplit_once(' ').unwrap().1.to_owned();
        let (_, told) = world.ask("GET", &format!("/api/session/{session}/history"), "");
        assert!(told.contains("\"outcome\":{\"optionId\":\"reject-once\",\"by\":\"user\"}"), "{told}");
    }
}

#[test]
fn json_tells_the_session_then_all_that_happens_one_a_line() {
    let world = World::new();
    let ended = demo(&world, "/think", &["--json", "--model", "demo-fast"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines = ended.lines();
    let turn = &lines[0]["turnId"];
    assert_eq!(lines[0]["type"], "session");
    assert!(turn.is_string() && lines[0]["sessionId"].is_string());
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["payload"]["type"]), (&"session:turn".into(), &"turn_complete".into()));
    assert_eq!(&last["payload"]["turnId"], turn);
    let kinds: Vec<&Value> = lines.iter().map(|line| &line["payload"]["type"]).collect();
    assert!(kinds.contains(&&"thinking".into()) && kinds.contains(&&"message".into()), "{kinds:?}");
}

#[test]
fn a_run_leaves_no_agent_behind() {
    let world = World::new();
    for _ in 0..10 {
        assert_eq!(demo(&world, "/words 3", &[]).code, Some(0));
        world.wait_for(|world| world.agents().is_empty().then_some(()));
    }
}

#[test]
fn a_turn_that_fails_ends_with_one_and_its_reason() {
    let world = World::new();
    let ended = demo(&world, "/fail", &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("the turn failed: "), "{ended:?}");
}

#[test]
fn what_cannot_be_run_is_told() {
    let world = World::new();
    let unknown = world.run(&["run", "--agent", "nobody", "hello"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert!(unknown.err.contains("no agent of type nobody"), "{unknown:?}");
    let missing = demo(&world, "hello", &["--project", "nowhere"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.err.contains("cannot find nowhere"), "{missing:?}");
    let none = world.run(&["run", "hello"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.err.contains("`--agent demo` needs none"), "{none:?}");
    assert_eq!(world.run(&["run"]).code, Some(2));
}

#[test]
fn ctrl_c_stops_the_turn_and_the_directory_is_taken_meanwhile() {
    let world = World::new();
    let mut child = Running(world.command(&["run", "--agent", "demo", "--json", "/hang"]).spawn().unwrap());
    let mut out = BufReader::new(child.0.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.contains("turnId"), "{line}");
    let other = demo(&world, "hello", &[]);
    assert_eq!(other.code, Some(75), "{other:?}");
    interrupt(&child.0);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"status\":\"cancelled\""), "{rest}");
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert_eq!(demo(&world, "/help", &[]).code, Some(0));
}

#[test]
fn a_prompt_may_come_from_standard_input() {
    let world = World::new();
    let mut command = world.command(&["run", "--agent", "demo", "-"]);
    let mut child = Running(command.stdin(std::process::Stdio::piped()).spawn().unwrap());
    std::io::Write::write_all(&mut child.0.stdin.take().unwrap(), b"/words 100").unwrap();
    let mut said = String::new();
    child.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("100"), "{said}");
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}
