//! Tools, permissions and sub-agents.

use liminal_core::event::ToolKind;
use liminal_core::upsert::{UpsertBody, UpsertStatus};

use crate::pin::Pin;
use crate::world::{World, both_pins};

both_pins!(
    tc_3_3b_tc_3_3c_a_call_shows_its_arguments_and_its_result,
    a_tool_that_needs_permission_runs_when_it_is_allowed,
    a_tool_that_is_denied_does_not_run_and_the_turn_goes_on,
    tc_3_3e_parallel_tools_are_told_apart,
    the_items_of_a_sub_agent_name_the_call_that_started_it
);

const WRITE: &str = r#"tool:Write {"file_path":"PROJECT/note.txt","content":"hello\n"}"#;

async fn tc_3_3b_tc_3_3c_a_call_shows_its_arguments_and_its_result(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.turn(r#"tool:Bash {"command":"echo from the tool","description":"say it"}"#).await;
    let calls = chat.calls();
    let (upsert, call) = calls.first().unwrap();
    assert_eq!(call.tool_name, "Bash");
    assert_eq!(call.tool_arguments.get("command").unwrap(), "echo from the tool");
    assert_eq!(call.tool_output.as_deref().map(str::trim), Some("from the tool"));
    assert_eq!(call.tool_output_is_error, Some(false));
    assert_eq!(call.details.kind, Some(ToolKind::Execute));
    let states: Vec<_> = chat.upserts().filter(|state| state.item_id == upsert.item_id).collect();
    let statuses: Vec<_> = states.iter().map(|state| state.status).collect();
    assert_eq!(statuses, [UpsertStatus::Create, UpsertStatus::Update, UpsertStatus::Complete]);
    for state in states {
        let UpsertBody::ToolCall(shown) = &state.body else { panic!("{state:?}") };
        assert_eq!((&shown.tool_name, &shown.call_id), (&call.tool_name, &call.call_id));
        let arguments = (state.status != UpsertStatus::Create).then_some(&call.tool_arguments);
        assert!(arguments.is_none_or(|arguments| shown.tool_arguments == *arguments), "{shown:?}");
    }
    chat.assert_sound();
}

async fn a_tool_that_needs_permission_runs_when_it_is_allowed(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    let prompt = WRITE.replace("PROJECT", &world.project.display().to_string());
    let turn = chat.send(&prompt).await.unwrap();
    let (item, asked) = chat.permission().await;
    assert!(asked.request.options.iter().any(|option| option.option_id == "allow_once"), "{asked:?}");
    assert!(!world.project.join("note.txt").exists());
    chat.answer(item.clone(), "allow_once").await;
    chat.end_of(&turn).await;
    assert_eq!(std::fs::read_to_string(world.project.join("note.txt")).unwrap(), "hello\n");
    assert_eq!(chat.statuses(&item), [UpsertStatus::Create, UpsertStatus::Complete]);
    let calls = chat.calls();
    let (_, call) = calls.first().unwrap();
    assert_eq!(call.details.diffs.first().unwrap().new_text, "hello\n");
    chat.assert_sound();
}

async fn a_tool_that_is_denied_does_not_run_and_the_turn_goes_on(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    let prompt = WRITE.replace("PROJECT", &world.project.display().to_string()) + "\nthen:went on";
    let turn = chat.send(&prompt).await.unwrap();
    let (item, _) = chat.permission().await;
    chat.answer(item, "deny").await;
    chat.end_of(&turn).await;
    assert!(!world.project.join("note.txt").exists());
    assert!(chat.said().contains(&"went on"), "{:?}", chat.said());
    assert_eq!(chat.calls().first().unwrap().1.tool_output_is_error, Some(true));
    chat.assert_sound();
}

async fn tc_3_3e_parallel_tools_are_told_apart(pin: Pin) {
    let mut world = World::new(pin).await;
    for name in ["a", "b"] {
        std::fs::write(world.project.join(name), format!("in {name}\n")).unwrap();
    }
    let mut chat = world.create().await;
    let read = |name: &str| format!(r#"tool:Read {{"file_path":"{}/{name}"}}"#, world.project.display());
    let prompt = format!("say:reading both\n{}\n{}", read("a"), read("b"));
    chat.turn(&prompt).await;
    let calls = chat.calls();
    assert_eq!(calls.len(), 2);
    for (_, call) in calls {
        let path = call.tool_arguments.get("file_path").unwrap().as_str().unwrap();
        let name = path.rsplit('/').next().unwrap();
        assert!(call.tool_output.as_deref().unwrap().contains(&format!("in {name}")));
    }
    assert!(chat.said().contains(&"reading both"));
    chat.assert_sound();
}

async fn the_items_of_a_sub_agent_name_the_call_that_started_it(pin: Pin) {
    let mut world = World::new(pin).await;
    std::fs::write(world.project.join("a"), "in a\n").unwrap();
    let mut chat = world.create().await;
    let inner = format!(r#"tool:Read {{\"file_path\":\"{}/a\"}}"#, world.project.display());
    let prompt = format!(
        r#"tool:Agent {{"description":"look","prompt":"{inner}","subagent_type":"general-purpose","run_in_background":false}}"#
    );
    chat.turn(&prompt).await;
    let calls = chat.calls();
    let (_, outer) = calls.iter().find(|(_, call)| call.tool_name == "Agent").unwrap();
    let (nested, _) = calls.iter().find(|(_, call)| call.tool_name == "Read").unwrap();
    assert_eq!(nested.parent_call_id.as_ref(), Some(&outer.call_id));
    chat.assert_sound();
}
