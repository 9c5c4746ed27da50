//! Both variants of codex give the same shape of conversation from the same scenario, but for the reviewed
//! differences below. A shape is what people see of each turn: its items in order, how each ended, and its end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::recordings::{FOLDER, played_upserts};

/// The scenarios whose shapes differ, and why. One that does not differ any more must go.
const DIFFERENT: [(&str, &str); 14] = [
    ("cwdmissing", "zed tells nothing of a command that could not be started"),
    ("err_ctx", "node shows that it compacts the conversation as a call"),
    ("err_drop", "node tells that it tries again; zed glues the second try to the first"),
    ("err_error", "node tells that it tries again"),
    ("err_failed", "node tells that it tries again"),
    ("err_sse_error", "node tells that it tries again"),
    ("fork_delete", "zed cannot fork"),
    ("load_othercwd", "the two sessions that were loaded had not the same past"),
    ("mcp", "node tells before the turn that a server did not start"),
    ("noserver", "node tries again for ever and was stopped; zed gives up"),
    ("perm_error", "zed tells nothing of a call that was not allowed"),
    ("plan", "node's codex has no tool for task lists"),
    ("slash", "node runs its commands itself; to zed most of them are words for the model"),
    ("write_ro", "node tells nothing of a command that its sandbox refused at once"),
];

#[test]
fn both_variants_of_codex_give_the_same_shapes() {
    let different: BTreeMap<&str, &str> = DIFFERENT.into_iter().collect();
    let names: BTreeSet<String> = FOLDER.names().into_iter().collect();
    let scenarios: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix("node_")).collect();
    let mut found = BTreeSet::new();
    for scenario in scenarios.into_iter().filter(|scenario| names.contains(&format!("zed_{scenario}"))) {
        let (node, zed) = (shape(&format!("node_{scenario}")), shape(&format!("zed_{scenario}")));
        if node != zed {
            assert!(different.contains_key(scenario), "{scenario}\nnode: {node:#?}\nzed: {zed:#?}");
            found.insert(scenario.to_owned());
        }
    }
    let listed: BTreeSet<String> = different.keys().map(|scenario| (*scenario).to_owned()).collect();
    assert_eq!(found, listed, "what is listed as different differs");
}

/// A session and a turn of it.
type TurnKey = (String, String);

/// The turns in order, each with its items in the order of their start.
fn shape(name: &str) -> Vec<Vec<String>> {
    let mut turns: Vec<(TurnKey, Vec<(String, Value)>)> = Vec::new();
    for output in played_upserts(name) {
        let payload = &output["payload"];
        let part = |key: &str| payload[key].as_str().unwrap_or("end").to_owned();
        let (key, item) = ((part("sessionId"), part("turnId")), part("itemId"));
        if payload["type"] == "turn_started" {
            turns.push((key, Vec::new()));
            continue;
        }
        let turn = turns.iter_mut().find(|(known, _)| *known == key).unwrap();
        match turn.1.iter_mut().find(|(known, _)| *known == item) {
            Some((_, last)) => *last = payload.clone(),
            None => turn.1.push((item, payload.clone())),
        }
    }
    let shapes = turns.into_iter().map(|(_, items)| items.iter().map(|(_, item)| word(item)).collect());
    shapes.collect()
}

/// What is seen of an item, or of the end of a turn. Names and titles are each variant's own.
fn word(item: &Value) -> String {
    let part = |key: &str| item[key].as_str().unwrap_or_default();
    let (kind, status) = (part("type"), part("status"));
    match kind {
        "message" => format!("message {} {status}", part("origin")),
        "tool_call" if item["toolOutputIsError"] == true => format!("tool_call {status} with an error"),
        "permission" => {
            let chosen = &item["outcome"]["optionId"];
            let options = item["options"].as_array().unwrap();
            let option = options.iter().find(|option| option["optionId"] == *chosen);
            format!("permission {status} {}", option.map_or("", |option| option["kind"].as_str().unwrap()))
        }
        _ => format!("{kind} {status}"),
    }
}
