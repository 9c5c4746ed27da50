//! One test per recording of an ACP agent, so that each can be run and fail by its name.

use std::collections::BTreeSet;

use liminal_core::dialect::acp::Options;
use liminal_core::replay::{AcpPlayback, Audience, Direction, Recording, play};
use serde_json::Value;

use super::notices::notice_lines;
use crate::replay::invariants::{self, Turn};
use crate::replay::snapshots::{Folder, event_lines, parsed, recordings, upsert_lines};

pub(crate) const FOLDER: Folder = Folder("acp");

/// The failures that node tells as a text of the agent.
const SAID_IN_A_CHUNK: [&str; 3] = ["systemError", "responseStreamDisconnected", "usageLimitExceeded"];

fn check(name: &str) {
    let recording = FOLDER.recording(name);
    let played = |audience: &mut dyn Audience| play_to(&recording, audience);
    let (events, upserts) = (event_lines(played), upsert_lines(played));
    let turns = invariants::of_events(&parsed(&events));
    assert_eq!(shown_letters(turns.values()), said_letters(&recording), "every text is shown exactly once");
    let (shown, said) = (invariants::results(&parsed(&events)), said_results(&recording));
    assert!(shown.is_superset(&said), "every result is shown: {shown:?} {said:?}");
    invariants::of_upserts(&parsed(&upserts));
    FOLDER.compare(name, "events.ndjson", &events);
    FOLDER.compare(name, "upserts.ndjson", &upserts);
    FOLDER.compare(name, "notices.txt", &notice_lines(|notices| play_to(&recording, notices)));
}

/// What clients see of a recording.
pub(crate) fn played_upserts(name: &str) -> Vec<Value> {
    let recording = FOLDER.recording(name);
    parsed(&upsert_lines(|audience| play_to(&recording, audience)))
}

pub(crate) fn play_to(recording: &Recording, audience: &mut dyn Audience) {
    let mut playback = AcpPlayback::new("acp:recorded", Options::default(), recording);
    play(recording, &mut playback, audience);
}

/// The letters of all texts of the agent, wherever they are shown. Chunks are cut anywhere, so letters are compared.
fn shown_letters<'a>(turns: impl Iterator<Item = &'a Turn>) -> Vec<char> {
    let mut shown = String::new();
    for turn in turns {
        let texts = turn.items.values().filter(|item| item.kind == "message" || item.kind == "reasoning");
        texts.for_each(|item| shown.push_str(&item.content));
        let notes = turn.items.values().filter(|item| item.kind == "note:system");
        notes
            .filter(|note| !note.content.starts_with("Reconnecting"))
            .for_each(|note| shown.push_str(&note.content));
        let failure = &turn.terminal.as_ref().unwrap()["error"];
        if SAID_IN_A_CHUNK.contains(&failure["code"].as_str().unwrap_or_default()) {
            shown.push_str(failure["message"].as_str().unwrap());
        }
    }
    letters(&shown)
}

fn said_letters(recording: &Recording) -> Vec<char> {
    let chunks = updates(recording).filter(|update| {
        matches!(update["sessionUpdate"].as_str(), Some("agent_message_chunk" | "agent_thought_chunk"))
    });
    let mut said = String::new();
    for chunk in chunks {
        let Some(text) = chunk["content"]["text"].as_str() else { continue };
        // Zed, which gives no ids, tells the last of several parts of a thought again as a whole.
        let is_repeated = chunk["messageId"].is_null() && text.contains("\n\n") && said.ends_with(text);
        said.push_str(if is_repeated { "" } else { text });
    }
    letters(&said)
}

fn letters(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    letters.sort_unstable();
    letters
}

/// The calls of which the agent told an end.
fn said_results(recording: &Recording) -> BTreeSet<String> {
    let ended =
        updates(recording).filter(|update| matches!(update["status"].as_str(), Some("completed" | "failed")));
    ended.map(|update| update["toolCallId"].as_str().unwrap().to_owned()).collect()
}

fn updates(recording: &Recording) -> impl Iterator<Item = &Value> {
    let said = recording.lines().iter().filter(|line| line.direction == Direction::Out);
    said.filter(|line| line.line["method"] == "session/update").map(|line| &line.line["params"]["update"])
}

recordings! {
    recording_claude_acp_0_49_0
    recording_claude_acp_0_99_1
    recording_gemini_basic
    recording_node_ask
    recording_node_auth
    recording_node_authflow
    recording_node_autoreview_allow
    recording_node_autoreview_deny
    recording_node_badinput
    recording_node_badkey
    recording_node_badtoml
    recording_node_before_init
    recording_node_bigout
    recording_node_cancel
    recording_node_cancel_idle
    recording_node_cancel_tool
    recording_node_caps_nocaps
    recording_node_caps_termdelta
    recording_node_caps_termout
    recording_node_codemode
    recording_node_config_env
    recording_node_cwdmissing
    recording_node_err_ctx
    recording_node_err_drop
    recording_node_err_empty
    recording_node_err_error
    recording_node_err_error400
    recording_node_err_error401
    recording_node_err_error429
    recording_node_err_failed
    recording_node_err_incomplete
    recording_node_err_sse_error
    recording_node_fork_delete
    recording_node_gateway
    recording_node_init
    recording_node_init_nocaps
    recording_node_init_v0
    recording_node_kill
    recording_node_killchild
    recording_node_list
    recording_node_load
    recording_node_load_a
    recording_node_load_from_zed
    recording_node_load_othercwd
    recording_node_mcp
    recording_node_mcp_call
    recording_node_missingkey
    recording_node_modes
    recording_node_noauth
    recording_node_nocodex
    recording_node_noserver
    recording_node_noserver_bounded
    recording_node_patch
    recording_node_patch_ro_allow
    recording_node_perm_allow
    recording_node_perm_always
    recording_node_perm_error
    recording_node_perm_reject
    recording_node_plan
    recording_node_planmode_nocap
    recording_node_read
    recording_node_reasoning
    recording_node_resume
    recording_node_slash
    recording_node_steer
    recording_node_text
    recording_node_tool
    recording_node_tool_termmeta
    recording_node_toolstream
    recording_node_two
    recording_node_unknownprovider
    recording_node_write_ro
    recording_zed_ask
    recording_zed_auth
    recording_zed_badinput
    recording_zed_badkey
    recording_zed_badtoml
    recording_zed_before_init
    recording_zed_bigout
    recording_zed_cancel
    recording_zed_cancel_idle
    recording_zed_cancel_tool
    recording_zed_caps_nocaps
    recording_zed_caps_termdelta
    recording_zed_caps_termout
    recording_zed_cwdmissing
    recording_zed_err_ctx
    recording_zed_err_drop
    recording_zed_err_empty
    recording_zed_err_error
    recording_zed_err_error400
    recording_zed_err_error401
    recording_zed_err_error429
    recording_zed_err_failed
    recording_zed_err_incomplete
    recording_zed_err_sse_error
    recording_zed_fork_delete
    recording_zed_init
    recording_zed_init_nocaps
    recording_zed_init_v0
    recording_zed_kill
    recording_zed_list
    recording_zed_load
    recording_zed_load_a
    recording_zed_load_from_node
    recording_zed_load_othercwd
    recording_zed_mcp
    recording_zed_missingkey
    recording_zed_modes
    recording_zed_noauth
    recording_zed_noserver
    recording_zed_patch
    recording_zed_patch_ro_allow
    recording_zed_perm_allow
    recording_zed_perm_always
    recording_zed_perm_error
    recording_zed_perm_reject
    recording_zed_plan
    recording_zed_read
    recording_zed_reasoning
    recording_zed_resume
    recording_zed_slash
    recording_zed_text
    recording_zed_tool
    recording_zed_tool_termmeta
    recording_zed_toolstream
    recording_zed_two
    recording_zed_unknownprovider
    recording_zed_write_ro
}
