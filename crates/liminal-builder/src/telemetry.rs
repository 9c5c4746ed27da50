//! What the server tells of itself: one JSON object a line. Owns where it goes, and that no sink gets a key or a character
//! that drives a terminal, whoever logged it; panics go the same way.
//!
//! Never logged: bodies, headers, query strings, prompts, what agents say. Ids, codes, counts and durations are.

mod rotation;
mod sink;

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};

use tracing::Subscriber;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;

use crate::clock::Clock;
use crate::config::Logging;
use sink::Sink;

/// Where it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// To whoever started the program and collects what it says.
    StandardError,
    /// To a file that is rotated.
    File(PathBuf),
}

/// Why nothing can be told.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The file cannot be written.
    #[error("cannot write the log {}: {source}; make it writable or set logging.file", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It was started before.
    #[error("the log was started twice; start it once")]
    Twice,
}

impl Destination {
    /// A file that is set; else standard error if somebody collects it, and a file if it is a person's terminal.
    #[must_use]
    pub fn choose(logging: &Logging, data: &Path) -> Self {
        Self::for_terminal(logging, data, io::stderr().is_terminal())
    }

    fn for_terminal(logging: &Logging, data: &Path, is_terminal: bool) -> Self {
        match &logging.file {
            Some(file) => Self::File(file.clone()),
            None if is_terminal => Self::File(data.join("logs/liminal.log")),
            None => Self::StandardError,
        }
    }
}

/// Begins to tell, for the rest of the program's life.
pub fn start(logging: &Logging, destination: &Destination) -> Result<(), TelemetryError> {
    let sink = match destination {
        Destination::StandardError => Sink::standard_error(),
        Destination::File(path) => {
            Sink::file(path).map_err(|source| TelemetryError::File { path: path.clone(), source })?
        }
    };
    let subscriber = subscriber(logging, sink);
    tracing::subscriber::set_global_default(subscriber).map_err(|_| TelemetryError::Twice)?;
    let file = match destination {
        Destination::StandardError => None,
        Destination::File(path) => Some(path.clone()),
    };
    panic::set_hook(Box::new(move |info| {
        report_panic(info);
        if let Some(file) = &file {
            point_to(file);
        }
    }));
    Ok(())
}

fn subscriber(logging: &Logging, sink: Sink) -> impl Subscriber + Send + Sync {
    // The filter's form was checked when the configuration was read.
    let targets: Targets = logging.level.as_str().parse().unwrap_or_default();
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_timer(Wall(Clock::start()))
        .log_internal_errors(false)
        .with_writer(sink);
    tracing_subscriber::registry().with(targets).with(lines)
}

/// A message of a panic may hold anything; the sink cleans it.
fn report_panic(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(target: "panic", place, "{}", message.unwrap_or("no message"));
}

/// On a terminal nobody would see that something broke.
fn point_to(file: &Path) {
    let told = writeln!(io::stderr(), "liminal: something broke inside; {} tells what", file.display());
    // Without a terminal there is nobody to tell.
    drop(told);
}

struct Wall(Clock);

impl FormatTime for Wall {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write!(writer, "{}", self.0.now().wall)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const KEY: &str = "sk-ant-api03-A1b2C3d4E5f6G7h8";

    fn logged(level: &str, act: impl FnOnce()) -> Vec<Value> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logs/liminal.log");
        let text = format!("[logging]\nlevel = \"{level}\"");
        let config = folder.path().join("config.toml");
        std::fs::write(&config, text).unwrap();
        let environment = crate::process::Environment::inherited();
        let logging = crate::config::Config::load(Some(&config), &environment).unwrap().logging;
        let subscriber = subscriber(&logging, Sink::file(&file).unwrap());
        tracing::subscriber::with_default(subscriber, act);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains(KEY) && !text.chars().any(|each| each.is_control() && each != '\n'), "{text}");
        text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    #[test]
    fn s32_a_line_is_one_object_without_keys_or_control_characters() {
        let lines = logged("info", || {
            let name = format!("{KEY}\u{1b}[2J\u{9b}\r\nnext");
            tracing::info!(name, count = 3, "started with {KEY}");
        });
        let line = lines.first().unwrap();
        assert_eq!((lines.len(), &line["level"], &line["count"]), (1, &"INFO".into(), &3.into()));
        assert_eq!(line["message"], "started with [redacted]");
        assert_eq!(line["name"], "[redacted]\u{1b}[2J\u{9b}\r\nnext");
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn only_what_was_asked_for_is_told() {
        let tell = || {
            tracing::info!("general");
            tracing::debug!(target: "liminal_builder::session", "particular");
        };
        assert_eq!(logged("info", tell).len(), 1);
        assert_eq!(logged("off", tell).len(), 0);
        let lines = logged("warn,liminal_builder::session=debug", tell);
        assert_eq!(lines.first().unwrap()["message"], "particular");
    }

    #[test]
    fn a_panic_is_told_with_its_place_and_without_its_secrets() {
        let before = panic::take_hook();
        panic::set_hook(Box::new(report_panic));
        let lines = logged("info", || {
            let broken = panic::catch_unwind(|| panic!("lost {KEY}"));
            assert!(broken.is_err());
        });
        panic::set_hook(before);
        let line = lines.first().unwrap();
        assert_eq!(line["message"], "lost [redacted]");
        assert!(line["place"].as_str().unwrap().contains("telemetry.rs"), "{line}");
    }

    #[test]
    fn a_terminal_is_left_to_the_person() {
        let data = Path::new("/data");
        let (usual, file) = (Logging::default(), Destination::File("/data/logs/liminal.log".into()));
        assert_eq!(Destination::for_terminal(&usual, data, true), file);
        assert_eq!(Destination::for_terminal(&usual, data, false), Destination::StandardError);
        let set = Logging { file: Some("/x".into()), ..Logging::default() };
        assert_eq!(Destination::for_terminal(&set, data, false), Destination::File("/x".into()));
    }
}
