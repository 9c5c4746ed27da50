//! Everything that can go wrong, in any order, in one server that is never started again: what it holds does not grow.

use std::fs;

use super::client::Client;
use super::figures::{Chance, Stopwatch, mib, tell, times};
use super::reader::{Reader, begin};
use super::world::{Server, World, alone, wait_until};

/// So many sessions take turns.
const SESSIONS: usize = 3;
/// So much memory may be the allocator's own.
const SLACK: u64 = 32 << 20;

/// What goes wrong in a turn, and how that may end. One that is silent is cancelled.
const FAULTS: [(&str, &[&str]); 9] = [
    ("!say 20 !think 5 !tool Bash {}", &["completed"]),
    ("!say 3 !exit 1", &["error"]),
    ("!say 3 !signal 9", &["error"]),
    ("!say 3 !no-result", &["error"]),
    ("!say 2 !raw 7b22747970650a !say 2", &["completed"]),
    ("!say 2 !dup !say 2", &["completed"]),
    ("!spawn setsid !say 2", &["completed"]),
    ("!say 2 !stall 600000", &["cancelled"]),
    ("!perm ls !say 2", &["cancelled"]),
];

/// What a server holds.
#[derive(Debug, Clone, Copy)]
struct Holdings {
    files: usize,
    threads: usize,
    memory: u64,
}

fn count(server: &Server, what: &str) -> usize {
    fs::read_dir(format!("/proc/{}/{what}", server.pid().as_raw_nonzero())).unwrap().count()
}

impl Holdings {
    /// When every agent is gone and nobody asks anything.
    fn at_rest(world: &World, server: &Server, sessions: &[String]) -> Self {
        for session in sessions {
            assert_eq!(server.client.act(&format!("/api/session/{session}/kill")).status, 200);
        }
        wait_until("no agent is left", || world.processes().is_empty());
        Self { files: count(server, "fd"), threads: count(server, "task"), memory: server.memory() }
    }
}

/// One turn in which something goes wrong, and one after it in which nothing does.
fn round(client: &Client, session: &str, chance: &mut Chance) {
    let (prompt, endings) = FAULTS[usize::try_from(chance.below(FAULTS.len() as u64)).unwrap()];
    let mut reader = Reader::join(client, session, None);
    let turn = begin(client, session, prompt);
    if chance.below(3) == 0 {
        // Whoever loses its connection comes back to where it was.
        let shown = std::mem::take(&mut reader.shown);
        reader = Reader::rejoin(client, session, shown, None);
    }
    if endings == ["cancelled"] {
        assert_eq!(client.act(&format!("/api/session/{session}/cancel")).status, 200);
    }
    reader.until_end(&turn);
    let end = reader.shown.end_of(&turn).unwrap_or_default();
    assert!(endings.contains(&end.as_str()), "{prompt} ended as {end}");
    let turn = begin(client, session, "!say 2");
    reader.until_end(&turn);
    assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("completed"), "after {prompt}");
    reader.shown.assert_settled();
}

#[test]
fn r28_mixed_faults_leave_nothing_open_and_make_nothing_grow() {
    let _alone = alone();
    let (world, mut chance, begun) = (World::new(), Chance::new(28), Stopwatch::start());
    let server = world.begin();
    let sessions: Vec<String> = (0..SESSIONS).map(|_| world.create(&server.client)).collect();
    let mut go_on = |rounds: usize| {
        for number in 0..rounds {
            round(&server.client, &sessions[number % SESSIONS], &mut chance);
        }
    };
    let rounds = times(36, 20_000);
    go_on(rounds.min(36));
    let before = Holdings::at_rest(&world, &server, &sessions);
    go_on(rounds);
    let after = Holdings::at_rest(&world, &server, &sessions);
    tell(
        "R28",
        &format!(
            "{rounds} mixed faults in {:.1} s: files {} to {}, threads {} to {}, memory {} to {}",
            begun.elapsed().as_secs_f64(),
            before.files,
            after.files,
            before.threads,
            after.threads,
            mib(before.memory),
            mib(after.memory),
        ),
    );
    wait_until("as many files are open as before", || count(&server, "fd") <= before.files);
    wait_until("as many threads run as before", || count(&server, "task") <= before.threads);
    assert!(after.memory <= before.memory + before.memory / 20 + SLACK, "{before:?} {after:?}");
    assert!(server.is_alive());
}
