//! Agents that end when they should not, or do not when they should.

use std::time::Duration;

use liminal_core::session::Phase;
use liminal_core::upsert::{Output, TurnEvent, UpsertBody, UpsertStatus};

use crate::chat::Chat;
use crate::world::{World, wait_until};

/// `s1 s2 … `: what so many pieces of the agent's text are.
pub(super) fn pieces(count: u64) -> String {
    (1..=count).map(|serial| format!("s{serial} ")).collect()
}

/// Why the only turn that failed did.
fn failure(chat: &Chat) -> &str {
    let mut messages = chat.log.iter().filter_map(|output| match output {
        Output::Turn(TurnEvent::TurnError { error_message, .. }) => Some(error_message.as_str()),
        _ => None,
    });
    messages.next_back().unwrap()
}

async fn crashed(prompt: &str) -> Chat {
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.send(prompt).await.unwrap();
    chat.end().await;
    assert_eq!(chat.handle.phase(), Phase::Closed);
    assert_eq!(chat.send("!say 1").await.unwrap_err().info().code, "PROCESS_CRASH", "{prompt}");
    world.assert_no_process_is_left();
    chat.assert_sound();
    chat
}

#[tokio::test]
async fn c01_an_agent_that_crashes_in_its_turn_fails_it_once_and_loses_nothing() {
    for (how, told) in [
        ("!exit 1", "exit code 1"),
        ("!exit 137", "exit code 137"),
        ("!signal 6", "signal 6"),
        ("!signal 9", "signal 9"),
        ("!signal 11", "signal 11"),
        ("!signal 15", "signal 15"),
    ] {
        let chat = crashed(&format!("!say 2 !open 500 {how}")).await;
        assert_eq!(chat.ends(), ["PROCESS_CRASH"], "{how}");
        assert!(failure(&chat).contains(told), "{how}: {}", failure(&chat));
        let shown = chat.shown();
        let [
            (UpsertStatus::Complete, None, UpsertBody::Message(first)),
            (status, code, UpsertBody::Message(open)),
        ] = shown.as_slice()
        else {
            panic!("{shown:?}");
        };
        assert_eq!((*status, *code), (UpsertStatus::Error, Some("PROCESS_CRASH")), "{how}");
        assert_eq!(format!("{}{}", first.content, open.content), pieces(502), "{how}");
    }
}

#[tokio::test]
async fn c01_a_call_that_waits_for_its_result_fails_with_the_turn() {
    let chat = crashed(r#"!call Bash {"command":"make"} !stderr 200 !exit 3"#).await;
    assert_eq!(chat.ends(), ["PROCESS_CRASH"]);
    assert!(failure(&chat).contains("complaint at byte 0"), "its last words are told: {}", failure(&chat));
    let shown = chat.shown();
    let [(UpsertStatus::Error, Some("PROCESS_CRASH"), UpsertBody::ToolCall(call))] = shown.as_slice() else {
        panic!("{shown:?}");
    };
    assert_eq!(call.tool_arguments.get("command").unwrap(), "make");
}

#[tokio::test]
async fn c01_last_words_without_end_are_cut() {
    let chat = crashed("!stderr 10M !exit 1").await;
    assert!(failure(&chat).len() < 70_000, "{}", failure(&chat).len());
    assert!(failure(&chat).contains("complaint at byte 104857"), "the end of them is kept");
}

#[tokio::test]
async fn c01_an_agent_that_crashes_before_it_speaks_takes_no_prompt() {
    let mut world = World::fake();
    world.set("FAKE_AGENT_START", "!stderr 20 !exit 3");
    let mut chat = world.create().await;
    let error = chat.send("!say 1").await.unwrap_err();
    assert_eq!(error.info().code, "PROCESS_CRASH");
    chat.end().await;
    assert!(chat.ends().iter().all(|end| end == "PROCESS_CRASH"), "{:?}", chat.ends());
    assert!(chat.ends().len() <= 1);
    world.assert_no_process_is_left();
}

#[tokio::test]
async fn c02_an_agent_that_ends_well_without_a_result_fails_the_turn() {
    for prompt in ["!open 5 !exit 0", "!say 5 !exit 0", "!call Bash {} !exit 0"] {
        let chat = crashed(prompt).await;
        assert_eq!(chat.ends(), ["PROCESS_EXIT_NO_RESULT"], "{prompt}");
    }
}

#[tokio::test]
async fn c05_a_turn_ends_at_its_result_and_the_agent_stays() {
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.turn("!say 1 !linger !ignore-term").await;
    chat.handle.reach(Phase::Idle).await;
    chat.turn("!say 1").await;
    assert_eq!(chat.ends(), ["completed", "completed"]);
    chat.kill().await;
    world.assert_no_process_is_left();
    chat.assert_sound();
}

#[tokio::test]
async fn c14_an_agent_that_closes_its_input_is_given_up() {
    let mut world = World::fake();
    world.settings.patience.prompt_timeout = Duration::from_secs(3600);
    let mut chat = world.create().await;
    chat.turn("!close-stdin !linger").await;
    assert_eq!(chat.send(&large()).await.unwrap_err().info().code, "PROCESS_CRASH");
    chat.end().await;
    assert_eq!(chat.ends(), ["completed", "PROCESS_CRASH"]);
    world.assert_no_process_is_left();
    chat.assert_sound();
}

#[tokio::test]
async fn c14_an_agent_that_closes_its_input_and_ends_is_told_as_it_ended() {
    let mut world = World::fake();
    world.settings.patience.prompt_timeout = Duration::from_secs(3600);
    let mut chat = world.create().await;
    chat.turn("!close-stdin").await;
    // It may be gone before the prompt is sent, and is then told as gone without a turn.
    let code = chat.send(&large()).await.unwrap_err().info().code;
    chat.end().await;
    match code.as_str() {
        "PROCESS_EXIT_NO_RESULT" => assert_eq!(chat.ends(), ["completed", "PROCESS_EXIT_NO_RESULT"]),
        "PROCESS_CRASH" => assert_eq!(chat.ends(), ["completed"]),
        other => panic!("{other}"),
    }
    world.assert_no_process_is_left();
    chat.assert_sound();
}

/// More than a pipe holds.
fn large() -> String {
    "x".repeat(2 * 1024 * 1024)
}

#[tokio::test]
async fn c18_nothing_outlives_an_agent_that_is_killed() {
    for descent in ["plain", "setsid", "double"] {
        let mut world = World::fake();
        let mut chat = world.create().await;
        chat.turn(&format!("!spawn {descent} !say 1")).await;
        wait_until(|| world.processes().iter().any(|process| process.contains("sleep"))).await;
        chat.kill().await;
        world.assert_no_process_is_left();
        assert_eq!(chat.ends(), ["completed"]);
    }
}

#[tokio::test]
async fn c18_nothing_outlives_an_agent_that_crashes_and_its_last_bytes_are_read() {
    for descent in ["plain", "setsid", "double"] {
        let chat = crashed(&format!("!spawn {descent} !open 100 !exit 1")).await;
        assert_eq!(chat.ends(), ["PROCESS_CRASH"], "{descent}");
        let shown = chat.shown();
        let [(_, _, UpsertBody::Message(message))] = shown.as_slice() else { panic!("{shown:?}") };
        assert_eq!(message.content, pieces(100));
    }
}

#[test]
fn c21_an_agent_outlives_the_thread_that_started_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_keep_alive(Duration::from_millis(1))
        .enable_all()
        .build()
        .unwrap();
    let handle = runtime.handle().clone();
    let (world, mut chat) = std::thread::spawn(move || {
        handle.block_on(async {
            let mut world = World::fake();
            let chat = world.create().await;
            (world, chat)
        })
    })
    .join()
    .unwrap();
    runtime.block_on(async {
        chat.turn("!say 1").await;
        for _ in 0..1000 {
            tokio::task::spawn_blocking(std::thread::yield_now).await.unwrap();
        }
        chat.turn("!say 1").await;
        assert_eq!(chat.ends(), ["completed", "completed"]);
        chat.kill().await;
        world.assert_no_process_is_left();
    });
}
