//! Scenes with tools: a command with live output, reading and searching, many of them at once, and a plan that
//! progresses. No tool is used: each is only shown.

use serde_json::json;

use super::{Occasion, edits};
use crate::demo::scene::{Call, Step, Task};

/// More than any turn has.
const MOST_TOOLS: usize = 1_000;

/// A test run with the colours of a terminal.
const TEST_RUN: &str = include_str!("../texts/test_run.ansi");

const TASKS: [(&str, &str); 4] = [
    ("Read the code that greets", "high"),
    ("Greet people without a name, too", "high"),
    ("Add a test for it", "medium"),
    ("Tidy up", "low"),
];

pub(super) fn run(occasion: &Occasion<'_>) -> Vec<Step> {
    vec![
        Step::say("I pretend to run the tests. This is a demo: no process is started.\n"),
        Step::Use(test_run(occasion)),
        Step::say("One test failed, as the script wants it: the exit code is 101.\n"),
    ]
}

/// A command that prints in colours and fails.
pub(super) fn test_run(occasion: &Occasion<'_>) -> Call {
    let command = "cargo test --test greeting";
    Call::new("run_command", "execute", format!("{command} (demo: only shown)"))
        .input(json!({ "command": command, "cwd": occasion.cwd }))
        .prints(TEST_RUN, 101)
        .beats(8)
}

pub(super) fn research(occasion: &Occasion<'_>) -> Vec<Step> {
    vec![
        Step::say("I pretend to look around. This is a demo: no file is read, and nothing is fetched.\n"),
        Step::UseTogether(vec![read(occasion), search(occasion), fetch()]),
        Step::say("All three ran at the same time, and their results are scripted.\n"),
    ]
}

pub(super) fn read(occasion: &Occasion<'_>) -> Call {
    let path = occasion.path("demo/src/greeting.rs");
    Call::new("read_file", "read", "Read demo/src/greeting.rs (demo: only shown)")
        .input(json!({ "path": path, "offset": 1, "limit": 6 }))
        .at(path, 1)
        .result("1\t//! Greets people.\n2\t\n3\t/// Greets somebody by name.\n4\tpub fn greet(name: &str) -> String {\n")
}

pub(super) fn search(occasion: &Occasion<'_>) -> Call {
    Call::new("search", "search", "Search for `greet(` (demo: only shown)")
        .input(json!({ "pattern": "greet\\(", "path": occasion.cwd }))
        .at(occasion.path("demo/src/greeting.rs"), 4)
        .at(occasion.path("demo/src/main.rs"), 7)
        .result("demo/src/greeting.rs:4: pub fn greet(name: &str)\ndemo/src/main.rs:7: println!(\"{}\", greet(name));\n")
}

fn fetch() -> Call {
    let url = "https://example.org/greetings";
    Call::new("fetch", "fetch", format!("Fetch {url} (demo: only shown)"))
        .input(json!({ "url": url }))
        .result("# Greetings\n\nA page that was never fetched, because this is a demo.\n")
}

pub(super) fn many(occasion: &Occasion<'_>) -> Vec<Step> {
    let count = occasion.number(10, MOST_TOOLS);
    let begin = Step::say(format!("Demo of {count} tools, none of which does anything:\n"));
    let calls = (1..=count).map(|number| Step::Use(one_of_many(number, count, occasion)));
    let end = Step::say(format!("That were {count} tools.\n"));
    [begin].into_iter().chain(calls).chain([end]).collect()
}

fn one_of_many(number: usize, count: usize, occasion: &Occasion<'_>) -> Call {
    let call = match number % 4 {
        1 => read(occasion),
        2 => search(occasion),
        3 => edits::edit(occasion),
        _ => Call::new("run_command", "execute", "true (demo: only shown)")
            .input(json!({ "command": "true" }))
            .prints("nothing was run\n", 0),
    };
    let title = format!("{number} of {count}: {}", call.title);
    Call { title, ..call.beats(3) }
}

pub(super) fn plan(occasion: &Occasion<'_>) -> Vec<Step> {
    let calls = [read(occasion), edits::edit(occasion), test_run(occasion), search(occasion)];
    let begin = [Step::say("A plan of the demo, whose tasks are only played:\n"), tasks(0)];
    let played =
        calls.into_iter().zip(1..).flat_map(|(call, done)| [Step::Use(call), Step::Rest(20), tasks(done)]);
    let end = Step::say("The plan is done. Nothing was.\n");
    begin.into_iter().chain(played).chain([end]).collect()
}

/// The plan when so many of its tasks are done.
fn tasks(done: usize) -> Step {
    let status = |index: usize| match index.cmp(&done) {
        std::cmp::Ordering::Less => "completed",
        std::cmp::Ordering::Equal => "in_progress",
        std::cmp::Ordering::Greater => "pending",
    };
    let task = |(index, (content, priority)): (usize, (&'static str, &'static str))| Task {
        content,
        priority,
        status: status(index),
    };
    Step::Plan(TASKS.into_iter().enumerate().map(task).collect())
}
