//! Every recording of every agent, played: its events and what clients see of them, in the order in which they come.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::processor::{Config, Profile};
use liminal_core::replay::{Audience, ModelPlayback, Recording, play};
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::Output;

use crate::directories::names_in;
use crate::replay::snapshots::Folder;

/// A recording as it was played.
pub(crate) struct Played {
    /// Its folder and its name.
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

/// One input of the processor and what came out of it.
pub(crate) struct Step {
    pub(crate) now: Now,
    /// Absent when a deadline came, or the recording ended.
    pub(crate) event: Option<StreamEventEnvelope>,
    pub(crate) outputs: Vec<Output>,
}

impl Played {
    /// The events of each session of the recording.
    pub(crate) fn sessions(&self) -> Vec<Vec<StreamEventEnvelope>> {
        let mut sessions: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for event in self.steps.iter().filter_map(|step| step.event.as_ref()) {
            sessions.entry(&event.session_id).or_default().push(event.clone());
        }
        sessions.into_values().collect()
    }
}

type Player = fn(&Recording, &mut dyn Audience);

/// The folders of recordings, each with how it is played.
const SOURCES: [(Folder, Player); 5] = [
    (crate::replay::acp::recordings::FOLDER, crate::replay::acp::recordings::play_to),
    (crate::replay::models::recordings::anthropic::FOLDER, |recording, audience| {
        play(recording, &mut ModelPlayback::anthropic(recording), audience);
    }),
    (crate::replay::recordings::FOLDER, crate::replay::recordings::played),
    (crate::replay::newest::FOLDER, crate::replay::recordings::played),
    (crate::replay::models::recordings::openai::FOLDER, |recording, audience| {
        play(recording, &mut ModelPlayback::openai(recording), audience);
    }),
];

/// The folders of `tests/fixtures` that hold no recordings.
const OTHERS: [&str; 4] = ["claude-history", "codex-rollout", "contracts", "process"];

static PLAYED: LazyLock<Vec<(&str, Vec<Played>)>> = LazyLock::new(|| {
    let folders = SOURCES.iter().map(|(folder, player)| (folder.0, all_of(folder, *player)));
    folders.collect()
});

/// All recordings, by their folders. No folder is empty.
pub(crate) fn by_folder() -> &'static [(&'static str, Vec<Played>)] {
    &PLAYED
}

fn all_of(folder: &Folder, player: Player) -> Vec<Played> {
    let names = folder.names();
    assert!(!names.is_empty(), "no recordings in {}", folder.0);
    let played = |name: String| {
        let mut steps = Steps::default();
        player(&folder.recording(&name), &mut steps);
        Played { name: format!("{}/{name}", folder.0), steps: steps.steps }
    };
    names.into_iter().map(played).collect()
}

#[test]
fn no_folder_of_recordings_is_left_out() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut folders = names_in(&fixtures);
    folders.retain(|name| fixtures.join(name).is_dir() && !OTHERS.contains(&name.as_str()));
    assert_eq!(folders, SOURCES.map(|(folder, _)| folder.0));
}

/// Keeps every step of a replay.
struct Steps {
    turns: Turns,
    steps: Vec<Step>,
}

impl Default for Steps {
    fn default() -> Self {
        let config = Config::new(Profile::UpsertV1).announcing_arguments();
        Self { turns: Turns::new(config), steps: Vec::new() }
    }
}

impl Audience for Steps {
    fn advance(&mut self, now: Now) {
        let mut outputs = Vec::new();
        self.turns.handle_timeout(now.mono, &mut outputs);
        self.steps.push(Step { now, event: None, outputs });
    }

    fn event(&mut self, event: &StreamEventEnvelope, now: Now) {
        let mut outputs = Vec::new();
        self.turns.handle_event(event, now, &mut outputs);
        self.steps.push(Step { now, event: Some(event.clone()), outputs });
    }

    fn end(&mut self, now: Now) {
        let mut outputs = Vec::new();
        let ended = ErrorInfo::new(ErrorCode::StreamEnded, "the recording ended before the turn did");
        self.turns.finish(&ended, Some(now), &mut outputs);
        self.steps.push(Step { now, event: None, outputs });
    }
}
