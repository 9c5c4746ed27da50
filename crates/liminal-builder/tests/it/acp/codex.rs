//! Sessions of Codex that go well.

use liminal_core::event::Origin;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::rest::PermissionAnswer;

use super::world::AcpWorld;
use crate::chat::{is_text, turn_of};

#[tokio::test]
async fn tc_4_1a_tc_2_1c_a_new_session_is_opened_in_the_agents_process() {
    let mut codex = AcpWorld::codex().await;
    let chat = codex.create().await;
    assert!(chat.handle.session_id().as_str().starts_with("codex:"));
    assert_eq!(chat.handle.phase(), Phase::Idle);
    assert!(!codex.processes().is_empty());
    codex.end().await;
}

#[tokio::test]
async fn tc_4_1c_a_message_is_taken_before_its_turn_ends() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let turn = chat.send("words:2000 slow:20ms").await.unwrap();
    assert_eq!(chat.handle.phase(), Phase::Running);
    assert_eq!(chat.send("say:again").await.unwrap_err().info().code, "TURN_IN_PROGRESS");
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    assert_eq!(chat.ends(), ["cancelled"]);
    assert!(chat.log.iter().all(|output| *turn_of(output) == turn));
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn tc_4_2a_two_prompts_stream_their_answers() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    chat.turn("say:the first answer").await;
    chat.turn("say:the second answer").await;
    assert_eq!(
        chat.said(),
        ["say:the first answer", "the first answer", "say:the second answer", "the second answer"]
    );
    assert_eq!(chat.messages().first().unwrap().origin, Origin::User);
    assert_eq!(chat.ends(), ["completed", "completed"]);
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn thoughts_are_shown() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    chat.turn("think:let me see\nsay:done").await;
    assert!(chat.thoughts().iter().any(|thought| thought.contains("let me see")), "{:?}", chat.thoughts());
    assert!(chat.said().contains(&"done"));
    chat.assert_sound();
    codex.end().await;
}

/// A command that says each thing when it may, and one that keeps the turn from ending. What a command says before the
/// agent has told of it may be lost.
const WAITING: &str = r#"tool:exec_command {"cmd":"for part in one two three; do until [ -e $part ]; do sleep 0.02; done; echo part $part; done; until [ -e end ]; do sleep 0.02; done; exit 3","yield_time_ms":30000}
then:once more tool:exec_command {"cmd":"until [ -e seen ]; do sleep 0.02; done","yield_time_ms":30000}"#;

/// The output of the last state of a call, with that state's status.
fn call_output(output: &Output) -> Option<(UpsertStatus, &str)> {
    match output {
        Output::Upsert(Upsert { status, body: UpsertBody::ToolCall(call), .. }) => {
            Some((*status, call.tool_output.as_deref().unwrap_or_default()))
        }
        Output::Upsert(_) | Output::Turn(_) => None,
    }
}

fn is_completed(output: &Output) -> bool {
    call_output(output).is_some_and(|(status, _)| status == UpsertStatus::Complete)
}

/// Each part is seen before the command may say the next one, and its end before the turn's.
async fn shows_output_while_it_comes(mut codex: AcpWorld) {
    let mut chat = codex.create().await;
    let turn = chat.send(WAITING).await.unwrap();
    let release = |name: &str| std::fs::write(codex.project.join(name), "").unwrap();
    chat.until(|output| call_output(output).is_some()).await;
    let mut said = String::new();
    for part in ["one", "two", "three"] {
        release(part);
        let has_part = |output: &Output| call_output(output).is_some_and(|(_, said)| said.contains(part));
        let grown = chat.until(has_part).await;
        said += &format!("part {part}\n");
        assert_eq!(call_output(&grown), Some((UpsertStatus::Update, said.as_str())));
    }
    release("end");
    chat.until(is_completed).await;
    release("seen");
    chat.end_of(&turn).await;
    let calls = chat.calls();
    let (_, call) = calls.first().unwrap();
    assert_eq!(call.tool_output.as_deref(), Some(said.as_str()));
    assert_eq!(call.details.exit_code, Some(3));
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn tc_4_2b_tc_4_2c_a_command_shows_its_output_while_it_runs() {
    shows_output_while_it_comes(AcpWorld::codex().await).await;
}

/// It tells a command's end to the model first and to us some time later; of a turn that was over by then it was not heard.
#[tokio::test]
async fn the_other_adapters_command_shows_its_output_while_it_runs() {
    shows_output_while_it_comes(AcpWorld::zed().await).await;
}

#[tokio::test]
async fn an_edit_shows_its_diff() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    chat.turn(
        r#"tool:apply_patch {"input":"*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n"}"#,
    )
    .await;
    assert_eq!(std::fs::read_to_string(codex.project.join("a.txt")).unwrap(), "hello\n");
    let calls = chat.calls();
    let diff = calls.iter().find_map(|(_, call)| call.details.diffs.first()).unwrap();
    assert!(diff.path.ends_with("a.txt"));
    assert_eq!(diff.new_text, "hello\n");
    chat.assert_sound();
    codex.end().await;
}

const ASKING: &str = r#"tool:exec_command {"cmd":"touch PROJECT/made","sandbox_permissions":"require_escalated","justification":"why"}"#;

#[tokio::test]
async fn a_command_that_needs_permission_runs_when_it_is_allowed() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let turn = chat.send(&ASKING.replace("PROJECT", &codex.project.display().to_string())).await.unwrap();
    let (item, asked) = chat.permission().await;
    assert!(!codex.project.join("made").exists());
    let allow = asked.request.options.iter().find(|option| option.kind.as_str() == "allow_once").unwrap();
    chat.answer(item, &allow.option_id).await;
    chat.end_of(&turn).await;
    assert!(codex.project.join("made").exists());
    assert_eq!(chat.ends(), ["completed"]);
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn a_command_that_is_rejected_does_not_run() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let turn = chat.send(&ASKING.replace("PROJECT", &codex.project.display().to_string())).await.unwrap();
    let (item, asked) = chat.permission().await;
    let reject = asked.request.options.iter().find(|option| option.kind.as_str() == "reject_once").unwrap();
    chat.answer(item, &reject.option_id).await;
    chat.end_of(&turn).await;
    assert!(!codex.project.join("made").exists());
    chat.turn("say:still here").await;
    assert!(chat.said().contains(&"still here"));
    chat.assert_sound();
    codex.end().await;
}

const QUESTION: &str = r#"tool:request_user_input {"questions":[{"id":"q1","header":"Color","question":"Which color?","options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}"#;

#[tokio::test]
async fn a_question_of_the_model_is_answered_by_its_user() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let turn = chat.send(QUESTION).await.unwrap();
    let (item, asked) = chat.permission().await;
    let question = asked.request.questions.first().unwrap();
    assert_eq!((question.question.as_str(), question.header.as_deref()), ("Which color?", Some("Color")));
    let answers = [("Which color?".to_owned(), "Blue".to_owned())].into();
    chat.handle.answer(item, PermissionAnswer { option_id: None, answers, reason: None }).await.unwrap();
    chat.end_of(&turn).await;
    assert!(
        chat.said().iter().any(|text| text.contains(r#"{"q1":{"answers":["Blue"]}}"#)),
        "{:?}",
        chat.said()
    );
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn a_cancelled_turn_ends_and_the_next_one_works() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let turn = chat.send("words:2000 slow:20ms").await.unwrap();
    chat.until(|output| is_text(output, " ") && !is_text(output, "slow:")).await;
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    chat.turn("say:still here").await;
    assert_eq!(chat.ends(), ["cancelled", "completed"]);
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn two_sessions_run_side_by_side_in_one_process() {
    let mut codex = AcpWorld::codex().await;
    let (mut one, mut two) = (codex.create().await, codex.create().await);
    let adapters = codex.processes().iter().filter(|process| process.contains("codex-acp/dist")).count();
    assert_eq!(adapters, 1, "{:?}", codex.processes());
    let slow = one.send("words:200 slow:5ms").await.unwrap();
    two.turn("say:meanwhile").await;
    one.end_of(&slow).await;
    assert!(two.said().contains(&"meanwhile") && !one.said().contains(&"meanwhile"));
    assert_eq!((one.ends(), two.ends()), (vec!["completed".to_owned()], vec!["completed".to_owned()]));
    one.assert_sound();
    two.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn tc_4_1b_a_session_is_loaded_in_a_new_process_with_its_history() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    chat.turn("say:remember the fox").await;
    chat.turn(r#"tool:exec_command {"cmd":"echo out"}"#).await;
    let session = chat.handle.session_id().clone();
    chat.kill().await;
    codex.restart();
    let mut again = codex.open(Some(session.clone())).await.unwrap();
    assert_eq!(*again.handle.session_id(), session);
    again.turn("say:and on").await;
    let said = again.said();
    assert_eq!(said.iter().filter(|text| text.contains("say:remember the fox")).count(), 1, "{said:?}");
    assert!(said.contains(&"remember the fox") && said.contains(&"and on"), "{said:?}");
    assert!(again.calls().iter().any(|(_, call)| call.tool_output.as_deref().unwrap_or("").contains("out")));
    again.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn the_agent_lists_the_sessions_that_it_remembers() {
    let mut codex = AcpWorld::codex().await;
    let mut ids = Vec::new();
    for number in 0..27 {
        let mut chat = codex.create().await;
        chat.turn(&format!("say:number {number}")).await;
        ids.push(chat.handle.session_id().to_string());
    }
    let listed = codex.agent().list(&codex.project).await.unwrap().unwrap();
    let mut found: Vec<String> =
        listed.iter().map(|session| format!("codex:{}", session.session_id)).collect();
    found.sort();
    ids.sort();
    assert_eq!(found, ids, "more than one page");
    assert!(listed.iter().all(|session| session.title.is_some()));
    codex.end().await;
}
