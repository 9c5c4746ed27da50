use super::super::testing::*;
use super::super::*;

const SOON: Duration = Duration::from_millis(50);
const LATE: Duration = Duration::from_secs(20);
const PATIENT: StopLadder = StopLadder { close_stdin: LATE, terminate: LATE, kill: LATE };

/// Each starts one process that prints its pid; they differ in how well it hides.
const TAGGED: [&str; 7] = [
    "sh -c 'echo $$; exec sleep 60' &",
    "setsid sh -c 'echo $$; exec sleep 60' &",
    "(sh -c 'echo $$; exec sleep 60' &)",
    "(setsid sh -c 'echo $$; exec sleep 60' &)",
    "setsid sh -c 'trap \"\" TERM HUP INT; echo $$; while :; do sleep 60; done' &",
    "setsid sh -c 'echo $$; for i in $(seq 300); do setsid sleep 60 & sleep 0.01; done' &",
    r#"(setsid sh -c 'echo $$; exec sh -c "$0" "$0" 0' '[ $1 -lt 3000 ] && exec sh -c "$0" "$0" $(($1+1))' &)"#,
];

/// Without a trace of ours, so it is only found while its parent lives.
const UNTAGGED: &str = "env -i PATH=\"$PATH\" setsid sh -c 'echo $$; exec sleep 60' &";

struct Family {
    process: AgentProcess,
    members: Members,
}

struct Members {
    listed: Doomed,
    tag: String,
}

impl Family {
    async fn start(scripts: &[&str]) -> Self {
        let spec = shell(&format!("{}\ncat >/dev/null; exit 0", scripts.join("\n")));
        let mut process = AgentProcess::spawn(&spec).unwrap();
        let mut listed = read_identities(process.take_stdout().unwrap(), scripts.len()).await;
        listed.push(process.identity());
        Self { process, members: Members { listed: Doomed(listed), tag: spec.session.variable() } }
    }

    async fn start_all() -> Self {
        Self::start(&[&TAGGED[..], &[UNTAGGED]].concat()).await
    }
}

impl Members {
    fn living(&self) -> Vec<ProcessIdentity> {
        let table = platform::process_table().into_iter().map(|entry| entry.identity);
        let tagged = table.filter(|each| platform::carries_variable(each.pid, &self.tag) == Some(true));
        self.listed.0.iter().copied().chain(tagged).filter(|each| is_alive(*each)).collect()
    }

    fn are_reaped(&self) -> bool {
        !self.listed.0.iter().any(|each| platform::exists(*each))
    }

    async fn die_within_two_seconds(&self) {
        within(Duration::from_secs(2), "all dead", || self.living().is_empty()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_descendant_outlives_a_stop_whatever_the_step() {
    let ladders = [
        (StopLadder::at_once(), StopStep::Killed),
        (StopLadder { close_stdin: Duration::ZERO, ..PATIENT }, StopStep::Terminated),
        (PATIENT, StopStep::StdinClosed),
    ];
    for (ladder, step) in ladders {
        let Family { process, members } = Family::start_all().await;
        let report = process.stop(&ladder).await;
        assert_eq!((report.step, report.survivors), (step, vec![]));
        assert!(report.leftovers_killed >= 4, "{} after {step:?}", report.leftovers_killed);
        assert_eq!(members.living(), vec![], "{step:?}");
        assert!(members.are_reaped(), "{step:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_descendant_outlives_a_drop() {
    let Family { process, members } = Family::start_all().await;
    drop(process);
    members.die_within_two_seconds().await;
    eventually("all reaped", || members.are_reaped()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_descendant_is_overlooked_while_it_swaps_its_program() {
    for _ in 0..20 {
        let Family { process, members } = Family::start(&["(setsid sh -c 'echo $$; exec sleep 60' &)"]).await;
        drop(process);
        members.die_within_two_seconds().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tagged_descendant_outlives_a_crash() {
    let Family { mut process, members } = Family::start(&TAGGED).await;
    platform::signal(process.identity(), Signal::KILL).unwrap();
    assert_eq!(process.wait().await, Exit::Signal(9));
    drop(process);
    members.die_within_two_seconds().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_is_given_up_kills_at_once() {
    let Family { mut process, members } = Family::start_all().await;
    let stdin = process.take_stdin();
    assert!(timeout(SOON, process.stop(&PATIENT)).await.is_err());
    members.die_within_two_seconds().await;
    drop(stdin);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_leaves_the_other_agents_alone() {
    let mut other = AgentProcess::spawn(&shell("sh -c 'echo $$; exec sleep 60' & cat; exit 4")).unwrap();
    let theirs = read_identities(other.take_stdout().unwrap(), 1).await;
    Family::start_all().await.process.stop(&StopLadder::at_once()).await;
    assert!(is_alive(theirs[0]) && is_alive(other.identity()));
    assert_eq!(other.stop(&PATIENT).await.exit, Exit::Code(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn tells_which_step_ended_the_agent_and_how() {
    let terminate_soon = StopLadder { close_stdin: SOON, ..PATIENT };
    let kill_soon = StopLadder { close_stdin: SOON, terminate: SOON, kill: LATE };
    let cases = [
        ("echo ready; cat; exit 7", PATIENT, StopStep::StdinClosed, Exit::Code(7)),
        ("echo ready; exec sleep 60", terminate_soon, StopStep::Terminated, Exit::Signal(15)),
        (
            "trap 'exit 143' TERM; echo ready; while :; do sleep 0.01; done",
            terminate_soon,
            StopStep::Terminated,
            Exit::Code(143),
        ),
        (
            "trap '' TERM; echo ready; while :; do sleep 60; done",
            kill_soon,
            StopStep::Killed,
            Exit::Signal(9),
        ),
        ("echo ready; exec sleep 60", StopLadder::at_once(), StopStep::Killed, Exit::Signal(9)),
    ];
    for (script, ladder, step, exit) in cases {
        let mut process = AgentProcess::spawn(&shell(script)).unwrap();
        wait_ready(&mut process).await;
        let report = process.stop(&ladder).await;
        assert_eq!((report.step, report.exit), (step, exit), "{script}");
    }
}

#[tokio::test]
async fn an_agent_that_ended_by_itself_is_reported_so() {
    let mut process = AgentProcess::spawn(&shell("echo 'no such model' >&2; exit 3")).unwrap();
    assert_eq!(process.wait().await, Exit::Code(3));
    let report = process.stop(&PATIENT).await;
    let expected = ExitReport {
        exit: Exit::Code(3),
        step: StopStep::Itself,
        stderr_tail: "no such model\n".into(),
        leftovers_killed: 0,
        survivors: vec![],
    };
    assert_eq!(report, expected);
}

#[tokio::test]
async fn a_flood_on_stderr_blocks_nobody_and_its_tail_is_kept() {
    let script = "head -c 10000000 /dev/zero | tr '\\0' x >&2; echo end >&2";
    let mut process = AgentProcess::spawn(&shell(script)).unwrap();
    assert_eq!(timeout(LATE, process.wait()).await, Ok(Exit::Code(0)));
    let tail = process.stop(&PATIENT).await.stderr_tail;
    assert_eq!(tail.len(), 64 * 1024);
    assert!(tail.ends_with(b"xxxend\n"));
}

/// A program that hangs together with a child of its own.
#[tokio::test]
async fn a_short_program_that_does_not_answer_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("{}/mark", folder.path().display());
    let script = format!("sleep 1000 & echo $! > {mark}; wait");
    let environment = Environment::inherited();
    let args = ["-c", &script];
    let patience = Duration::from_secs(2);
    let late =
        run_for_output(std::path::Path::new("/bin/sh"), &args, &environment, patience).await.unwrap_err();
    let told = late.to_string();
    assert!(told.contains("did not answer `-c "), "{told}");
    assert!(told.ends_with("` within 2 s; run it by hand to see why"), "{told}");
    let child: u32 = std::fs::read_to_string(&mark).unwrap().trim().parse().unwrap();
    assert!(platform::process_entry(child).is_none_or(|entry| entry.is_zombie));
}

/// What a program leaves running is its own business, and does not keep its answer back.
#[tokio::test]
async fn a_short_program_that_leaves_something_behind_is_answered_and_left_alone() {
    let environment = Environment::inherited();
    let args = ["-c", "sleep 1000 & echo $!"];
    let run = run_for_output(std::path::Path::new("/bin/sh"), &args, &environment, LATE).await.unwrap();
    let child: u32 = run.stdout.trim().parse().unwrap();
    let entry = platform::process_entry(child).unwrap();
    assert!(run.succeeded && !entry.is_zombie);
    platform::signal(entry.identity, Signal::KILL).unwrap();
}
