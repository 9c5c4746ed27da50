//! Conversations with models' own APIs, recorded like any agent.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use liminal_builder::config::AgentConfig;
use liminal_builder::process::Environment;
use liminal_builder::provider::model_api::{ModelApi, Settings, Vendor};
use liminal_builder::provider::{OpenRequest, Provider, SessionOptions};
use liminal_builder::recording::Recorder;
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::processor::Config;
use scripted_model::{Options, ScriptedModel};
use tokio::task::JoinSet;

use crate::player::Player;
use crate::scenarios::Scenario;
use crate::scenarios::Step::{self, Cancel, Ends, Said, Say};
use crate::tap::tap;

const fn scenario(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: None, environment: &[], before: &[], steps }
}

pub(crate) const SCENARIOS: [Scenario; 17] = [
    scenario("01_text", &[Say("say:hello there"), Ends(1)]),
    scenario("02_two_turns", &[Say("say:one"), Ends(1), Say("say:two"), Ends(1)]),
    scenario("03_thinking", &[Say("think:let me see\nsay:so it is"), Ends(1)]),
    scenario(
        "04_tool_call",
        &[Say("say:looking\ntool:look {\"path\":\"a.txt\"}"), Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario("05_two_tool_calls", &[Say("tool:look {\"path\":\"a.txt\"}\ntool:list {}"), Ends(1)]),
    scenario("06_long_answer", &[Say("words:300"), Ends(1)]),
    scenario("10_rate_limit_with_retry_after", &[Say("status:429x1 retry-after:1 say:fine"), Ends(1)]),
    scenario("11_overloaded_twice", &[Say("status:529x2 say:fine"), Ends(1)]),
    scenario("12_hung_up_once", &[Say("drop:startx1 say:fine"), Ends(1)]),
    scenario("13_key_refused", &[Say("status:401"), Ends(1), Say("say:next"), Ends(1)]),
    scenario("14_bad_request", &[Say("status:400 it is too long"), Ends(1)]),
    scenario("15_error_event", &[Say("say:one two three four sse-error"), Ends(1)]),
    scenario(
        "16_broken_stream",
        &[Say("say:one two three four five drop:3"), Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario("17_broken_after_a_block", &[Say("think:let me see\nsay:the answer drop:block"), Ends(1)]),
    scenario(
        "20_cancelled",
        &[Say("say:one two three\nstall"), Said, Cancel, Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario("21_max_tokens", &[Say("say:cut off stop:max_tokens"), Ends(1)]),
    scenario("22_refusal", &[Say("say:no stop:refusal"), Ends(1), Say("say:next"), Ends(1)]),
];

/// Holds one conversation, and gives the recording.
pub(crate) async fn record(vendor: &'static Vendor, scenario: &Scenario) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let model = ScriptedModel::start(Options::default()).await?;
    let path = if vendor.cli_type == "openai" { "/v1" } else { "" };
    let environment = Environment::inherited()
        .with(vendor.key_variable, "recorded-key")
        .with(vendor.base_variable, format!("{}{path}", model.url()));
    let api = ModelApi::new(Settings::read(vendor, &environment, &AgentConfig::default())?)?;
    let agent = api.open(OpenRequest {
        directory: folder.path().to_owned(),
        resume: None,
        options: SessionOptions::default(),
        past: Vec::new(),
    });
    let file = folder.path().join("recording.ndjson");
    // So that a single word is seen, and can be waited for.
    let config = Config::default().with_first_emission(Duration::from_millis(50));
    let setup = Setup { config, recorder: Some(Recorder::create(&file)?), ..Setup::default() };
    let (outlet, outputs) = tap(64);
    let mut tasks = JoinSet::new();
    let board = outlet.board.clone();
    let handle = SessionHandle::start(agent.await?, setup, outlet, &mut tasks);
    Player::new(handle, outputs, board, folder.path()).play(scenario.steps).await?;
    drop(tasks.join_next().await);
    Ok(fs::read_to_string(file)?)
}
