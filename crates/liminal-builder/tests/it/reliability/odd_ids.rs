//! Ids that nobody was given, and what the server looks for because of them, as `strace` sees it.

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
    let world = World::new();
    let seen = world.data().with_extension("strace");
    let server = world.start_by(traced(&world.command(), &seen));
    let _ended = Ended(server.own_pid(&world));
    let looks = || fs::read_to_string(&seen).unwrap();
    // What is read once, such as the time zone, is read now.
    assert_eq!(
        server.client.get("/api/session/demo:00000000-0000-4000-8000-000000000000/status").status,
        404
    );
    // Agents are detected in the background, which is not the doing of any request below.
    wait_until("the agents are detected", || {
        !server.client.get("/api/agents").body.contains("\"detecting\"")
    });
    wait_until("nothing is looked for", || {
        let before = looks().len();
        (0..20).all(|_| server.client.get("/healthz").status == 200) && looks().len() == before
    });
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
    let looked: Vec<&str> = all[before..].lines().filter_map(path).collect();
    let data = world.data();
    let elsewhere: Vec<_> = looked.iter().filter(|path| !Path::new(path).starts_with(&data)).collect();
    tell("C45", &format!("{asked} requests with odd ids: {} looks at files, all in the data", looked.len()));
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    assert!(path(&all[..before]).is_some(), "strace saw the server's start");
}
