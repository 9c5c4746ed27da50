//! What `liminal process` costs as a program: start, time per event, memory. Prints figures; asserts nothing.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark prints, reads the clock, starts the program and fails by panicking"
)]

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DELTAS: usize = 100_000;
const RUNS: usize = 5;

fn main() {
    startup();
    for (title, gradient) in [("default gradient", "10,20,40,80,120"), ("one emission", "1000000000")] {
        whole_run(title, gradient, "upsert-v1");
    }
    let runs: Vec<f64> =
        (0..RUNS).map(|_| whole_run("stream-b", "10,20,40,80,120", "stream-b") * 1e6).collect();
    println!("{}", serde_json::json!({ "figure": "stream-b.100k.cpu", "unit": "us", "samples": runs }));
}

fn startup() {
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let began = Instant::now();
            assert!(liminal("10", "upsert-v1").stdin(Stdio::null()).status().unwrap().success());
            began.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "start and end without input: {:.1} ms (median of 21)",
        times.get(10).unwrap().as_secs_f64() * 1e3
    );
}

/// Gives the seconds of CPU per event.
fn whole_run(title: &str, gradient: &str, profile: &str) -> f64 {
    let input = input();
    let mut child = liminal(gradient, profile).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let began = Instant::now();
    let writer = std::thread::spawn(move || {
        stdin.write_all(input.as_bytes()).unwrap();
        stdin
    });
    let (bytes, ended) = read_until_turn_ends(&mut stdout);
    let elapsed = ended.duration_since(began);
    let (cpu, peak) = (cpu_time(&child), peak_memory(&child));
    drop(writer.join().unwrap());
    child.wait().unwrap();
    println!(
        "{DELTAS} deltas, {title}: {:.0} MB out in {:.0} ms",
        bytes as f64 / 1e6,
        elapsed.as_secs_f64() * 1e3
    );
    println!(
        "  {:.0} ns of CPU per event, {:.2} GB/s of output",
        cpu * 1e9 / DELTAS as f64,
        bytes as f64 / 1e9 / elapsed.as_secs_f64()
    );
    println!("  peak memory {:.1} MB for an open item of {:.1} MB", peak / 1e3, (DELTAS * 5) as f64 / 1e6);
    cpu / DELTAS as f64
}

fn read_until_turn_ends(stdout: &mut impl Read) -> (usize, Instant) {
    let (mut total, mut chunk, mut tail) = (0, vec![0; 1 << 20], Vec::new());
    loop {
        let length = stdout.read(&mut chunk).unwrap();
        total += length;
        tail.extend_from_slice(chunk.get(..length).unwrap());
        if length == 0 || String::from_utf8_lossy(&tail).contains("turn_complete") {
            return (total, Instant::now());
        }
        tail.drain(..tail.len().saturating_sub(200));
    }
}

fn input() -> String {
    let line = |payload: &str, kind: &str| {
        format!(
            r#"{{"eventId":"0190a1b2-turn#1","timestamp":"2026-01-01T00:00:00.000Z","turnId":"0190a1b2-turn","sessionId":"claude-code:0f3c2a54","type":"{kind}","payload":{{"type":"{kind}"{payload}}}}}"#
        )
    };
    let mut input = String::new();
    writeln!(input, "{}", line(r#","itemId":"i","itemType":"message""#, "item_start")).unwrap();
    let delta = line(r#","itemId":"i","deltaContent":"word ""#, "item_delta");
    for _ in 0..DELTAS {
        writeln!(input, "{delta}").unwrap();
    }
    writeln!(input, "{}", line(r#","status":"completed""#, "response_done")).unwrap();
    input
}

fn liminal(gradient: &str, profile: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_liminal"));
    command.args(["process", "--clock", "events", "--gradient", gradient, "--profile", profile]);
    command
}

/// Seconds of user and system time so far.
fn cpu_time(child: &Child) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

/// Kilobytes at the most so far.
fn peak_memory(child: &Child) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}
