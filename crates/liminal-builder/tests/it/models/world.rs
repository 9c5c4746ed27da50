//! A machine with nothing but a model's API.

use std::path::PathBuf;
use std::time::Duration;

use liminal_builder::config::AgentConfig;
use liminal_builder::process::Environment;
use liminal_builder::provider::model_api::{ModelApi, Settings, VENDORS, Vendor};
use liminal_builder::provider::{OpenError, OpenRequest, Provider, SessionOptions};
use liminal_builder::recording::Recorder;
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::envelope::{self, StreamEventEnvelope};
use liminal_core::ids::SessionId;
use liminal_core::processor::Config;
use liminal_core::replay::{EventLines, ModelPlayback, Recording, play};
use scripted_model::{Options, Running, ScriptedModel};
use tokio::task::JoinSet;

use crate::chat::Chat;
use crate::tap::tap;

pub(super) const KEY: &str = "sk-test-7d1f0c";

pub(super) fn vendors() -> impl Iterator<Item = &'static Vendor> {
    VENDORS.iter()
}

pub(super) fn is_anthropic(vendor: &Vendor) -> bool {
    vendor.cli_type == "anthropic"
}

pub(super) struct ModelWorld {
    pub(super) vendor: &'static Vendor,
    pub(super) settings: Settings,
    pub(super) folder: tempfile::TempDir,
    tasks: JoinSet<()>,
    recordings: usize,
}

/// A scripted model, and a machine that knows of it.
pub(super) async fn scripted(vendor: &'static Vendor) -> (Running, ModelWorld) {
    let model = ScriptedModel::start(Options::default()).await.unwrap();
    let world = ModelWorld::at(vendor, model.url());
    (model, world)
}

impl ModelWorld {
    /// A machine whose API is a server at this address.
    pub(super) fn at(vendor: &'static Vendor, server: &str) -> Self {
        let base = if is_anthropic(vendor) { server.to_owned() } else { format!("{server}/v1") };
        let environment =
            Environment::inherited().with(vendor.key_variable, KEY).with(vendor.base_variable, base);
        let settings = Settings::read(vendor, &environment, &AgentConfig::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self { vendor, settings, folder, tasks: JoinSet::new(), recordings: 0 }
    }

    pub(super) async fn create(&mut self) -> Chat {
        self.open(None, SessionOptions::default(), Vec::new()).await.unwrap()
    }

    pub(super) async fn open(
        &mut self,
        resume: Option<SessionId>,
        options: SessionOptions,
        past: Vec<StreamEventEnvelope>,
    ) -> Result<Chat, OpenError> {
        let api = ModelApi::new(self.settings.clone()).unwrap();
        let directory = self.folder.path().to_owned();
        let agent = api.open(OpenRequest { directory, resume, options, past }).await?;
        self.recordings += 1;
        let recorder = Some(Recorder::create(&self.recording_file()).unwrap());
        let (outlet, outputs) = tap(64);
        let config = Config::default().with_first_emission(Duration::from_millis(50));
        let setup = Setup { config, recorder, ..Setup::default() };
        let handle = SessionHandle::start(agent, setup, outlet, &mut self.tasks);
        Ok(Chat { handle, log: Vec::new(), outputs })
    }

    fn recording_file(&self) -> PathBuf {
        self.folder.path().join(format!("{}.ndjson", self.recordings))
    }

    /// What the newest session said and heard; it must have ended.
    pub(super) fn recording(&self) -> String {
        std::fs::read_to_string(self.recording_file()).unwrap()
    }

    /// The events of the newest session, as a replay gives them.
    pub(super) fn events(&self) -> Vec<StreamEventEnvelope> {
        let recording = Recording::read(&self.recording()).unwrap();
        let playback =
            if is_anthropic(self.vendor) { ModelPlayback::anthropic } else { ModelPlayback::openai };
        let mut lines = EventLines::default();
        play(&recording, &mut playback(&recording), &mut lines);
        let lines = String::from_utf8(lines.bytes().to_vec()).unwrap();
        lines.lines().filter_map(|line| envelope::read(line).unwrap().event()).collect()
    }
}
