use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use liminal_builder::data_dir::DataDir;
use liminal_builder::log::sqlite::Settings;
use liminal_builder::log::{Durability, Encoder, Key, Limit, StreamLog};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;
use liminal_core::upsert::{Upsert, UpsertStatus};
use tokio::task::JoinSet;

use super::support::{content, open, turn_started, upsert};
use crate::support::Running;

const CYCLES: usize = 30;
const SESSIONS: usize = 3;
/// Tells the child where to append.
pub(crate) const DIRECTORY: &str = "LIMINAL_TEST_LOG_DIRECTORY";
/// Tells the child how far to count, if nobody kills it.
pub(crate) const LAST: &str = "LIMINAL_TEST_LOG_LAST";
pub(crate) const CHILD: &str = "log::durability::appends_until_it_is_killed";

/// Kills a process that appends, again and again: what it had acknowledged is there, and nothing of it twice.
#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged: BTreeMap<String, u64> = BTreeMap::new();
    let mut total = 0;
    for cycle in 0..CYCLES {
        let mut child = start(directory.path());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        let mut take = |line: String| {
            let Some((session, number)) = line.split_once(' ') else { return };
            let Ok(number) = number.parse() else { return };
            acknowledged.insert(session.to_owned(), number);
            total += 1;
        };
        lines.by_ref().take(3 + cycle * 7 % 60).for_each(|line| take(line.unwrap()));
        child.0.kill().unwrap();
        // What was acknowledged before the kill reached the pipe before it too.
        lines.for_each(|line| line.into_iter().for_each(&mut take));
        child.0.wait().unwrap();
        check(directory.path(), &acknowledged).await;
    }
    assert!(total > CYCLES * SESSIONS, "{total} acknowledged");
}

async fn check(directory: &Path, acknowledged: &BTreeMap<String, u64>) {
    let _taken_over = DataDir::open(directory).unwrap();
    let log = open(directory, Settings::default());
    let reason = ErrorInfo::new(ErrorCode::ServerRestart, "the server was stopped");
    log.close_open_turns(&reason, jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(log.open_turns().await.unwrap(), []);
    for (session, number) in acknowledged {
        let page = log.history(&session.as_str().into(), None, Limit::NONE).await.unwrap();
        let found = page.entries.iter().find(|entry| entry.key == Key::Item("counter".into())).unwrap();
        let found: u64 = content(found).split(' ').next().unwrap().parse().unwrap();
        assert!(found >= *number, "{session}: {found} is stored, {number} was acknowledged");
        assert!(page.entries.iter().all(|entry| !entry.is_open), "{session}");
        assert_eq!(page.entries.iter().map(|entry| entry.seq).max(), Some(page.head.seq));
    }
    log.close().await.unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the process to be killed is started by hand")]
fn start(directory: &Path) -> Running {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--nocapture"])
        .env(DIRECTORY, directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

/// The process that is killed. Without a directory it only appends a little.
#[tokio::test]
async fn appends_until_it_is_killed() {
    let own = tempfile::tempdir().unwrap();
    let set = std::env::var(LAST).ok().map(|last| last.parse().unwrap());
    let (directory, last) = match std::env::var_os(DIRECTORY) {
        Some(directory) => (PathBuf::from(directory), set.unwrap_or(u64::MAX)),
        None => (own.path().to_owned(), 5),
    };
    let locked = DataDir::open(&directory).unwrap();
    let log = std::sync::Arc::new(open(locked.path(), Settings::default()));
    let mut tasks = JoinSet::new();
    for number in 0..SESSIONS {
        let log = std::sync::Arc::clone(&log);
        tasks.spawn(async move { count(&*log, &format!("s{number}").into(), last).await });
    }
    assert_eq!(tasks.join_all().await, [last; SESSIONS]);
    log.close().await.unwrap();
}

/// Counts on from what is stored, and tells every number once it is acknowledged.
async fn count(log: &dyn StreamLog, session: &SessionId, last: u64) -> u64 {
    let turn = format!("{session}-{}", std::process::id());
    log.append(session, turn_started(session, &turn), Durability::Grouped).await.unwrap();
    let mut next = log.head(session).await.unwrap().borrow().seq;
    let (mut counted, mut out) = (0, std::io::stdout());
    while counted < last {
        next += 1;
        counted += 1;
        let text = text(next);
        let (status, durability) = match is_synced(next) {
            true => (UpsertStatus::Complete, Durability::Synced),
            false => (UpsertStatus::Update, Durability::Grouped),
        };
        let mut encoder = Encoder::default();
        encoder
            .upsert(&Upsert { turn_id: turn.as_str().into(), ..upsert(session, "counter", status, &text) });
        log.append(session, encoder.take(), durability).await.unwrap();
        writeln!(out, "{session} {next}").unwrap();
    }
    counted
}

/// What is said with a number.
pub(crate) fn text(number: u64) -> String {
    format!("{number} {}", "x".repeat(usize::try_from(number * 37 % 9000).unwrap()))
}

/// Whether a number is to survive a power failure as soon as it is acknowledged.
pub(crate) const fn is_synced(number: u64) -> bool {
    number.is_multiple_of(5)
}
