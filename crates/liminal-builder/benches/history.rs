//! How long it takes to list many sessions, and to read one. Prints figures and asserts nothing: they depend on the
//! disk. Writes 1,000 sessions of 1 MB per agent into a temporary directory, or into the directory that is given, where
//! they stay for a next run.
#![expect(clippy::expect_used, reason = "a bench that cannot write its files has nothing to tell")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use liminal_builder::discovery::{claude_code, codex};

const SESSIONS: usize = 1000;
const BYTES: usize = 1_000_000;
const PROJECT: &str = "/home/dev/project";
/// What Codex writes before the first prompt, at its longest.
const INSTRUCTIONS: usize = 100_000;

fn main() {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let directory = given.unwrap_or_else(|| temporary.path().to_owned());
    claude_code(&directory);
    codex(&directory);
}

fn claude_code(config: &Path) {
    let directory = config.join("projects").join(claude_code::project_slug(PROJECT));
    generate(&directory, &body(), |directory, number| {
        let prompt = line("user", &format!("p{number}"), &format!("\"Prompt number {number}\""));
        (directory.join(format!("{}.jsonl", id(number))), prompt)
    });
    let project = Path::new(PROJECT);
    let mut sessions = claude_code::Sessions::new(config);
    report("Claude Code: list 1,000 sessions of 1 MB, nothing known", || {
        sessions.list(project).map(|list| list.sessions.len())
    });
    report("Claude Code: list them again, nothing changed", || {
        sessions.list(project).map(|list| list.sessions.len())
    });
    let mut fresh = claude_code::Sessions::new(config);
    report("Claude Code: list them, nothing known, files in memory", || {
        fresh.list(project).map(|list| list.sessions.len())
    });
    report("Claude Code: read one in full", || {
        sessions.open(project, &id(0)).map(|history| history.events.len())
    });
}

fn codex(home: &Path) {
    let instructions = "word ".repeat(INSTRUCTIONS / 5);
    generate(&home.join("sessions/2026/01"), &rollout_body(), |directory, number| {
        let day = directory.join(format!("{:02}", number % 28 + 1));
        fs::create_dir_all(&day).expect("a new directory");
        (
            day.join(format!("rollout-2026-01-01T00-00-00-{}.jsonl", id(number))),
            rollout_head(number, &instructions),
        )
    });
    let project = Path::new(PROJECT);
    let mut sessions = codex::Sessions::new(home);
    report("Codex: list 1,000 sessions of 1 MB, nothing known", || {
        sessions.list(project).map(|list| list.sessions.len())
    });
    report("Codex: list them again, nothing changed", || {
        sessions.list(project).map(|list| list.sessions.len())
    });
    let mut fresh = codex::Sessions::new(home);
    report("Codex: list them, nothing known, files in memory", || {
        fresh.list(project).map(|list| list.sessions.len())
    });
}

#[expect(clippy::print_stdout, reason = "the figures are what a bench is for")]
fn report<E: std::fmt::Debug>(what: &str, work: impl FnOnce() -> Result<usize, E>) {
    let (elapsed, count) = timed(work);
    println!("{what}: {elapsed:?} ({} found)", count.expect("readable files"));
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn id(number: usize) -> String {
    format!("{number:08x}-2222-4333-8444-555555555555")
}

/// Writes files whose path and first lines are given; the rest is the same in all.
fn generate(directory: &Path, body: &str, session: impl Fn(&Path, usize) -> (PathBuf, String)) {
    if directory.exists() {
        return;
    }
    fs::create_dir_all(directory).expect("a new directory");
    for number in 0..SESSIONS {
        let (path, head) = session(directory, number);
        let mut file = File::create(path).expect("a new file");
        file.write_all(head.as_bytes())
            .and_then(|()| file.write_all(body.as_bytes()))
            .expect("room on the disk");
    }
}

/// Answers, calls and results of about two kilobytes each, as in a real session.
fn body() -> String {
    let text = "word ".repeat(300);
    let mut body = String::new();
    for number in (0..).take_while(|number| number * 5000 < BYTES) {
        let call = format!(
            r#"[{{"type":"tool_use","id":"t{number}","name":"Bash","input":{{"command":"{text}"}}}}]"#
        );
        let result = format!(r#"[{{"type":"tool_result","tool_use_id":"t{number}","content":"{text}"}}]"#);
        let answer = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        body += &line("assistant", &format!("c{number}"), &call);
        body += &line("user", &format!("r{number}"), &result);
        body += &line("assistant", &format!("a{number}"), &answer);
    }
    body
}

fn line(kind: &str, uuid: &str, content: &str) -> String {
    format!(
        concat!(
            r#"{{"parentUuid":null,"isSidechain":false,"type":"{}","uuid":"{}","cwd":"{}","#,
            r#""timestamp":"2026-01-01T00:00:00.000Z","message":{{"model":"claude-opus-4-8","content":{}}}}}"#,
            "\n"
        ),
        kind, uuid, PROJECT, content
    )
}

fn rollout_head(number: usize, instructions: &str) -> String {
    let meta = format!(
        r#"{{"id":"{}","cwd":"{PROJECT}","source":"cli","base_instructions":{{"text":"{instructions}"}}}}"#,
        id(number)
    );
    let turn = format!(r#"{{"cwd":"{PROJECT}","model":"gpt-5.5"}}"#);
    let prompt = format!(r#"{{"type":"user_message","message":"Prompt number {number}"}}"#);
    rollout_line("session_meta", &meta)
        + &rollout_line("turn_context", &turn)
        + &rollout_line("event_msg", &prompt)
}

/// A rollout tells most things twice: for the model, and for people.
fn rollout_body() -> String {
    let text = "word ".repeat(300);
    let mut body = String::new();
    for number in (0..).take_while(|number| number * 6500 < BYTES) {
        let call = format!(
            r#"{{"type":"function_call","name":"exec_command","arguments":"{text}","call_id":"c{number}"}}"#
        );
        let result = format!(r#"{{"type":"function_call_output","call_id":"c{number}","output":"{text}"}}"#);
        let said = format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#
        );
        body += &rollout_line("response_item", &call);
        body += &rollout_line("response_item", &result);
        body += &rollout_line("event_msg", &format!(r#"{{"type":"agent_message","message":"{text}"}}"#));
        body += &rollout_line("response_item", &said);
    }
    body
}

fn rollout_line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:00.000Z","type":"{kind}","payload":{payload}}}"#) + "\n"
}
