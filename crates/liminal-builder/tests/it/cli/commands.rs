//! The other commands, with and without a server.

use std::io::{BufRead, BufReader};

use serde_json::Value;

use super::world::{World, interrupt, read};
use crate::support::Running;

#[test]
fn without_a_server_commands_say_how_to_start_one() {
    let world = World::new();
    for arguments in [
        &["ls"][..],
        &["send", "demo:x", "hello"],
        &["attach", "demo:x"],
        &["approve"],
        &["export", "demo:x"],
        &["search", "word"],
        &["url"],
    ] {
        let ended = world.run(arguments);
        assert_eq!(ended.code, Some(69), "{arguments:?} {ended:?}");
        assert!(ended.err.contains("start one with `liminal serve`"), "{ended:?}");
        assert_eq!(ended.out, "");
    }
}

#[test]
fn a_session_that_is_not_there_is_told() {
    let world = World::served();
    for arguments in [
        &["send", "demo:x", "hello"][..],
        &["attach", "demo:x"],
        &["export", "demo:x"],
        &["send", "x/../y", "a"],
    ] {
        let ended = world.run(arguments);
        assert_eq!(ended.code, Some(1), "{arguments:?} {ended:?}");
        assert!(ended.err.starts_with("liminal: ") && ended.err.contains("session"), "{ended:?}");
    }
}

#[test]
fn sessions_are_listed_searched_and_exported() {
    let world = World::served();
    let session = world.session("/words 100");
    let listed = world.run(&["ls", "--json", "--project", "."]).json();
    assert_eq!(listed[0]["sessionId"], session.as_str());
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let table = world.run(&["ls"]).out;
    assert!(table.contains(&session) && table.contains("/words 100"), "{table}");
    let elsewhere = world.run(&["ls", "--project", "/"]);
    assert_eq!(elsewhere.code, Some(1), "{elsewhere:?}");

    let found = world.run(&["search", "--json", "words"]).json();
    assert_eq!(found[0]["sessionId"], session.as_str());
    assert!(world.run(&["search", "words"]).out.starts_with(&session));
    assert_eq!(world.run(&["search", "unspeakable"]).code, Some(1));

    let file = world.project().join("talk.md");
    let path = file.to_str().unwrap();
    assert_eq!(world.run(&["export", &session, "--output", path]).code, Some(0));
    assert_eq!(world.run(&["export", &session]).out, read(&file));
    assert!(read(&file).contains("/words 100"));
    let document = world.run(&["export", &session, "--format", "json"]).json();
    assert!(document.is_object());
    assert!(world.run(&["export", &session, "--format", "jsonl"]).lines().len() > 2);
    assert_eq!(world.run(&["export", &session, "--format", "pdf"]).code, Some(2));
}

#[test]
fn a_search_says_how_much_is_not_indexed_yet() {
    let world = World::served();
    world.session("/words 100");
    while world.run(&["search", "words"]).err.contains("not indexed") {}
    let file = rusqlite::Connection::open(world.data().join("liminal.db")).unwrap();
    let note = |count: u8| {
        let places = format!("SELECT place FROM entry WHERE key LIKE 'item:%' LIMIT {count}");
        file.execute(&format!("INSERT OR IGNORE INTO unindexed {places}"), []).unwrap();
        world.run(&["search", "words"]).err
    };
    assert_eq!(note(1), "1 item is not indexed yet; search again in a moment\n");
    assert_eq!(note(2), "2 items are not indexed yet; search again in a moment\n");
}

#[test]
fn a_question_is_listed_and_answered_once() {
    let world = World::served();
    let session = world.session("/help");
    assert_eq!(world.run(&["approve"]).out, "");
    let sent = world.run(&["send", &session, "/permission", "--json"]).json();
    assert!(sent["turnId"].is_string(), "{sent}");
    let waiting = world.wait_for(|world| {
        let waiting = world.run(&["approve", "--json"]).json();
        (waiting.as_array().unwrap().len() == 1).then(|| waiting[0].clone())
    });
    let id = waiting["id"].as_str().unwrap();
    let listed = world.run(&["approve"]).out;
    assert!(
        listed.contains(&id[..12])
            && ["allow-once", "allow-always", "reject-once"].iter().all(|option| listed.contains(option)),
        "{listed}"
    );
    let refused = world.run(&["send", &session, "meanwhile"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let queued = world.run(&["send", "--queue", &session, "/help"]);
    assert!(queued.out.starts_with("queued as "), "{queued:?}");
    let wrong = world.run(&["approve", id, "perhaps"]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.err.contains("expected one of allow-once"), "{wrong:?}");
    let answered = world.run(&["approve", &id[..8], "allow-once"]);
    assert_eq!((answered.code, answered.out.as_str()), (Some(0), "answered\n"), "{answered:?}");
    assert_eq!(world.run(&["approve", id, "reject-once"]).code, Some(1));
    assert_eq!(world.run(&["approve", id]).code, Some(1), "a request that is settled cannot be shown");
}

#[test]
fn a_request_is_printed_with_everything_that_will_run() {
    let world = World::with_fake();
    let session = world.session_of("claude-code", "!say 1");
    let command = "!perm echo list  \u{202e}the files";
    assert_eq!(world.run(&["send", &session, command]).code, Some(0));
    let listed = world.wait_for(|world| {
        let listed = world.run(&["approve"]).out;
        (!listed.is_empty()).then_some(listed)
    });
    assert!(
        listed.contains("Permission needed: Bash\n  command: echo list  ‹U+202E›the files\n"),
        "{listed}"
    );
    assert!(listed.contains("answer deny: Reject\n"), "{listed}");
    let id = listed.split_whitespace().next().unwrap();
    assert_eq!(world.run(&["approve", id]).out, listed, "one request is shown like all");
    let refused = world.run(&["approve", id, "allow_once", "--reason", "why not"]);
    assert_eq!(refused.code, Some(1), "a reason goes with a rejection only: {refused:?}");
    let rejected = world.run(&["approve", id, "deny", "--reason", "use staging"]);
    assert_eq!(rejected.code, Some(0), "{rejected:?}");
    let (_, history) = world.ask("GET", &format!("/api/session/{session}/history"), "");
    assert!(history.contains(r#""reason":"use staging""#), "{history}");
}

#[test]
fn whoever_attaches_sees_what_was_and_what_comes() {
    let world = World::served();
    let session = world.session("/words 100");
    let mut child = Running(world.command(&["attach", &session, "--json"]).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let history = next();
    assert_eq!(history["type"], "session:history");
    assert!(history["entries"].as_array().unwrap().len() >= 2, "{history}");
    let turn = world.run(&["send", &session, "/help", "--json"]).json()["turnId"].clone();
    let is_end =
        |frame: &Value| frame["payload"]["type"] == "turn_complete" && frame["payload"]["turnId"] == turn;
    while !is_end(&next()) {}
    interrupt(&child.0);
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}
