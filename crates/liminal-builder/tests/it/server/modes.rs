//! Modes and options of all agents that let them act without asking: refused without `--allow-bypass` and without a
//! confirmation, and shown while they are in force.

use std::path::Path;

use liminal_core::ids::SessionId;
use liminal_core::wire::guard::Guard;
use liminal_core::wire::rest::{SessionOpened, SessionStatus};
use serde_json::{Value, json};

use super::client::{Client, eventually};
use super::machine::Machine;

/// An agent as it is configured, and a choice of it that does not ask.
struct Case {
    cli_type: &'static str,
    own_name: &'static str,
    modes: &'static str,
    options: &'static str,
    /// A mode, or an option and its value.
    choice: Choice,
}

#[derive(Clone, Copy)]
enum Choice {
    Mode(&'static str),
    Option(&'static str, &'static str),
}

const ALLOW_ALL: &str = r#"[{"id":"allow_all","name":"Allow all","category":"permissions","type":"select",
    "currentValue":"off","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}]"#;
const COPILOT_MODES: &str = "https://agentclientprotocol.com/protocol/session-modes#agent \
    https://agentclientprotocol.com/protocol/session-modes#autopilot";

const fn case(cli_type: &'static str, modes: &'static str, mode: &'static str) -> Case {
    Case { cli_type, own_name: "fake-agent", modes, options: "", choice: Choice::Mode(mode) }
}

const CASES: [Case; 10] = [
    case("gemini", "default autoEdit plan yolo", "yolo"),
    case("qwen", "default plan auto-edit auto yolo", "yolo"),
    case("kimi", "default plan auto yolo", "auto"),
    case("codex-acp", "auto read-only full-access", "full-access"),
    case("claude-agent-acp", "default acceptEdits plan auto", "auto"),
    case("copilot", COPILOT_MODES, "https://agentclientprotocol.com/protocol/session-modes#autopilot"),
    Case {
        cli_type: "copilot-cli",
        own_name: "Copilot",
        modes: COPILOT_MODES,
        options: ALLOW_ALL,
        choice: Choice::Option("allow_all", "on"),
    },
    // Recognised by what it calls itself, and by the name of its mode.
    Case { own_name: "qwen-code", ..case("my-qwen", "default auto yolo", "auto") },
    case("fork-of-gemini", "default yolo", "yolo"),
    Case { choice: Choice::Option("allow_all", "on"), options: ALLOW_ALL, ..case("mine", "code", "") },
];

fn machine() -> Machine {
    let mut machine = Machine::new();
    for Case { cli_type, own_name, modes, options, .. } in &CASES {
        add(&mut machine, cli_type, &[("NAME", own_name), ("MODES", modes), ("OPTIONS", options)]);
    }
    machine
}

fn add(machine: &mut Machine, cli_type: &str, set: &[(&str, &str)]) {
    let log = machine.home.path().join("heard.ndjson").display().to_string();
    let names: Vec<(String, String)> =
        set.iter().map(|(name, value)| (format!("FAKE_AGENT_{name}"), (*value).to_owned())).collect();
    let set = names.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let own = [("FAKE_AGENT_SPEAKS", "acp".to_owned()), ("FAKE_AGENT_LOG", log)];
    let variables: Vec<(&str, String)> = own.into_iter().chain(set).collect();
    machine.agent(cli_type, Path::new(env!("CARGO_BIN_EXE_fake-agent")), &[], &variables);
}

fn with(cli_type: &str, set: &[(&str, &str)]) -> Machine {
    let mut machine = Machine::new();
    add(&mut machine, cli_type, set);
    machine
}

impl Choice {
    fn wish(self, is_confirmed: bool) -> Value {
        match self {
            Self::Mode(mode) => json!({ "permissionMode": mode, "confirmUnguarded": is_confirmed }),
            Self::Option(id, value) => json!({ "options": { id: value }, "confirmUnguarded": is_confirmed }),
        }
    }
}

fn configure(id: &SessionId) -> String {
    format!("/api/session/{id}/configure")
}

async fn choose(server: &Client, id: &SessionId, mode: &str) -> SessionStatus {
    server.post(&configure(id), json!({ "permissionMode": mode })).await.read(200)
}

fn shown(status: &SessionStatus) -> (Option<&str>, Guard, bool) {
    let view = &status.view;
    (view.agent.permission_mode.as_deref(), view.guard, view.is_unguarded)
}

/// What the agent did by itself, as the audit log has it: the target and the outcome.
fn escapes(machine: &Machine) -> Vec<(String, String)> {
    let log = std::fs::read_to_string(machine.data().join("audit.log")).unwrap_or_default();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let own = lines.filter(|line| line["actor"] == "agent" && line["action"] == "bypass");
    own.map(|line| (text(&line, "target"), text(&line, "outcome"))).collect()
}

#[tokio::test]
async fn unguarded_choices_of_every_agent_are_refused_without_the_flag() {
    let machine = machine();
    let server = machine.start().await;
    for Case { cli_type, choice, .. } in &CASES {
        let id = server.create(cli_type).await;
        let before = server.status(&id).await;
        assert!(!before.view.is_unguarded, "{cli_type}");
        for is_confirmed in [false, true] {
            let answer = server.post(&configure(&id), choice.wish(is_confirmed)).await;
            answer.assert_problem(403, "BYPASS_NOT_ALLOWED");
            assert!(answer.body.contains("--allow-bypass"), "{answer:?}");
            if let Choice::Mode(_) = choice {
                let answer = server.create_with(cli_type, choice.wish(is_confirmed)).await;
                answer.assert_problem(403, "BYPASS_NOT_ALLOWED");
            }
        }
        assert_eq!(shown(&server.status(&id).await), shown(&before), "{cli_type}");
    }
    assert_eq!((machine.asked("session/set_mode"), machine.asked("session/set_config_option")), (0, 0));
    server.stop().await;
}

#[tokio::test]
async fn unguarded_choices_of_every_agent_need_a_confirmation_and_are_shown() {
    let mut machine = machine();
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    for Case { cli_type, choice, .. } in &CASES {
        let id = server.create(cli_type).await;
        server.post(&configure(&id), choice.wish(false)).await.assert_problem(403, "BYPASS_NOT_CONFIRMED");
        assert!(!server.status(&id).await.view.is_unguarded, "{cli_type}");
        let status: SessionStatus = server.post(&configure(&id), choice.wish(true)).await.read(200);
        assert_eq!((status.view.guard, status.view.is_unguarded), (Guard::Unguarded, true), "{cli_type}");
        server.turn(&id, "!say 1").await;
        assert!(server.status(&id).await.view.is_unguarded, "{cli_type}");
        if let Choice::Mode(mode) = choice {
            let answer = server.create_with(cli_type, choice.wish(false)).await;
            answer.assert_problem(403, "BYPASS_NOT_CONFIRMED");
            let created: SessionOpened = server.create_with(cli_type, choice.wish(true)).await.read(201);
            let status = server.status(&created.session_id).await;
            assert_eq!(shown(&status), (Some(*mode), Guard::Unguarded, true), "{cli_type}");
        }
    }
    assert_eq!(escapes(&machine), []);
    server.stop().await;
}

#[tokio::test]
async fn an_unknown_agent_may_act_and_its_other_modes_need_leave() {
    let mut machine = with("mine", &[("MODES", "code turbo careful")]);
    machine.settings += "asking-modes = [\"careful\"]\n";
    let server = machine.start().await;
    let id = server.create("mine").await;
    let status = server.status(&id).await;
    assert_eq!(shown(&status), (Some("code"), Guard::MayAct, false));
    let guards: Vec<_> = status.view.agent.abilities.permission_modes.iter().map(|mode| mode.guard).collect();
    assert_eq!(guards, [Some(Guard::MayAct), Some(Guard::MayAct), Some(Guard::Asks)]);
    let refused = server.post(&configure(&id), Choice::Mode("turbo").wish(true)).await;
    refused.assert_problem(403, "BYPASS_NOT_ALLOWED");
    assert!(refused.body.contains("[agents.mine] asking-modes"), "{refused:?}");
    assert_eq!(shown(&choose(&server, &id, "careful").await), (Some("careful"), Guard::Asks, false));
    assert_eq!(shown(&choose(&server, &id, "code").await), (Some("code"), Guard::MayAct, false));
    server.stop().await;
}

#[tokio::test]
async fn a_confirmed_unknown_mode_is_kept_only_on_a_server_with_the_flag() {
    let mut machine = with("mine", &[("MODES", "code turbo")]);
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    let id = server.create("mine").await;
    server
        .post(&configure(&id), Choice::Mode("turbo").wish(false))
        .await
        .assert_problem(403, "BYPASS_NOT_CONFIRMED");
    let status: SessionStatus =
        server.post(&configure(&id), Choice::Mode("turbo").wish(true)).await.read(200);
    assert_eq!(shown(&status), (Some("turbo"), Guard::MayAct, false));
    server.turn(&id, "!say 1").await;
    server.stop().await;

    let server = machine.start_bare().await;
    server.turn(&id, "!say 1").await;
    assert_eq!(shown(&server.status(&id).await).0, Some("turbo"));
    server.stop().await;

    machine.flags.clear();
    let server = machine.start_bare().await;
    server.say(&id, "!say 1").await.assert_problem(403, "BYPASS_NOT_ALLOWED");
    choose(&server, &id, "code").await;
    server.turn(&id, "!say 1").await;
    assert_eq!(shown(&server.status(&id).await), (Some("code"), Guard::MayAct, false));
    server.stop().await;
}

#[tokio::test]
async fn an_agent_that_starts_by_deciding_is_moved_to_an_asking_mode_before_its_first_prompt() {
    for flags in [vec![], vec!["--allow-bypass"]] {
        let mut machine = with("qwen", &[("MODES", "auto plan default yolo")]);
        machine.flags = flags;
        let server = machine.start().await;
        let id = server.create("qwen").await;
        assert_eq!(shown(&server.status(&id).await), (Some("default"), Guard::Asks, false));
        server.turn(&id, "!say 1").await;
        let asked: Vec<Value> = machine.noted().into_iter().map(|line| line["asked"].clone()).collect();
        let place = |method: &str| asked.iter().position(|asked| asked == method).unwrap();
        assert!(place("session/set_mode") < place("session/prompt"), "{asked:?}");
        assert_eq!(escapes(&machine), []);
        server.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_stays_in_a_deciding_mode_is_shown_as_unguarded() {
    let machine = with("qwen", &[("MODES", "auto default"), ("STUBBORN", "1")]);
    let server = machine.start().await;
    let id = server.create("qwen").await;
    assert_eq!(shown(&server.status(&id).await), (Some("auto"), Guard::Unguarded, true));
    eventually(|| escapes(&machine).len() == 1).await;
    assert!(escapes(&machine)[0].0.ends_with(" auto"), "{:?}", escapes(&machine));
    server.stop().await;
}

#[tokio::test]
async fn a_new_session_in_a_mode_that_the_agent_does_not_take_is_refused_with_the_list() {
    let machine = with("gemini", &[("MODES", "default plan")]);
    let server = machine.start().await;
    let answer = server.create_with("gemini", json!({ "permissionMode": "autoEdit" })).await;
    answer.assert_problem(400, "INVALID_REQUEST");
    assert!(answer.body.contains("choose one of default, plan"), "{answer:?}");
    let opened: SessionOpened =
        server.create_with("gemini", json!({ "permissionMode": "plan" })).await.read(201);
    let status = server.status(&opened.session_id).await;
    assert_eq!(shown(&status), (Some("plan"), Guard::Asks, false));
    server.stop().await;
}

#[tokio::test]
async fn an_agent_that_stops_asking_by_itself_is_moved_back() {
    let machine = with("gemini", &[("MODES", "default plan yolo")]);
    let server = machine.start().await;
    let id = server.create("gemini").await;
    choose(&server, &id, "plan").await;
    server.turn(&id, "!mode yolo !stall 60000 !say 1").await;
    assert_eq!(shown(&server.status(&id).await), (Some("plan"), Guard::Asks, false));
    eventually(|| escapes(&machine) == [(format!("{id} yolo"), "moved_back".to_owned())]).await;
    server.stop().await;
}

#[tokio::test]
async fn the_turn_of_an_agent_that_cannot_be_moved_back_is_stopped() {
    let machine = with("gemini", &[("MODES", "default yolo"), ("STUBBORN", "1")]);
    let server = machine.start().await;
    let id = server.create("gemini").await;
    server.turn(&id, "!mode yolo !stall 60000 !stall 60000 !say 1").await;
    assert_eq!(shown(&server.status(&id).await), (Some("yolo"), Guard::Unguarded, true));
    eventually(|| escapes(&machine) == [(format!("{id} yolo"), "cancelled".to_owned())]).await;
    server.stop().await;
}

#[tokio::test]
async fn with_the_flag_an_agent_that_stops_asking_by_itself_is_shown_and_recorded() {
    let mut machine = with("gemini", &[("MODES", "default yolo")]);
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    let id = server.create("gemini").await;
    server.turn(&id, "!mode yolo !say 1").await;
    assert_eq!(shown(&server.status(&id).await), (Some("yolo"), Guard::Unguarded, true));
    eventually(|| escapes(&machine) == [(format!("{id} yolo"), "shown".to_owned())]).await;
    server.stop().await;
}

/// Newer versions of Claude Code have a mode in which a model decides.
#[tokio::test]
async fn claude_code_in_its_automatic_mode_is_moved_back() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.turn(&id, "!mode auto !stall 60000 !say 1").await;
    assert_eq!(shown(&server.status(&id).await), (Some("default"), Guard::Asks, false));
    eventually(|| escapes(&machine) == [(format!("{id} auto"), "moved_back".to_owned())]).await;
    server.stop().await;
}

/// A session that rests shows its modes by what is configured now.
#[tokio::test]
async fn kept_modes_are_judged_by_the_present_configuration() {
    let mut machine = with("mine", &[("MODES", "code careful")]);
    let server = machine.start().await;
    let id = server.create("mine").await;
    server.turn(&id, "!say 1").await;
    server.stop().await;
    machine.settings += "asking-modes = [\"careful\"]\n";
    let server = machine.start_bare().await;
    let status = server.until(&id, |status| !status.view.agent.abilities.permission_modes.is_empty()).await;
    let guards: Vec<_> = status.view.agent.abilities.permission_modes.iter().map(|mode| mode.guard).collect();
    assert_eq!((status.view.is_alive, guards), (false, vec![Some(Guard::MayAct), Some(Guard::Asks)]));
    server.stop().await;
}

async fn with_real_agents(flags: &[&'static str], mut check: impl AsyncFnMut(&Client, &str, &str)) {
    let mut machine = Machine::with_real_agents().await;
    machine.flags.extend_from_slice(flags);
    let server = machine.start().await;
    for (cli_type, mode) in [("codex", "agent-full-access"), ("gemini", "yolo"), ("opencode", "turbo")] {
        check(&server, cli_type, mode).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn real_codex_gemini_and_opencode_are_guarded_without_the_flag() {
    with_real_agents(&[], async |server, cli_type, mode| {
        let id = server.create(cli_type).await;
        let before = server.status(&id).await;
        let expected = if cli_type == "opencode" { Guard::MayAct } else { Guard::Asks };
        assert_eq!((before.view.guard, before.view.is_unguarded), (expected, false), "{cli_type}");
        for is_confirmed in [false, true] {
            let wish = json!({ "permissionMode": mode, "confirmUnguarded": is_confirmed });
            let answer = server.post(&configure(&id), wish.clone()).await;
            answer.assert_problem(403, "BYPASS_NOT_ALLOWED");
            server.create_with(cli_type, wish).await.assert_problem(403, "BYPASS_NOT_ALLOWED");
        }
        assert_eq!(shown(&server.status(&id).await), shown(&before), "{cli_type}");
        let asking = if cli_type == "codex" { "read-only" } else { "plan" };
        assert_eq!(shown(&choose(server, &id, asking).await), (Some(asking), expected, false), "{cli_type}");
    })
    .await;
}

#[tokio::test]
async fn real_codex_gemini_and_opencode_are_unguarded_with_the_flag_and_a_confirmation() {
    with_real_agents(&["--allow-bypass"], async |server, cli_type, mode| {
        let id = server.create(cli_type).await;
        let wish = |is_confirmed: bool| json!({ "permissionMode": mode, "confirmUnguarded": is_confirmed });
        server.post(&configure(&id), wish(false)).await.assert_problem(403, "BYPASS_NOT_CONFIRMED");
        let status: SessionStatus = server.post(&configure(&id), wish(true)).await.read(200);
        let guard = if cli_type == "opencode" { Guard::MayAct } else { Guard::Unguarded };
        assert_eq!(shown(&status), (Some(mode), guard, guard == Guard::Unguarded), "{cli_type}");
    })
    .await;
}
