//! Sessions of Claude Code on disk: which are listed, what of them is read, and what is read back in full.

use std::fs;
use std::path::{Path, PathBuf};

use liminal_builder::discovery::DiscoveryError;
use liminal_builder::discovery::claude_code::{Sessions, config_directory, project_slug};
use liminal_core::event::{FinalItem, ItemDone, StreamEvent};
use tempfile::TempDir;

use crate::discovery::disk::{self, stop_time};

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// A configuration directory and a project, both real.
struct Disk {
    root: TempDir,
    project: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let (root, project) = disk::with_project();
        let disk = Self { root, project };
        fs::create_dir_all(disk.directory()).unwrap();
        disk
    }

    fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    fn directory(&self) -> PathBuf {
        self.config().join("projects").join(project_slug(self.project.to_str().unwrap()))
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(&self.config())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        disk::write(self.directory().join(name), text)
    }

    fn session(&self, number: u8, lines: &[String]) -> PathBuf {
        self.write(&format!("{}.jsonl", id(number)), &(lines.join("\n") + "\n"))
    }

    fn prompt(&self, text: &str, second: u8) -> String {
        prompt_in(&self.project, text, second)
    }

    fn titles(&self, sessions: &mut Sessions) -> Vec<String> {
        let listing = sessions.list(&self.project).unwrap();
        assert_eq!(listing.unreadable, Vec::<PathBuf>::new());
        listing.sessions.into_iter().map(|session| session.title.unwrap_or_default()).collect()
    }
}

fn id(number: u8) -> String {
    format!("{number:08}-2222-4333-8444-555555555555")
}

fn prompt_in(cwd: &Path, text: &str, second: u8) -> String {
    let time = format!("2026-01-01T00:00:{second:02}.000Z");
    serde_json::json!({
        "type": "user", "uuid": format!("u{second}"), "timestamp": time, "cwd": cwd,
        "message": { "role": "user", "content": text },
    })
    .to_string()
}

fn answer(text: &str, second: u8) -> String {
    let time = format!("2026-01-01T00:00:{second:02}.000Z");
    serde_json::json!({
        "parentUuid": "u", "type": "assistant", "uuid": format!("a{second}"), "timestamp": time,
        "message": { "model": "claude-opus-4-8", "content": [{ "type": "text", "text": text }] },
    })
    .to_string()
}

#[test]
fn the_configuration_directory_is_at_home_unless_told() {
    disk::assert_at_home_unless_told(".claude", config_directory);
}

#[test]
fn a_project_without_sessions_has_an_empty_list() {
    let disk = Disk::new();
    assert!(disk.titles(&mut disk.sessions()).is_empty());
    assert!(Sessions::new(Path::new("/nowhere")).list(&disk.project).unwrap().sessions.is_empty());
}

#[test]
fn sessions_are_listed_the_latest_first() {
    let disk = Disk::new();
    disk.session(1, &[disk.prompt("older", 1), answer("yes", 2)]);
    disk.session(2, &[disk.prompt("newer", 3), answer("yes", 4)]);
    let listing = disk.sessions().list(&disk.project).unwrap();
    let [newer, older] = &listing.sessions[..] else { panic!("{listing:?}") };
    assert_eq!((newer.title.as_deref(), older.title.as_deref()), (Some("newer"), Some("older")));
    assert_eq!(newer.id, id(2));
    assert_eq!(newer.first_prompt.as_deref(), Some("newer"));
    assert_eq!(newer.model.as_deref(), Some("claude-opus-4-8"));
    assert_eq!(newer.last_activity.to_string(), "2026-01-01T00:00:04Z");
}

#[test]
fn only_sessions_of_the_project_are_listed() {
    let disk = Disk::new();
    disk.session(1, &[disk.prompt("mine", 1)]);
    let same_slug = disk.project.with_file_name("my-project");
    disk.session(2, &[prompt_in(&same_slug, "of another directory", 2)]);
    disk.session(3, &[r#"{"type":"summary","summary":"names only","leafUuid":"x"}"#.to_owned()]);
    disk.write("agent-1.jsonl", &disk.prompt("a sub-agent", 3));
    disk.write("notes.jsonl", &disk.prompt("no session", 3));
    disk.write(&format!("{}.json", id(4)), &disk.prompt("no session", 3));
    fs::create_dir(disk.directory().join(format!("{}.jsonl", id(5)))).unwrap();
    assert_eq!(disk.titles(&mut disk.sessions()), ["mine"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let disk = Disk::new();
    let outside = disk.root.path().join("outside.jsonl");
    fs::write(&outside, disk.prompt("outside", 1)).unwrap();
    std::os::unix::fs::symlink(&outside, disk.directory().join(format!("{}.jsonl", id(1)))).unwrap();
    assert!(disk.titles(&mut disk.sessions()).is_empty());
    assert!(disk.sessions().open(&disk.project, &id(1)).is_err());

    fs::remove_dir_all(disk.directory()).unwrap();
    let elsewhere = disk.root.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join(format!("{}.jsonl", id(2))), disk.prompt("elsewhere", 1)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, disk.directory()).unwrap();
    assert!(disk.titles(&mut disk.sessions()).is_empty());
    assert!(matches!(disk.sessions().open(&disk.project, &id(2)), Err(DiscoveryError::NotFound { .. })));
}

#[test]
fn the_middle_of_a_long_file_is_not_read() {
    let disk = Disk::new();
    let mut lines = vec![disk.prompt("begin", 1), answer("yes", 2)];
    lines.push(r#"{"type":"custom-title","customTitle":"In the middle"}"#.to_owned());
    lines.extend((0..2000).map(|_| answer(&"x".repeat(1000), 3)));
    disk.session(1, &lines);
    assert_eq!(disk.titles(&mut disk.sessions()), ["begin"]);
    lines.push(r#"{"type":"custom-title","customTitle":"At the end"}"#.to_owned());
    disk.session(1, &lines);
    assert_eq!(disk.titles(&mut disk.sessions()), ["At the end"]);
}

#[test]
fn a_first_line_longer_than_a_block_is_read() {
    let disk = Disk::new();
    disk.session(1, &[disk.prompt(&format!("long\n{}", "x".repeat(200_000)), 1), answer("yes", 2)]);
    disk.session(2, &[disk.prompt(&format!("too long\n{}", "x".repeat(900_000)), 1), answer("yes", 1)]);
    assert_eq!(disk.titles(&mut disk.sessions()), ["long", ""]);
}

#[test]
fn an_unchanged_file_is_not_read_again() {
    let disk = Disk::new();
    let path = disk.session(1, &[disk.prompt("first", 1)]);
    stop_time(&path);
    let mut sessions = disk.sessions();
    assert_eq!(disk.titles(&mut sessions), ["first"]);
    disk.session(1, &[disk.prompt("other", 1)]);
    stop_time(&path);
    assert_eq!(disk.titles(&mut sessions), ["first"], "same size, time and file");
    disk.session(1, &[disk.prompt("other", 1), answer("yes", 2)]);
    assert_eq!(disk.titles(&mut sessions), ["other"], "the file has grown");
    fs::remove_file(&path).unwrap();
    assert!(disk.titles(&mut sessions).is_empty());
}

#[test]
fn a_session_is_read_with_its_sub_agents() {
    let disk = Disk::new();
    let call = |id: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"c{id}","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Agent","input":{{}}}}]}}}}"#
        )
    };
    let result = |id: &str, agent: &str| {
        format!(
            r#"{{"type":"user","uuid":"r{id}","toolUseResult":{{"agentId":"{agent}"}},"message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"done"}}]}}}}"#
        )
    };
    let lines = [
        disk.prompt("delegate", 1),
        call("1"),
        result("1", "new"),
        call("2"),
        result("2", "old"),
        call("3"),
        result("3", "../../outside"),
    ];
    disk.write(&format!("{ID}.jsonl"), &lines.join("\n"));
    disk.write(&format!("{ID}/subagents/agent-new.jsonl"), &answer("of the new kind", 5));
    disk.write(&format!("{ID}/subagents/agent-new.meta.json"), r#"{"toolUseId":"1"}"#);
    disk.write(&format!("{ID}/subagents/agent-lost.jsonl"), &answer("of nobody", 6));
    disk.write("agent-old.jsonl", &answer("of the old kind", 7));
    let history = disk.sessions().open(&disk.project, ID).unwrap();
    let parents: Vec<String> = history.events.iter().filter_map(|event| parent(&event.payload)).collect();
    assert_eq!(parents, ["1", "2"]);
    assert_eq!(history.events[0].session_id.as_str(), format!("claude-code:{ID}"));
    assert_eq!(history.skipped.get("sub-agent without call"), Some(&1));
}

/// A command in the background, as it began and as it ended.
fn background(output: &Path, task: &str) -> [String; 3] {
    let told = format!(
        "Command running in background with ID: {task}. Output is being written to: {}. You will be notified when it completes.",
        output.display()
    );
    let notification = format!(
        "<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{task}</tool-use-id>\n<status>completed</status>\n<summary>Command completed</summary>\n</task-notification>"
    );
    let call = serde_json::json!({ "type": "tool_use", "id": task, "name": "Bash", "input": {} });
    let result = serde_json::json!({ "type": "tool_result", "tool_use_id": task, "content": told });
    [
        serde_json::json!({ "type": "assistant", "message": { "content": [call] } }),
        serde_json::json!({
            "type": "user", "message": { "content": [result] }, "toolUseResult": { "backgroundTaskId": task },
        }),
        serde_json::json!({ "type": "user", "message": { "content": notification } }),
    ]
    .map(|line| line.to_string())
}

fn output(event: &StreamEvent) -> Option<&str> {
    let StreamEvent::ItemDone(ItemDone { final_item: FinalItem::FunctionCallOutput(output), .. }) = event
    else {
        return None;
    };
    Some(&output.output)
}

#[test]
fn what_commands_wrote_in_the_background_is_read() {
    let disk = Disk::new();
    let tasks = disk.root.path().join("tasks");
    let path = |name: &str| tasks.join(name);
    disk::write(path("b1.output"), "one\ntwo\n");
    disk::write(path("b2.output"), "x".repeat(1024 * 1024 + 1));
    disk::write(disk.root.path().join("elsewhere/b4.output"), "secret");
    std::os::unix::fs::symlink(path("b1.output"), path("b5.output")).unwrap();
    let mut lines = vec![disk.prompt("count", 1)];
    for (task, path) in [
        ("b1", path("b1.output")),
        ("b2", path("b2.output")),
        ("b3", path("b3.output")),
        ("b4", disk.root.path().join("elsewhere/b4.output")),
        ("b5", path("b5.output")),
        ("b6", path("b1.output")),
    ] {
        lines.extend(background(&path, task));
    }
    disk.write(&format!("{ID}.jsonl"), &lines.join("\n"));
    let history = disk.sessions().open(&disk.project, ID).unwrap();
    let outputs: Vec<&str> = history.events.iter().filter_map(|event| output(&event.payload)).collect();
    let [written, long, others @ ..] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!(*written, "one\ntwo\n");
    assert!(long.ends_with("x\n[the rest is too long to be shown]") && long.len() < 1024 * 1024 + 100);
    assert_eq!(others, ["Command completed"; 4], "gone, elsewhere, a link, of another task");
}

fn parent(event: &StreamEvent) -> Option<String> {
    let StreamEvent::ItemStart(start) = event else { return None };
    start.parent_call_id.as_ref().map(ToString::to_string)
}

#[test]
fn a_line_of_any_length_is_survived() {
    let disk = Disk::new();
    let long = "x".repeat(17 * 1024 * 1024);
    disk.write(
        &format!("{ID}.jsonl"),
        &format!("{}\n{long}\n{}", disk.prompt("before", 1), answer("after", 2)),
    );
    let history = disk.sessions().open(&disk.project, ID).unwrap();
    assert_eq!(history.skipped.get("too long"), Some(&1));
    assert_eq!(history.events.len(), 4);
}

#[test]
fn a_session_that_is_not_there_is_told_so() {
    let disk = Disk::new();
    for id in [ID, "", "../x", "agent-1", "11111111-2222-4333-8444-55555555555g"] {
        let error = disk.sessions().open(&disk.project, id).unwrap_err();
        assert!(matches!(error, DiscoveryError::NotFound { .. }), "{error}");
    }
}
