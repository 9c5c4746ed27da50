//! How long it takes to list many sessions, and to read one. Prints figures and asserts nothing: they depend on the
//! disk. Writes 1,000 sessions of 1 MB into a temporary directory, or into the directory that is given, where they
//! stay for a next run.
#![expect(clippy::expect_used, reason = "a bench that cannot write its files has nothing to tell")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use liminal_builder::discovery::claude_code::{Sessions, project_slug};

const SESSIONS: usize = 1000;
const BYTES: usize = 1_000_000;
const PROJECT: &str = "/home/dev/project";

fn main() {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let config = given.unwrap_or_else(|| temporary.path().to_owned());
    generate(&config.join("projects").join(project_slug(PROJECT)));

    let project = Path::new(PROJECT);
    let mut sessions = Sessions::new(&config);
    report("list 1,000 sessions of 1 MB, nothing known", || {
        sessions.list(project).map(|list| list.sessions.len())
    });
    report("list them again, nothing changed", || sessions.list(project).map(|list| list.sessions.len()));
    let mut fresh = Sessions::new(&config);
    report("list them, nothing known, files in memory", || {
        fresh.list(project).map(|list| list.sessions.len())
    });
    report("read one in full", || sessions.open(project, &id(0)).map(|history| history.events.len()));
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

fn generate(directory: &Path) {
    if directory.exists() {
        return;
    }
    fs::create_dir_all(directory).expect("a new directory");
    let body = body();
    for number in 0..SESSIONS {
        let mut file = File::create(directory.join(format!("{}.jsonl", id(number)))).expect("a new file");
        let prompt = line("user", &format!("p{number}"), &format!("\"Prompt number {number}\""));
        file.write_all(prompt.as_bytes())
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
