//! Ids that nobody was given, and what the server looks for because of them, as `strace` sees it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use super::figures::tell;
use super::world::{World, wait_until};
use crate::server::odd_ids::ODD;

/// Ends the server, also when the test fails: whoever is traced may outlive the one that traces.
struct Ended(Pid);

impl Drop for Ended {
    fn drop(&mut self) {
        // Another signal may be lost when the one that traces is ended right afterwards.
        kill_process(self.0, Signal::KILL).ok();
    }
}

#[expect(clippy::disallowed_methods, reason = "the program under test is started by hand")]
fn traced(command: &Command, seen: &Path) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "--seccomp-bpf", "-s", "20000", "-e", "trace=%file", "-o"]).arg(seen);
    strace.arg(command.get_program()).args(command.get_args());
    strace.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.stdout(std::process::Stdio::piped());
    strace
}

/// The path in a line such as `12 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3`; an empty one means an open file.
fn path(line: &str) -> Option<&str> {
    line.split('"').nth(1).filter(|path| !path.is_empty())
}

#[test]
fn c45_no_odd_id_makes_the_server_look_for_a_file() {
    // Only a missing login is asked for again; and the C library counts the processors, by a file, when it first wants
    // another arena, unless it is told how many it may have.
    let world = World::new().with("FAKE_AGENT_LOGGED_IN", "yes").with("MALLOC_ARENA_MAX", "4");
    let seen = world.data().with_extension("strace");
    let server = world.start_by(traced(&world.command(), &seen));
    let _ended = Ended(server.own_pid(&world));
    let looks = || fs::read_to_string(&seen).unwrap();
    // What is read once, such as the time zone, is read now.
    assert_eq!(
        server.client.get("/api/session/demo:00000000-0000-4000-8000-000000000000/status").status,
        404
    );
    // Agents are detected in the background, which is not the doing of any request below. Each of these requests makes
    // the server look at the same files once more, when it comes to it.
    wait_until("the agents are detected, at last whether they are logged in", || {
        let agents = server.client.get("/api/agents").body;
        !agents.contains("\"detecting\"") && agents.contains("\"loggedIn\":true")
    });
    wait_until("nothing that was asked is left", || world.processes().is_empty());
    let before = looks().len();
    let mut asked = 0;
    for id in ODD {
        for deed in ["status", "history", "queue", "upserts", "events", "export", "items/a/output"] {
            assert!([400, 404].contains(&server.client.get(&format!("/api/session/{id}/{deed}")).status));
            asked += 1;
        }
        for deed in ["load", "kill", "cancel", "archive"] {
            assert!([400, 404].contains(&server.client.act(&format!("/api/session/{id}/{deed}")).status));
            asked += 1;
        }
    }
    let all = looks();
    let known: BTreeSet<&str> = all[..before].lines().filter_map(path).collect();
    let looked: Vec<&str> = all[before..].lines().filter_map(path).collect();
    let data = world.data();
    let is_new = |path: &&&str| !Path::new(path).starts_with(&data) && !known.contains(**path);
    let elsewhere: Vec<_> = looked.iter().filter(is_new).collect();
    tell("C45", &format!("{asked} requests with odd ids: {} looks at files, none of them new", looked.len()));
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    assert!(!known.is_empty(), "strace saw the server's start");
}
