use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Key, Limit, LogError, StreamLog};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
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

/// A database with everything in it, and what readers see of it.
async fn sample(directory: &Path) -> (Vec<u8>, Vec<Screen>) {
    let log = open(directory, Settings::default());
    let text = "Some words of a longer answer. ".repeat(300);
    for (number, session) in sessions().iter().enumerate() {
        for item in 0..10 {
            let content = format!("message {item} of {number}");
            append(&log, session, message(session, &format!("i{item}"), UpsertStatus::Complete, &content))
                .await;
        }
        for end in [3000, 6000, 9000] {
            append(&log, session, update(session, "growing", &text[..end])).await;
        }
        append(&log, session, turn_complete(session, "t1")).await;
    }
    log.indexed().await.unwrap();
    let mut screens = Vec::new();
    for session in sessions() {
        screens.push(whole(&log, &session).await);
    }
    log.close().await.unwrap();
    (fs::read(directory.join("liminal.db")).unwrap(), screens)
}

fn corrupt(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let length = bytes.len() as u64;
    let at = usize::try_from(chance.below(length)).unwrap();
    match chance.below(10) {
        0 => bytes.truncate(at),
        1 => bytes[at..].fill(0),
        2 => {
            let end = bytes.len().min(at + 512);
            bytes[at..end].iter_mut().for_each(|byte| *byte = !*byte);
        }
        _ => bytes[at] ^= 1 << chance.below(8),
    }
}

/// What became of damaged files.
#[derive(Debug, Default)]
struct Outcomes {
    moved: u64,
    told: u64,
    intact: u64,
}

/// Whatever happens to a file: readers see what was there, or somebody is told that they do not.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_damaged_file_is_intact_or_told() {
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
    let all = tasks.join_all().await;
    let sum = |count: fn(&Outcomes) -> u64| all.iter().map(count).sum::<u64>();
    let (moved, told, intact) = (sum(|part| part.moved), sum(|part| part.told), sum(|part| part.intact));
    assert!(moved > 50 && told > 20 && intact > 10, "{moved} moved aside, {told} told, {intact} intact");
}

async fn damage(
    (sound, screens): &(Vec<u8>, Vec<Screen>),
    path: &Path,
    chance: &mut Chance,
    outcomes: &mut Outcomes,
) {
    let mut bytes = sound.clone();
    corrupt(&mut bytes, chance);
    fs::write(path, &bytes).unwrap();
    let opened = SqliteLog::open(path, Settings::default());
    if let Err(LogError::Newer { .. }) = opened {
        outcomes.told += 1;
        return;
    }
    let (log, moved_aside) = opened.unwrap();
    if let Some(aside) = moved_aside {
        assert_eq!(fs::read(&aside.path).unwrap(), bytes, "the file is kept as it was");
        assert!(!aside.problem.is_empty());
        fs::remove_file(aside.path).unwrap();
        outcomes.moved += 1;
    } else {
        match read_all(&log).await {
            Ok(found) => {
                assert!(bytes.is_empty() || found == *screens, "silent loss");
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

async fn read_all(log: &SqliteLog) -> Result<Vec<Screen>, LogError> {
    let mut screens = Vec::new();
    for session in sessions() {
        let page = log.history(&session, None, Limit::NONE).await?;
        let entries = page.entries.into_iter().map(|entry| (entry.key, (entry.first_seq, entry.bytes)));
        screens.push(Screen { entries: entries.collect(), cursor: Some(page.head.cursor()) });
    }
    Ok(screens)
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
