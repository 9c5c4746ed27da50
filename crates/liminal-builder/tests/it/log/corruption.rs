use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use liminal_builder::log::sqlite::{Salvaged, Settings, SqliteLog};
use liminal_builder::log::{EventLog, Key, Limit, LogError, StreamLog};
use liminal_builder::store::{ProjectRow, Store};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use liminal_core::wire::projects::Trust;
use liminal_core::wire::rest::QueuedMessage;
use tokio::task::JoinSet;

use super::support::{Screen, append, message, open, turn_complete, update, whole};

const CORRUPTIONS: u64 = 504;
/// Most of the time is spent waiting for the disk.
const PARTS: u64 = 8;

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn sessions() -> [SessionId; 3] {
    ["s1".into(), "s2".into(), "s3".into()]
}

/// What is in a database, as far as anybody can see.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Contents {
    screens: Vec<Screen>,
    events: Vec<Vec<(u64, Bytes)>>,
    projects: Vec<ProjectRow>,
    queues: Vec<Vec<QueuedMessage>>,
}

impl Contents {
    async fn read(log: &Arc<SqliteLog>) -> Result<Self, LogError> {
        let store = Store::new(Arc::clone(log));
        let (mut screens, mut events, mut queues) = (Vec::new(), Vec::new(), Vec::new());
        for session in sessions() {
            let page = log.history(&session, None, Limit::NONE).await?;
            let entries = page.entries.into_iter().map(|entry| (entry.key, (entry.first_seq, entry.bytes)));
            screens.push(Screen { entries: entries.collect(), cursor: Some(page.head.cursor()) });
            events.push(log.events(&session, 0, usize::MAX).await?);
            queues.push(store.queue(&session).await?);
        }
        Ok(Self { screens, events, projects: store.projects().await?, queues })
    }

    /// Everything in it, as pairs of where and what.
    fn facts(&self) -> BTreeSet<String> {
        let mut facts = BTreeSet::new();
        for number in 0..sessions().len() {
            facts.extend(self.screens[number].entries.iter().map(|entry| format!("{number} {entry:?}")));
            // Events are numbered again when some are missing.
            facts.extend(self.events[number].iter().map(|(_, body)| format!("{number} {body:?}")));
            facts.extend(self.queues[number].iter().map(|message| format!("{number} {message:?}")));
        }
        facts.extend(self.projects.iter().map(|project| format!("{project:?}")));
        facts
    }

    fn has_session_of(&self, other: &Self, number: usize) -> bool {
        self.screens[number].entries == other.screens[number].entries
    }
}

/// A database with everything in it.
async fn sample(directory: &Path) -> (Vec<u8>, Contents) {
    let log = Arc::new(open(directory, Settings::default()));
    let store = Store::new(Arc::clone(&log));
    let text = "Some words of a longer answer. ".repeat(300);
    for (number, session) in sessions().iter().enumerate() {
        for item in 0..10 {
            let content = format!("message {item} of {number}");
            append(&*log, session, message(session, &format!("i{item}"), UpsertStatus::Complete, &content))
                .await;
            let event = Bytes::from(format!("{{\"event\":{item},\"of\":{number}}}"));
            log.record(session, vec![event]).await.unwrap();
            store.enqueue(session, queued(item, &content), 10).await.unwrap();
        }
        for end in [3000, 6000, 9000] {
            append(&*log, session, update(session, "growing", &text[..end])).await;
        }
        append(&*log, session, turn_complete(session, "t1")).await;
        store.add_project(project(number)).await.unwrap();
    }
    log.indexed().await.unwrap();
    let contents = Contents::read(&log).await.unwrap();
    log.close().await.unwrap();
    (fs::read(directory.join("liminal.db")).unwrap(), contents)
}

fn queued(item: usize, text: &str) -> QueuedMessage {
    QueuedMessage {
        id: format!("q{item}"),
        message: text.to_owned(),
        client_message_id: None,
        attachments: Vec::new(),
        failure: None,
    }
}

fn project(number: usize) -> ProjectRow {
    let path = format!("/home/dev/project-{number}").into();
    let (name, trust) = (format!("Project {number}"), Trust::Trusted);
    ProjectRow { id: format!("p{number}").into(), path, name, trust, trust_hash: None }
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// Everything behind a place is gone.
    Tail,
    /// A sector.
    Sector,
    Bit,
}

fn corrupt(bytes: &mut Vec<u8>, chance: &mut Chance) -> Damage {
    let length = bytes.len() as u64;
    let at = usize::try_from(chance.below(length)).unwrap();
    match chance.below(10) {
        0 => {
            bytes.truncate(at);
            Damage::Tail
        }
        1 => {
            bytes[at..].fill(0);
            Damage::Tail
        }
        2 => {
            let end = bytes.len().min(at + 512);
            bytes[at..end].iter_mut().for_each(|byte| *byte = !*byte);
            Damage::Sector
        }
        _ => {
            bytes[at] ^= 1 << chance.below(8);
            Damage::Bit
        }
    }
}

/// What became of damaged files.
#[derive(Debug, Default)]
struct Outcomes {
    moved: u64,
    told: u64,
    intact: u64,
    tails: Kept,
    sectors: Kept,
    bits: Kept,
}

/// Of what was in files that were moved aside: how much is in the new ones.
#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    facts: u64,
    kept: u64,
    sessions: u64,
    /// With all their outputs.
    whole_sessions: u64,
}

impl Kept {
    fn add(&mut self, other: Self) {
        self.facts += other.facts;
        self.kept += other.kept;
        self.sessions += other.sessions;
        self.whole_sessions += other.whole_sessions;
    }

    /// In percent: of everything, and of sessions that lack nothing.
    fn shares(self) -> (u64, u64) {
        (self.kept * 100 / self.facts.max(1), self.whole_sessions * 100 / self.sessions.max(1))
    }
}

impl Outcomes {
    fn add(mut self, other: &Self) -> Self {
        self.moved += other.moved;
        self.told += other.told;
        self.intact += other.intact;
        self.tails.add(other.tails);
        self.sectors.add(other.sectors);
        self.bits.add(other.bits);
        self
    }

    /// What is in the new file was in the old one, and what is missing was told.
    fn compare(&mut self, damage: Damage, sound: &Contents, found: &Contents, salvaged: &Salvaged) {
        let (all, kept) = (sound.facts(), found.facts());
        assert!(kept.is_subset(&all), "something was made up: {:?}", kept.difference(&all).next());
        assert!(kept == all || !salvaged.is_complete(), "silent loss");
        let cut = |session: &SessionId| salvaged.cut_sessions.contains(session);
        let (facts, kept) = (all.len() as u64, kept.len() as u64);
        let mut share = Kept { facts, kept, sessions: 3, whole_sessions: 0 };
        for (number, session) in sessions().iter().enumerate() {
            let is_whole = found.has_session_of(sound, number);
            let is_there = !found.screens[number].entries.is_empty();
            assert!(
                is_whole || !is_there || cut(session),
                "{session} lacks something silently: {salvaged:?}"
            );
            share.whole_sessions += u64::from(is_whole);
        }
        self.moved += 1;
        match damage {
            Damage::Tail => self.tails.add(share),
            Damage::Sector => self.sectors.add(share),
            Damage::Bit => self.bits.add(share),
        }
    }
}

/// Whatever happens to a file: readers see what was there, or somebody is told that they do not. What the damage did not
/// reach is there still.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_damaged_file_is_intact_or_told_and_the_rest_is_salvaged() {
    let directory = tempfile::tempdir().unwrap();
    let sample = Arc::new(sample(directory.path()).await);
    let mut tasks = JoinSet::new();
    for part in 0..PARTS {
        let (sample, path) = (Arc::clone(&sample), directory.path().join(format!("{part}.db")));
        tasks.spawn(async move {
            let (mut chance, mut outcomes) =
                (Chance(0x9e37_79b9_7f4a_7c15 ^ (part + 1)), Outcomes::default());
            for _ in 0..CORRUPTIONS / PARTS {
                damage(&sample, &path, &mut chance, &mut outcomes).await;
            }
            outcomes
        });
    }
    let parts = tasks.join_all().await;
    let all = parts.iter().fold(Outcomes::default(), Outcomes::add);
    println!(
        "{} moved aside, {} told, {} intact; kept of everything and of sessions, in percent:",
        all.moved, all.told, all.intact
    );
    println!(
        "bits {:?}, sectors {:?}, tails {:?}",
        all.bits.shares(),
        all.sectors.shares(),
        all.tails.shares()
    );
    assert!(all.moved > 50 && all.intact > 10, "{all:?}");
    let (share, sessions) = all.bits.shares();
    assert!(share >= 90 && sessions >= 60, "{share} % kept, {sessions} % of the sessions");
}

async fn damage(
    (sound, contents): &(Vec<u8>, Contents),
    path: &Path,
    chance: &mut Chance,
    outcomes: &mut Outcomes,
) {
    let mut bytes = sound.clone();
    let kind = corrupt(&mut bytes, chance);
    fs::write(path, &bytes).unwrap();
    let opened = SqliteLog::open(path, Settings::default());
    if let Err(LogError::Newer { .. }) = opened {
        outcomes.told += 1;
        return;
    }
    let (log, moved_aside) = opened.unwrap();
    let log = Arc::new(log);
    let found = Contents::read(&log).await;
    if let Some(aside) = moved_aside {
        assert_eq!(fs::read(&aside.path).unwrap(), bytes, "the file is kept as it was");
        assert!(!aside.problem.is_empty());
        fs::remove_file(aside.path).unwrap();
        outcomes.compare(kind, contents, &found.unwrap(), &aside.salvaged);
    } else {
        match found {
            Ok(found) => {
                assert!(bytes.is_empty() || found == *contents, "silent loss");
                outcomes.intact += 1;
            }
            Err(error) => {
                assert!(matches!(error, LogError::Damaged(_)), "{error}");
                outcomes.told += 1;
            }
        }
    }
    // Damage may keep it from being closed well; it was told.
    log.close().await.ok();
    remove_all(path);
}

fn remove_all(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let file = PathBuf::from(format!("{}{ending}", path.display()));
        fs::remove_file(file).ok();
    }
}

/// A killed server leaves a write-ahead log. Damage in it may cost its tail, and nothing before it.
#[tokio::test]
async fn damage_in_the_write_ahead_log_costs_at_most_its_tail() {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    sample(source.path()).await;
    let log = open(source.path(), Settings::default());
    for number in 0..40 {
        let text = number.to_string();
        append(&log, &"s1".into(), message(&"s1".into(), "late", UpsertStatus::Complete, &text)).await;
    }
    let sound = whole(&log, &"s1".into()).await;
    let (before, late) = (sound.entries.len() - 1, Key::Item("late".into()));
    let read = |ending: &str| fs::read(source.path().join(format!("liminal.db{ending}"))).unwrap();
    let (database, wal) = (read(""), read("-wal"));
    let (path, mut chance) = (target.path().join("liminal.db"), Chance(0x1234_5678_9abc_def1));
    for _ in 0..60 {
        let mut damaged = wal.clone();
        corrupt(&mut damaged, &mut chance);
        fs::write(&path, &database).unwrap();
        fs::write(target.path().join("liminal.db-wal"), &damaged).unwrap();
        let (copy, moved_aside) = SqliteLog::open(&path, Settings::default()).unwrap();
        assert_eq!(moved_aside, None);
        let found = whole(&copy, &"s1".into()).await;
        assert!(found.seq() <= sound.seq());
        let kept = found.entries.iter().filter(|(key, _)| **key != late);
        assert_eq!(kept.count(), before);
        copy.close().await.unwrap();
        remove_all(&path);
    }
    log.close().await.unwrap();
}

#[tokio::test]
async fn files_of_others_are_moved_aside_and_never_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    let foreign = directory.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE theirs (name TEXT)").unwrap();
    drop(connection);
    let contents = [b"this is a letter and no database".to_vec(), fs::read(&foreign).unwrap(), vec![0; 8192]];
    let mut kept = Vec::new();
    for bytes in &contents {
        fs::write(&path, bytes).unwrap();
        let (log, moved_aside) = SqliteLog::open(&path, Settings::default()).unwrap();
        let moved_aside = moved_aside.unwrap();
        assert!(moved_aside.path.to_string_lossy().contains("liminal.db.corrupt-"), "{moved_aside:?}");
        append(&log, &"s1".into(), update(&"s1".into(), "a", "new")).await;
        log.close().await.unwrap();
        kept.push(moved_aside.path);
    }
    for (path, bytes) in kept.iter().zip(&contents) {
        assert_eq!(&fs::read(path).unwrap(), bytes);
    }
    fs::write(&path, "").unwrap();
    let (log, moved_aside) = SqliteLog::open(&path, Settings::default()).unwrap();
    assert_eq!(moved_aside, None, "an empty file is a new one");
    log.close().await.unwrap();
}
