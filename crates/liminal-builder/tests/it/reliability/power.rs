//! The power fails while the log is written. The writes and syncs of a real run are taken from `strace`; every disk that
//! they may have left is made, and opened again: what was promised is there, and nothing is mixed.

mod disk;
mod trace;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Key, Limit, StreamLog};

use super::figures::{Chance, tell, times};
use crate::log::durability::{CHILD, DIRECTORY, LAST, is_synced, text};
use disk::Disk;
use trace::{Call, Moment};

/// How many numbers each session counts: enough that the log is copied into the database in between.
const NUMBERS: u64 = 250;
const DATABASE: &str = "liminal.db";

/// The greatest number of each session.
type Numbers = BTreeMap<String, u64>;

/// What the program may rely on at a moment.
#[derive(Default)]
struct Promises {
    said: Numbers,
    kept: Numbers,
    /// What was said when a sync of the log began that is under way.
    syncing: BTreeMap<usize, Numbers>,
}

impl Promises {
    fn apply(&mut self, moment: &Moment) {
        match moment {
            Moment::Begun(_, Call::Say(line)) => self.say(line),
            Moment::Begun(call, Call::Sync(file)) if file.ends_with("liminal.db-wal") => {
                self.syncing.insert(*call, self.said.clone());
            }
            Moment::Begun(..) => {}
            Moment::Done(call) => {
                for (session, number) in self.syncing.remove(call).unwrap_or_default() {
                    keep(&mut self.kept, session, number);
                }
            }
        }
    }

    fn say(&mut self, line: &str) {
        let Some((session, number)) = line.trim_end().split_once(' ') else { return };
        let Ok(number) = number.parse() else { return };
        self.said.insert(session.to_owned(), number);
        if is_synced(number) {
            keep(&mut self.kept, session.to_owned(), number);
        }
    }
}

fn keep(numbers: &mut Numbers, session: String, number: u64) {
    let kept = numbers.entry(session).or_default();
    *kept = number.max(*kept);
}

#[tokio::test]
async fn c23_r22_a_power_failure_takes_nothing_that_was_promised() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().canonicalize().unwrap();
    SqliteLog::open(&place.join(DATABASE), Settings::default()).unwrap().0.close().await.unwrap();
    let (mut disk, mut promises) = (Disk::of(&[place.join(DATABASE)]), Promises::default());
    let moments = trace::read(&run_traced(&place), &place);
    let (mut chance, mut failures, mut copies) = (Chance::new(23), 0, 0);
    let every = (moments.len() / times(60, 3_000)).max(1) as u64;
    for moment in &moments {
        // What follows is the end, at which the log goes into the database and away.
        if matches!(moment, Moment::Begun(_, Call::Remove(_))) {
            break;
        }
        disk.apply(moment);
        promises.apply(moment);
        copies +=
            usize::from(matches!(moment, Moment::Begun(_, Call::Sync(file)) if file.ends_with(DATABASE)));
        if chance.below(every) == 0 {
            for keeps in [0, 50] {
                check(&disk, keeps, &mut chance, &promises.kept).await;
                failures += 1;
            }
        }
    }
    assert!(copies > 0, "the log was never copied into the database");
    assert!(promises.kept.values().all(|number| *number >= NUMBERS - 5), "{:?}", promises.kept);
    tell(
        "C23",
        &format!(
            "{failures} power failures in {} calls, {copies} copies of the log; 0 promises lost",
            moments.len()
        ),
    );
}

/// Runs the program that appends, and returns what `strace` saw of it.
#[expect(clippy::disallowed_methods, reason = "the program under test is started by hand")]
fn run_traced(directory: &Path) -> String {
    let seen = directory.with_extension("strace");
    let status = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-y", "-xx", "-s", "1000000", "-o"])
        .arg(&seen)
        .args(["-e", "trace=pwrite64,write,ftruncate,fsync,fdatasync,unlink"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--nocapture"])
        .env(DIRECTORY, directory)
        .env(LAST, NUMBERS.to_string())
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("strace is there; ./x test installs it").success());
    let text = fs::read_to_string(&seen).unwrap();
    fs::remove_file(seen).unwrap();
    text
}

/// Opens what the power left.
async fn check(disk: &Disk, keeps: u64, chance: &mut Chance, kept: &Numbers) {
    let left = tempfile::tempdir().unwrap();
    disk.leave(left.path(), keeps, chance);
    let (log, moved_aside) = SqliteLog::open(&left.path().join(DATABASE), Settings::default()).unwrap();
    assert_eq!(moved_aside, None);
    for (session, number) in kept {
        let page = log.history(&session.as_str().into(), None, Limit::NONE).await.unwrap();
        let counter = page.entries.iter().find(|entry| entry.key == Key::Item("counter".into()));
        let counter: serde_json::Value = serde_json::from_slice(&counter.expect(session).bytes).unwrap();
        let content = counter["content"].as_str().unwrap();
        let found: u64 = content.split(' ').next().unwrap().parse().unwrap();
        assert!(found >= *number, "{session}: {found} is there, {number} was promised");
        assert_eq!(content, text(found), "{session}");
        assert_eq!(page.entries.iter().map(|entry| entry.seq).max(), Some(page.head.seq));
    }
    log.close().await.unwrap();
}
