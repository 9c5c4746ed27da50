use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::super::testing::*;
use super::super::*;

/// Starts an orphan as a server that was killed would leave it.
fn leave_behind(instance: Option<&str>) -> ProcessIdentity {
    let mut command = Command::new("sh");
    command.args(["-c", "setsid sh -c 'echo $$; exec sleep 60' &"]);
    command.envs(instance.map(|id| ("LIMINAL_INSTANCE", id)));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.wait().unwrap();
    platform::process_entry(line.trim().parse().unwrap()).unwrap().identity
}

fn unique(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[test]
fn kills_the_leftovers_of_this_instance_only() {
    let id = unique("sweep-tag");
    let ours = leave_behind(Some(&id));
    let theirs = leave_behind(Some(&format!("{id}0")));
    let untagged = leave_behind(None);
    let _doomed = Doomed(vec![ours, theirs, untagged]);
    let report = sweep_leftovers(&InstanceId::new(&id).unwrap(), &[]).unwrap();
    assert_eq!(report, SweepReport { killed: 1, survivors: vec![] });
    assert!(!is_alive(ours) && is_alive(theirs) && is_alive(untagged));
}

#[test]
fn kills_recorded_processes_but_never_a_reused_pid() {
    let [recorded, reused, rebooted] = [(); 3].map(|()| leave_behind(None));
    let _doomed = Doomed(vec![recorded, reused, rebooted]);
    let boot = platform::boot_id().unwrap();
    let earlier = ProcessIdentity { start: reused.start - 1, ..reused };
    let records = [
        ProcessRecord { boot: boot.clone(), identity: recorded },
        ProcessRecord { boot, identity: earlier },
        ProcessRecord { boot: "another".to_owned(), identity: rebooted },
    ];
    let instance = InstanceId::new(&unique("sweep-record")).unwrap();
    let report = sweep_leftovers(&instance, &records).unwrap();
    assert_eq!(report, SweepReport { killed: 1, survivors: vec![] });
    assert!(!is_alive(recorded) && is_alive(reused) && is_alive(rebooted));
}

#[test]
fn a_signal_for_an_earlier_holder_of_a_pid_reaches_nobody() {
    let process = leave_behind(None);
    let _doomed = Doomed(vec![process]);
    let earlier = ProcessIdentity { start: process.start - 1, ..process };
    assert!(platform::signal(earlier, Signal::KILL).is_err());
    assert!(is_alive(process));
}
