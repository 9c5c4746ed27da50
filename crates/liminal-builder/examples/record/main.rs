//! Records the real Claude Code against the scripted model, through the session code of this crate:
//! `cargo run -p liminal-builder --example record -- DIRECTORY [--pin=old|newest] [NAME…]` plays the scenarios of those
//! names, or all, and writes `DIRECTORY/NAME/in.ndjson`. Nothing of this machine is left in them. `./x test` installs the
//! pinned programs; the old one is recorded unless a pin is named.
//! A directory called `anthropic` or `openai` is filled with conversations with that model's API instead.

mod conversations;
#[path = "../../tests/it/pin.rs"]
mod pin;
mod player;
mod scenarios;
mod scrub;
#[path = "../../tests/it/tap.rs"]
mod tap;

use std::fs;
use std::path::Path;

use anyhow::{Context, Error, Result, bail};
use liminal_builder::clock;
use liminal_builder::process::InstanceId;
use liminal_builder::provider::claude_code::{ClaudeCode, Settings};
use liminal_builder::provider::model_api::Vendor;
use liminal_builder::provider::{OpenRequest, OpenedAgent, Provider, SessionOptions};
use liminal_builder::recording::Recorder;
use liminal_builder::session::{History, SessionHandle, Setup};
use scripted_model::{Options, ScriptedModel};
use tokio::task::JoinSet;

use pin::Pin;
use player::Player;
use scenarios::{SCENARIOS, Scenario, Step};
use scrub::Scrubber;
use tap::tap;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next() else { bail!("name the directory to write to") };
    let mut names: Vec<String> = arguments.collect();
    let pin = pin_of(&mut names)?;
    let is_chosen = |scenario: &&Scenario| names.is_empty() || names.iter().any(|name| name == scenario.name);
    let vendor = Path::new(&directory).file_name().and_then(|name| Vendor::named(name.to_str()?));
    let scenarios = if vendor.is_some() { &conversations::SCENARIOS[..] } else { &SCENARIOS[..] };
    for scenario in scenarios.iter().filter(is_chosen) {
        let recording = match vendor {
            Some(vendor) => conversations::record(vendor, scenario).await,
            None => record(pin, scenario).await,
        };
        let recording = recording.context(scenario.name)?;
        let folder = Path::new(&directory).join(scenario.name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("in.ndjson"), recording)?;
    }
    Ok(())
}

/// Takes the pin out of the words.
fn pin_of(words: &mut Vec<String>) -> Result<Pin> {
    let Some(place) = words.iter().position(|word| word.starts_with("--pin=")) else { return Ok(Pin::Old) };
    words.remove(place).trim_start_matches("--pin=").parse().map_err(Error::msg)
}

/// Plays one scenario on a machine of its own, and gives the recording.
async fn record(pin: Pin, scenario: &Scenario) -> Result<String> {
    let home = tempfile::tempdir()?;
    let home_path = home.path().canonicalize()?;
    let project = home_path.join("project");
    fs::create_dir(&project)?;
    for name in ["one.txt", "two.txt"] {
        fs::write(home_path.join(name), format!("in {name}\n"))?;
    }
    let model = ScriptedModel::start(Options::default()).await?;
    let mut settings = settings(pin, &home_path, model.url())?;
    settings.environment.extend(scenario.environment.iter().map(|(name, value)| (name.into(), value.into())));
    let options = SessionOptions {
        permission_mode: scenario.permission_mode.map(str::to_owned),
        ..SessionOptions::default()
    };
    let provider = ClaudeCode::new(settings);
    let request = |resume| OpenRequest {
        directory: project.clone(),
        resume,
        options: options.clone(),
        past: Vec::new(),
    };
    let mut resume = None;
    if !scenario.before.is_empty() {
        let agent = provider.open(request(None)).await?;
        resume = Some(agent.session_id.clone());
        play(agent, Setup::default(), &home_path, scenario.before).await?;
    }
    let file = home_path.join("recording.ndjson");
    // The past would count as turns that have ended.
    let history = History::Skip;
    let setup = Setup { recorder: Some(Recorder::create(&file)?), history, ..Setup::default() };
    play(provider.open(request(resume)).await?, setup, &home_path, scenario.steps).await?;
    Scrubber::new(&home_path, &project, model.url()).scrubbed(&fs::read_to_string(file)?)
}

async fn play(agent: OpenedAgent, setup: Setup, home: &Path, steps: &[Step]) -> Result<()> {
    let (outlet, outputs) = tap(64);
    let board = outlet.board.clone();
    let mut tasks = JoinSet::new();
    let handle = SessionHandle::start(agent, setup, outlet, &mut tasks);
    Player::new(handle, outputs, board, home).play(steps).await?;
    drop(tasks.join_next().await);
    Ok(())
}

fn settings(pin: Pin, home: &Path, model: &str) -> Result<Settings> {
    let instance = InstanceId::new(&format!("record-{}", clock::new_session_uuid()))?;
    let mut settings = Settings::new(instance);
    settings.program = Some(pin.program());
    settings.environment = [
        ("ANTHROPIC_BASE_URL", model.into()),
        ("ANTHROPIC_API_KEY", "any".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("CLAUDE_CODE_MAX_RETRIES", "1".into()),
        ("CLAUDE_CONFIG_DIR", home.join(".claude").into_os_string()),
        ("HOME", home.as_os_str().to_owned()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into();
    Ok(settings)
}
