//! Sessions of Codex on disk: which are listed, and what of them is read.

use std::fs;
use std::path::{Path, PathBuf};

use liminal_builder::discovery::codex::{Sessions, home_directory};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::discovery::disk::{self, stop_time};

/// A home of Codex and a project, both real.
struct Disk {
    root: TempDir,
    project: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let (root, project) = disk::with_project();
        Self { root, project }
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(&self.home())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        disk::write(self.home().join(name), text)
    }

    fn session(&self, number: u8, lines: &[String]) -> PathBuf {
        self.write(&format!("sessions/2026/01/{:02}/{}", number + 1, name(number)), lines.join("\n") + "\n")
    }

    fn opening(&self) -> String {
        opening_in(&self.project.to_string_lossy())
    }

    fn titles(&self, sessions: &mut Sessions) -> Vec<String> {
        let listing = sessions.list(&self.project).unwrap();
        assert_eq!(listing.unreadable, Vec::<PathBuf>::new());
        listing.sessions.into_iter().map(|session| session.title.unwrap_or_default()).collect()
    }
}

fn id(number: u8) -> String {
    format!("{number:08}-2222-7333-8444-555555555555")
}

fn name(number: u8) -> String {
    format!("rollout-2026-01-01T00-00-00-{}.jsonl", id(number))
}

fn line(second: u8, kind: &str, payload: &Value) -> String {
    json!({ "timestamp": format!("2026-01-01T00:00:{second:02}.000Z"), "type": kind, "payload": payload })
        .to_string()
}

fn opening_in(cwd: &str) -> String {
    line(0, "session_meta", &json!({ "id": id(1), "cwd": cwd, "source": "cli", "model_provider": "openai" }))
}

fn prompt(text: &str, second: u8) -> String {
    line(second, "event_msg", &json!({ "type": "user_message", "message": text }))
}

fn new_prompt(text: &str, second: u8) -> String {
    let item = json!({ "type": "UserMessage", "content": [{ "type": "text", "text": text }] });
    line(second, "event_msg", &json!({ "type": "item_completed", "item": item }))
}

fn answer(text: &str, second: u8) -> String {
    line(second, "event_msg", &json!({ "type": "agent_message", "message": text }))
}

fn turn(model: &str, second: u8) -> String {
    line(second, "turn_context", &json!({ "cwd": "/elsewhere", "model": model }))
}

#[test]
fn the_home_is_at_home_unless_told() {
    disk::assert_at_home_unless_told(".codex", home_directory);
}

#[test]
fn a_machine_without_codex_has_an_empty_list() {
    let disk = Disk::new();
    assert!(disk.titles(&mut disk.sessions()).is_empty());
}

#[test]
fn sessions_are_listed_the_latest_first() {
    let disk = Disk::new();
    disk.session(1, &[disk.opening(), turn("old", 1), prompt("older", 1), answer("yes", 2)]);
    disk.session(2, &[disk.opening(), turn("new", 3), new_prompt("newer", 3), answer("yes", 4)]);
    let listing = disk.sessions().list(&disk.project).unwrap();
    let [newer, older] = &listing.sessions[..] else { panic!("{listing:?}") };
    assert_eq!((newer.title.as_deref(), older.title.as_deref()), (Some("newer"), Some("older")));
    assert_eq!((newer.id.as_str(), newer.is_archived), (id(2).as_str(), false));
    assert_eq!(newer.first_prompt.as_deref(), Some("newer"));
    assert_eq!((newer.model.as_deref(), newer.model_provider.as_deref()), (Some("new"), Some("openai")));
    assert_eq!(newer.last_activity.to_string(), "2026-01-01T00:00:04Z");
}

#[test]
fn a_session_is_called_what_the_user_called_it_last() {
    let disk = Disk::new();
    disk.session(1, &[disk.opening(), prompt("first", 1)]);
    disk.session(2, &[disk.opening(), prompt("second", 2)]);
    disk.session(3, &[disk.opening(), prompt("third", 3)]);
    let named = |number, name| json!({"id": id(number), "thread_name": name, "updated_at": "x"}).to_string();
    let mut lines = vec![named(1, "old"), "no JSON".to_owned(), "{}".to_owned(), named(1, "My name\nmore")];
    lines.extend([named(2, "once"), named(2, " "), named(9, "of nobody")]);
    disk.write("session_index.jsonl", lines.join("\n"));
    let mut sessions = disk.sessions();
    assert_eq!(disk.titles(&mut sessions), ["third", "second", "My name"]);
    lines.push(named(3, "newer"));
    disk.write("session_index.jsonl", lines.join("\n"));
    assert_eq!(disk.titles(&mut sessions), ["newer", "second", "My name"]);
    fs::remove_file(disk.home().join("session_index.jsonl")).unwrap();
    assert_eq!(disk.titles(&mut sessions), ["third", "second", "first"]);
    fs::create_dir(disk.home().join("session_index.jsonl")).unwrap();
    assert_eq!(sessions.list(&disk.project).unwrap().unreadable, [disk.home().join("session_index.jsonl")]);
}

#[test]
fn compressed_files_are_counted_and_not_read() {
    let disk = Disk::new();
    disk.session(1, &[disk.opening(), prompt("first", 1)]);
    disk.write(&format!("sessions/2025/01/01/{}.zst", name(2)), [0x28, 0xb5, 0x2f, 0xfd]);
    disk.write(&format!("archived_sessions/{}.zst", name(3)), [0x28, 0xb5, 0x2f, 0xfd]);
    disk.write("archived_sessions/other.zst", "");
    let listing = disk.sessions().list(&disk.project).unwrap();
    assert_eq!((listing.sessions.len(), listing.compressed), (1, 2));
}

#[test]
fn recorded_sessions_are_listed() {
    let disk = Disk::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../liminal-core/tests/fixtures/codex-rollout");
    for (version, cwd, number) in
        [("0.137", "/home/dev/zed-load_a", 1), ("0.166", "/home/dev/node-load_a", 2)]
    {
        let recorded = fs::read_to_string(fixtures.join(format!("{version}.jsonl"))).unwrap();
        disk.session(number, &[recorded]);
        let listing = disk.sessions().list(Path::new(cwd)).unwrap();
        let [session] = &listing.sessions[..] else { panic!("{listing:?}") };
        assert_eq!(
            (session.id.as_str(), session.title.as_deref()),
            (id(number).as_str(), Some("SCENARIO:multi"))
        );
    }
}

#[test]
fn archived_sessions_are_listed_as_such() {
    let disk = Disk::new();
    let path = disk.session(1, &[disk.opening(), prompt("put away", 1)]);
    let mut sessions = disk.sessions();
    assert!(!sessions.list(&disk.project).unwrap().sessions[0].is_archived);
    let archived = disk.home().join("archived_sessions");
    fs::create_dir(&archived).unwrap();
    fs::rename(&path, archived.join(name(1))).unwrap();
    let listing = sessions.list(&disk.project).unwrap();
    let [session] = &listing.sessions[..] else { panic!("{listing:?}") };
    assert!(session.is_archived);
    fs::copy(archived.join(name(1)), path).unwrap();
    assert_eq!(disk.titles(&mut sessions), ["put away"], "a session is listed once");
}

#[test]
fn only_sessions_of_the_project_are_listed() {
    let disk = Disk::new();
    disk.session(1, &[disk.opening(), prompt("mine", 1)]);
    disk.session(2, &[opening_in("/home/dev/other"), prompt("of another directory", 2)]);
    disk.session(3, &[disk.opening()]);
    disk.session(4, &[prompt("of nowhere", 1)]);
    let address = format!("file://{}", disk.project.to_string_lossy().replace(' ', "%20"));
    disk.session(5, &[opening_in(&address), prompt("by address", 5)]);
    let source = json!({ "cwd": disk.project, "source": { "subagent": "review" } });
    disk.session(6, &[line(0, "session_meta", &source), prompt("of a sub-agent", 6)]);
    assert_eq!(disk.titles(&mut disk.sessions()), ["by address", "mine"]);
}

#[test]
fn only_rollouts_below_a_date_are_read() {
    let disk = Disk::new();
    let text = [disk.opening(), prompt("elsewhere", 1)].join("\n");
    for place in
        ["sessions", "sessions/2026/01", "sessions/2026/1/01", "sessions/notes/01/01", "archived_sessions/01"]
    {
        disk.write(&format!("{place}/{}", name(1)), &text);
    }
    for wrong in ["rollout-x.jsonl", "rollout-2026.jsonl.zst", "ö-22222222-2222-7333-8444-555555555555.jsonl"]
    {
        disk.write(&format!("sessions/2026/01/01/{wrong}"), &text);
    }
    fs::create_dir_all(disk.home().join("sessions/2026/01/01").join(name(2))).unwrap();
    assert!(disk.titles(&mut disk.sessions()).is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let disk = Disk::new();
    let text = [disk.opening(), prompt("outside", 1)].join("\n");
    let outside = disk.root.path().join("outside/2026/01/01");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join(name(1)), text).unwrap();
    let sessions = disk.home().join("sessions");
    fs::create_dir_all(sessions.join("2025/01/01")).unwrap();
    symlink(outside.join(name(1)), sessions.join("2025/01/01").join(name(1))).unwrap();
    symlink(disk.root.path().join("outside/2026"), sessions.join("2026")).unwrap();
    symlink(&outside, sessions.join("2025/01/02")).unwrap();
    symlink(&outside, disk.home().join("archived_sessions")).unwrap();
    assert!(disk.titles(&mut disk.sessions()).is_empty());
}

#[test]
fn long_instructions_are_read_over() {
    let disk = Disk::new();
    let opening = |length: usize| {
        let instructions = json!({ "text": "x".repeat(length) });
        line(0, "session_meta", &json!({ "cwd": disk.project, "base_instructions": instructions }))
    };
    disk.session(1, &[opening(200_000), prompt("after long", 1), answer("yes", 2)]);
    let turn = line(1, "turn_context", &json!({ "cwd": disk.project, "model": "m" }));
    disk.session(2, &[opening(900_000), turn, prompt("after too long", 1), answer("yes", 1)]);
    assert_eq!(disk.titles(&mut disk.sessions()), ["after long", ""]);
}

#[test]
fn the_middle_of_a_long_file_is_not_read() {
    let disk = Disk::new();
    let mut lines = vec![disk.opening(), turn("first", 1), prompt("begin", 1)];
    lines.push(turn("middle", 2));
    lines.extend((0..500).map(|_| answer(&"x".repeat(1000), 3)));
    disk.session(1, &lines);
    let model = || disk.sessions().list(&disk.project).unwrap().sessions[0].model.clone();
    assert_eq!(model().as_deref(), Some("first"));
    lines.push(turn("last", 4));
    disk.session(1, &lines);
    assert_eq!(model().as_deref(), Some("last"));
}

#[test]
fn an_unchanged_file_is_not_read_again() {
    let disk = Disk::new();
    let path = disk.session(1, &[disk.opening(), prompt("first", 1)]);
    stop_time(&path);
    let mut sessions = disk.sessions();
    assert_eq!(disk.titles(&mut sessions), ["first"]);
    disk.session(1, &[disk.opening(), prompt("other", 1)]);
    stop_time(&path);
    assert_eq!(disk.titles(&mut sessions), ["first"], "same size, time and file");
    disk.session(1, &[disk.opening(), prompt("other", 1), answer("yes", 2)]);
    assert_eq!(disk.titles(&mut sessions), ["other"], "the file has grown");
    fs::remove_file(&path).unwrap();
    assert!(disk.titles(&mut sessions).is_empty());
}

#[cfg(unix)]
#[test]
fn a_project_is_found_by_its_link_too() {
    let disk = Disk::new();
    disk.session(1, &[disk.opening(), prompt("mine", 1)]);
    let link = disk.root.path().join("link");
    std::os::unix::fs::symlink(&disk.project, &link).unwrap();
    assert_eq!(disk.sessions().list(&link).unwrap().sessions.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_file_is_listed_or_left_out(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let disk = Disk::new();
        disk.session(1, &[disk.opening(), prompt("mine", 1)]);
        disk.write(&format!("sessions/2026/01/01/{}", name(2)), &bytes);
        let mut after = (disk.opening() + "\n").into_bytes();
        after.extend(&bytes);
        disk.write(&format!("sessions/2026/01/01/{}", name(3)), &after);
        prop_assert_eq!(disk.titles(&mut disk.sessions()), ["mine"]);
    }
}
