//! `liminal replay` as its users call it.

use std::path::{Path, PathBuf};

use crate::support::run;

fn recordings(dialect: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../liminal-core/tests/fixtures").join(dialect);
    let mut recordings: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    recordings.sort();
    recordings
}

#[test]
fn every_recording_of_claude_code_plays_as_reviewed() {
    play_all("claude", "claude-code", 100);
}

#[test]
fn every_recording_of_acp_agents_plays_as_reviewed() {
    play_all("acp", "acp", 80);
}

#[test]
fn every_conversation_with_a_models_api_plays_as_reviewed() {
    play_all("anthropic", "anthropic", 25);
    play_all("openai", "openai", 25);
}

fn play_all(folder: &str, dialect: &str, least: usize) {
    let recordings = recordings(folder);
    assert!(recordings.len() > least);
    for directory in recordings {
        let file = directory.join("in.ndjson");
        let replay = |arguments: &[&str]| {
            let output =
                run(&[&["replay", file.to_str().unwrap(), "--dialect", dialect], arguments].concat(), "");
            assert!(output.status.success(), "{}: {output:?}", directory.display());
            String::from_utf8(output.stdout).unwrap()
        };
        let events = replay(&["--emit", "events"]);
        let reviewed = |file: &str| std::fs::read_to_string(directory.join(file)).unwrap();
        assert_eq!(events, reviewed("events.ndjson"), "{}", directory.display());
        assert_eq!(replay(&["--announce-arguments"]), reviewed("upserts.ndjson"), "{}", directory.display());
        let processed = run(&["process", "--clock", "events"], &events);
        assert_eq!(replay(&[]).as_bytes(), processed.stdout, "{}", directory.display());
    }
}

#[test]
fn standard_error_and_notes_are_shown_when_asked_for() {
    let recording =
        recordings("claude").into_iter().find(|path| path.ends_with("28_root_dangerously_skip")).unwrap();
    let file = recording.join("in.ndjson");
    let output = run(&["replay", file.to_str().unwrap(), "-v"], "");
    let asides = String::from_utf8(output.stderr).unwrap();
    assert!(asides.contains("err  ") && asides.contains("meta "), "{asides}");
    assert!(run(&["replay", file.to_str().unwrap()], "").stderr.is_empty());
}

#[test]
fn a_recording_that_is_none_is_told_with_its_line() {
    let output = run(&["replay", "-"], "{\"t\":0,\"dir\":\"out\",\"line\":{}}\n{\"t\":\"soon\"}\n");
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("line 2 of the recording"), "{complaint}");
    let missing = run(&["replay", "no-such-file"], "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("cannot read no-such-file"));
}
