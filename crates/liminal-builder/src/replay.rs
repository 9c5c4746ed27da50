//! `liminal replay`: a recording of an agent through its dialect, as lines. Owns reading the recording and choosing
//! the dialect; virtual time is the core's.

use std::io::{self, ErrorKind, Write};

use liminal_core::dialect::{acp, claude};
use liminal_core::ids::SessionId;
use liminal_core::processor::{Config, Profile};
use liminal_core::replay::{
    AcpPlayback, ClaudePlayback, Direction, EventLines, ModelPlayback, Playback, Recording, RecordingError,
    UpsertLines, play,
};

/// Whose words a recording holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialectName {
    /// Claude Code's stream-json.
    ClaudeCode,
    /// The Agent Client Protocol.
    Acp,
    /// The Anthropic Messages API.
    Anthropic,
    /// The OpenAI Responses API.
    OpenAi,
}

/// What a replay shows.
#[derive(Debug, Clone)]
pub enum Emit {
    /// Canonical events.
    Events,
    /// What clients see, batched like this.
    Upserts(Config),
}

/// Why a replay failed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The recording is not one.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The output could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Plays a recording and writes what comes of it.
pub fn run(text: &str, dialect: DialectName, emit: Emit, mut output: impl Write) -> Result<(), ReplayError> {
    let recording = Recording::read(text)?;
    let lines = match emit {
        Emit::Events => events(&recording, dialect),
        Emit::Upserts(config) => upserts(&recording, dialect, config),
    };
    match output.write_all(&lines).and_then(|()| output.flush()) {
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// What the agent wrote to its standard error, and what happened to its process.
pub fn asides(text: &str, mut output: impl Write) -> Result<(), ReplayError> {
    for line in Recording::read(text)?.lines() {
        let name = match line.direction {
            Direction::Err => "err",
            Direction::Meta => "meta",
            Direction::In | Direction::Out | Direction::File => continue,
        };
        let said = line.line.as_str().map_or_else(|| line.line.to_string(), str::to_owned);
        writeln!(output, "{:>8} {name:4} {}", line.at.as_millis(), said.escape_debug())?;
    }
    Ok(())
}

fn events(recording: &Recording, dialect: DialectName) -> Vec<u8> {
    let mut lines = EventLines::default();
    play(recording, playback(recording, dialect).as_mut(), &mut lines);
    lines.bytes().to_vec()
}

fn upserts(recording: &Recording, dialect: DialectName, config: Config) -> Vec<u8> {
    let mut lines = UpsertLines::new(config, Profile::UpsertV1);
    play(recording, playback(recording, dialect).as_mut(), &mut lines);
    lines.bytes().to_vec()
}

fn playback(recording: &Recording, dialect: DialectName) -> Box<dyn Playback> {
    match dialect {
        DialectName::ClaudeCode => {
            Box::new(ClaudePlayback::new(SessionId::from("claude-code:recorded"), claude::Options::default()))
        }
        DialectName::Acp => Box::new(AcpPlayback::new("acp:recorded", acp::Options::default(), recording)),
        DialectName::Anthropic => Box::new(ModelPlayback::anthropic(recording)),
        DialectName::OpenAi => Box::new(ModelPlayback::openai(recording)),
    }
}
