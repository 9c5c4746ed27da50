//! An agent that nobody knows, set by its user: all of its settings hold, and it works like any other.

use liminal_core::event::PermissionOptionKind;
use liminal_core::ids::SessionId;
use liminal_core::upsert::{ToolCallBody, UpsertBody, UpsertStatus};
use serde_json::{Value, json};

use super::client::Client;
use super::machine::Machine;
use super::screen::texts;

async fn calls(server: &Client, id: &SessionId) -> Vec<(UpsertStatus, ToolCallBody)> {
    let entries = server.history(id).await.entries;
    let call = |upsert: liminal_core::upsert::Upsert| match upsert.body {
        UpsertBody::ToolCall(call) => Some((upsert.status, call)),
        _ => None,
    };
    entries.into_iter().filter_map(call).collect()
}

#[tokio::test]
async fn an_agent_that_is_set_is_shown_and_works() {
    let machine = Machine::with_own(&[]);
    let server = machine.start().await;
    let agents: Vec<Value> = server.get("/api/agents").await.read(200);
    let mine = agents.iter().find(|agent| agent["name"] == "mine").unwrap();
    assert_eq!(mine["launch"]["program"], env!("CARGO_BIN_EXE_fake-agent"));
    assert_eq!((&mine["launch"]["args"], &mine["problem"]), (&json!(["--own", "words"]), &Value::Null));

    let id = server.create("mine").await;
    assert!(id.as_str().starts_with("mine:"));
    server.turn(&id, "!think 1 !say 2").await;
    assert_eq!(texts(&server.history(&id).await.entries).last().unwrap(), &"piece 2 piece 3 ");
    server.turn(&id, "!tool run {\"command\":\"a\"}").await;
    let (status, call) = calls(&server, &id).await.remove(0);
    assert_eq!((status, call.tool_output.as_deref()), (UpsertStatus::Complete, Some("result of call-4\n")));
    assert_eq!(call.details.exit_code, Some(0));
    server.turn(&id, "!tool run {\"exit\":7}").await;
    assert_eq!(calls(&server, &id).await.remove(1).1.details.exit_code, Some(7));
    server.stop().await;
}

#[tokio::test]
async fn an_option_of_an_unknown_kind_is_shown_as_it_is_and_allows_nothing_by_itself() {
    let machine = Machine::with_own(&[]);
    let server = machine.start().await;
    let id = server.create("mine").await;
    let turn = server.send(&id, "!perm rm -rf").await;
    let asked = server.question(&id).await;
    let UpsertBody::Permission(permission) = &asked.item.body else { panic!("{asked:?}") };
    let kinds = permission.request.options.iter().map(|option| (option.option_id.as_str(), option.kind));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            ("yes", PermissionOptionKind::AllowOnce),
            ("maybe", PermissionOptionKind::Other),
            ("no", PermissionOptionKind::RejectOnce),
        ]
    );
    // Whoever does want it may choose it.
    assert_eq!(server.answer(&asked, "maybe").await.status, 200);
    server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
    let (_, call) = calls(&server, &id).await.remove(0);
    assert_eq!(call.tool_output.as_deref(), Some("maybe: rm -rf"));
    server.stop().await;
}

#[tokio::test]
async fn every_setting_of_an_agent_holds() {
    for policy in ["project", "home"] {
        let mut machine = Machine::with_own(&[("OWN_NAME", "own value"), ("PATH", "/own/path")]);
        machine.settings += &format!("cwd-policy = \"{policy}\"\nidle-seconds = 1\n");
        let server = machine.start().await;
        let id = server.create("mine").await;
        let start = machine.noted().remove(0);
        assert_eq!(start["started"].as_array().unwrap()[1..], ["--own", "words"]);
        let directory = match policy {
            "home" => machine.home.path().canonicalize().unwrap(),
            _ => machine.project.clone(),
        };
        assert_eq!(start["directory"], json!(directory));
        assert_eq!(
            (&start["set"]["OWN_NAME"], &start["set"]["PATH"]),
            (&json!("own value"), &json!("/own/path"))
        );
        server.act(&id, "kill").await;
        let pid = u32::try_from(start["pid"].as_u64().unwrap()).unwrap();
        super::client::eventually(|| !super::machine::is_running(pid)).await;
        server.stop().await;
    }
}

#[tokio::test]
async fn a_wanted_login_is_told_with_its_ways_and_what_to_do() {
    let machine = Machine::with_own(&[("FAKE_AGENT_LOGIN", "1")]);
    let server = machine.start().await;
    let refused = server.create_with("mine", json!({})).await;
    let told: Value = refused.read(refused.status);
    assert!(refused.status >= 400, "{told}");
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("API key (Put it into the environment), Browser"), "{detail}");
    assert!(detail.contains("log in with its own program"), "{detail}");
    assert!(server.list().await.is_empty());
    server.stop().await;
}
