//! Both variants of codex give the same shape of conversation from the same scenario, but for the reviewed
//! differences below. A shape is what people see of each turn: its items in order, how each ended, and its end.

use std::collections::BTreeSet;

use liminal_core::replay::Direction;
use serde_json::Value;

use super::recordings::{FOLDER, played_upserts};

/// A scenario whose shapes differ: who alone says what in the recordings, and why.
struct Different(&'static str, Speaker, &'static str, &'static str);

#[derive(Clone, Copy, PartialEq)]
enum Speaker {
    Node,
    Zed,
}
use Speaker::{Node, Zed};

const RETRY: &str = r#""willRetry":true"#;
const CALL: &str = r#""sessionUpdate":"tool_call""#;

/// The scenarios whose shapes differ by the adapters' own doing. One that does not differ any more must go.
const DIFFERENT: [Different; 15] = [
    Different("cwdmissing", Node, CALL, "zed tells nothing of a command that could not be started"),
    Different("err_ctx", Node, "Compact conversation", "node shows that it compacts as a call, zed says it"),
    Different(
        "err_drop",
        Node,
        RETRY,
        "node tells that it tries again; zed glues the second try to the first",
    ),
    Different("err_error", Node, RETRY, "node tells that it tries again"),
    Different("err_failed", Node, RETRY, "node tells that it tries again"),
    Different("err_sse_error", Node, RETRY, "node tells that it tries again"),
    Different("fork_delete", Zed, r#""code":-32601"#, "zed cannot fork"),
    Different("load_othercwd", Zed, "text from B", "the two sessions that were loaded had not the same past"),
    Different("mcp", Node, "mcp__broken__startup", "node tells before the turn that a server did not start"),
    Different("modes", Zed, "Model metadata for", "zed warns that it does not know the model chosen"),
    Different("noserver", Node, "waiting for network", "node tries for ever and was stopped; zed gives up"),
    Different("perm_error", Node, r#""status":"failed""#, "zed tells nothing of a call that was not allowed"),
    Different("plan", Zed, r#""sessionUpdate":"plan""#, "node's codex has no tool for task lists"),
    Different("slash", Node, "No MCP servers are configured", "to zed most commands are words for the model"),
    Different("write_ro", Zed, CALL, "node tells nothing of a command that its sandbox refused at once"),
];

#[test]
fn both_variants_of_codex_give_the_same_shapes() {
    let different: BTreeSet<&str> = DIFFERENT.iter().map(|different| different.0).collect();
    let names: BTreeSet<String> = FOLDER.names().into_iter().collect();
    let scenarios: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix("node_")).collect();
    let mut found = BTreeSet::new();
    for scenario in scenarios.into_iter().filter(|scenario| names.contains(&format!("zed_{scenario}"))) {
        let (node, zed) = (shape(&format!("node_{scenario}")), shape(&format!("zed_{scenario}")));
        if node != zed {
            assert!(different.contains(scenario), "{scenario}\nnode: {node:#?}\nzed: {zed:#?}");
            found.insert(scenario.to_owned());
        }
    }
    let listed: BTreeSet<String> = different.into_iter().map(str::to_owned).collect();
    assert_eq!(found, listed, "what is listed as different differs");
}

/// What makes the difference is in the recordings, and so not of our making.
#[test]
fn the_differences_are_the_adapters_own() {
    for Different(scenario, speaker, words, reason) in DIFFERENT {
        let says = |variant: &str| {
            let recording = FOLDER.recording(&format!("{variant}_{scenario}"));
            let mut said = recording.lines().iter().filter(|line| line.direction == Direction::Out);
            said.any(|line| line.line.to_string().contains(words))
        };
        assert_eq!((says("node"), says("zed")), (speaker == Node, speaker == Zed), "{scenario}: {reason}");
    }
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
