//! Reads one fixture directory, and checks what every history must be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use liminal_core::dialect::claude::history::{History, HistoryReader};
use liminal_core::envelope::{self, StreamEventEnvelope};
use liminal_core::ids::{ItemId, TurnId};
use liminal_core::processor::{Config, Dropped};
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertStatus};
use serde_json::json;

use crate::correlated::{assert_calls_share_ids, assert_items_share_ids, assert_turns_share_ids};

/// The case whose file holds the result of a call that it does not hold.
const ORPHANED: &str = "unknown_and_broken";

/// The sub-agent without a `.meta.json`, as older versions leave them; its call names it.
const UNDESCRIBED: &str = "c3";

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-history")
}

pub(crate) fn check(name: &str) {
    let directory = fixtures().join(name);
    let history = read(&directory);
    let dropped = assert_sound(&history.events);
    assert_eq!(dropped, Dropped::default(), "every event of a history has an effect");
    assert!(assert_turns_share_ids(&history.events) > 0, "no turns");
    assert_items_share_ids(&history.events);
    if name != ORPHANED {
        assert_calls_share_ids(&history.events);
    }
    compare(&directory.join("events.ndjson"), &events(&history));
    compare(&directory.join("history.json"), &about(&history));
}

pub(crate) fn read(directory: &Path) -> History {
    let mut reader = HistoryReader::new("claude-code:1".into());
    for line in lines(&directory.join("session.jsonl")) {
        reader.push_line(&line);
    }
    for path in sub_agents(&directory.join("subagents")) {
        let agent = path.file_stem().unwrap().to_str().unwrap().strip_prefix("agent-").unwrap();
        let meta = if agent == UNDESCRIBED { String::new() } else { text(&path.with_extension("meta.json")) };
        let call = reader.push_subagent_meta(agent, meta.as_bytes()).expect("a call");
        for line in lines(&path) {
            reader.push_subagent_line(&call, &line);
        }
    }
    let tasks: Vec<String> = reader.output_files().map(|(task, _)| task.to_owned()).collect();
    for task in tasks {
        let path = directory.join("tasks").join(format!("{task}.output"));
        reader.push_output(&task, &text(&path));
    }
    reader.finish()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn sub_agents(directory: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return BTreeSet::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
}

fn events(history: &History) -> String {
    history.events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
}

fn about(history: &History) -> String {
    let about = json!({
        "title": history.title,
        "model": history.model,
        "cwd": history.cwd,
        "lastActivity": history.last_activity,
        "skipped": history.skipped,
    });
    serde_json::to_string_pretty(&about).unwrap() + "\n"
}

fn compare(path: &Path, found: &str) {
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(path, found).unwrap();
    }
    let expected = text(path);
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of {}", number + 1, path.display());
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{}", path.display());
}

/// What holds for the events of every history: ids are unique, each turn is told in one run with one end, each item
/// is created once and has one end, and what is written is read back the same.
pub(crate) fn assert_sound(events: &[StreamEventEnvelope]) -> Dropped {
    let ids: BTreeSet<_> = events.iter().map(|event| &event.event_id).collect();
    assert_eq!(ids.len(), events.len(), "event ids are unique");
    let (mut turns, mut outputs) = (Turns::new(Config::default()), Vec::<Output>::new());
    for event in events {
        let line = serde_json::to_string(event).unwrap();
        assert_eq!(envelope::read(&line).expect(&line).event().as_ref(), Some(event));
        turns.handle_event(event, Now::at(event.timestamp.instant()), &mut outputs);
        assert!(turns.open_count() <= 1, "one turn after the other");
    }
    assert_eq!(turns.open_count(), 0, "every turn has ended");
    assert_ended(outputs);
    turns.dropped()
}

fn assert_ended(outputs: Vec<Output>) {
    let (mut items, mut started, mut ended) = (BTreeMap::new(), Vec::new(), Vec::new());
    for output in outputs {
        match output {
            Output::Upsert(Upsert { turn_id, item_id, status, .. }) => {
                let key = (turn_id, item_id);
                assert_follows(items.get(&key).copied(), status, &key);
                items.insert(key, status);
            }
            Output::Turn(TurnEvent::TurnStarted { turn_id, .. }) => started.push(turn_id),
            Output::Turn(TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. }) => {
                ended.push(turn_id);
            }
        }
    }
    assert_eq!(started, ended, "each turn starts and ends once, in order");
    for (item, status) in items {
        assert!(matches!(status, UpsertStatus::Complete | UpsertStatus::Error), "{item:?} is {status:?}");
    }
}

/// An item comes up once, by a `create` or finished, and changes until its end.
fn assert_follows(before: Option<UpsertStatus>, status: UpsertStatus, item: &(TurnId, ItemId)) {
    match before {
        None => assert_ne!(status, UpsertStatus::Update, "{item:?} is updated before it is created"),
        Some(UpsertStatus::Create | UpsertStatus::Update) => {
            assert_ne!(status, UpsertStatus::Create, "{item:?} is created twice");
        }
        Some(UpsertStatus::Complete | UpsertStatus::Error) => panic!("{item:?} is {status:?} after its end"),
    }
}
