//! Sessions of the agent: what it says it can do, and what it remembers of those that it never had.

use anyhow::Result;
use serde_json::{Value, json};

use crate::deeds;

/// A code and words.
pub(super) struct Refusal(pub(super) i64, pub(super) String);

const PAGE: u64 = 10;

pub(super) fn introduction() -> Value {
    let list = if fault() == "none" { json!({}) } else { json!({ "list": {} }) };
    json!({
        "protocolVersion": 1,
        "agentInfo": { "name": name(), "version": "1" },
        "agentCapabilities": { "loadSession": true, "sessionCapabilities": list },
        "_meta": { "steering": { "supported": std::env::var_os("FAKE_AGENT_STEERS").is_some() } },
        "authMethods": [
            { "id": "key", "name": "API key", "description": "Put it into the environment." },
            { "id": "browser", "name": "Browser" },
        ],
    })
}

pub(super) fn made() -> Result<Value, Refusal> {
    if std::env::var_os("FAKE_AGENT_LOGIN").is_some() {
        return Err(Refusal(-32000, "Authentication required".to_owned()));
    }
    Ok(json!({ "sessionId": format!("new-{}", std::process::id()) }))
}

/// Sessions of earlier, and every one that was made here.
pub(super) fn is_remembered(id: &str) -> bool {
    let earlier = id.strip_prefix("old-").and_then(|number| number.parse().ok());
    id.starts_with("new-") || earlier.is_some_and(|number| (1..=remembered()).contains(&number))
}

/// Pages of a few, with an empty one between each two.
pub(super) fn listed(params: &Value) -> Result<Result<Value, Refusal>> {
    let cursor = params.get("cursor").and_then(Value::as_str).unwrap_or("0");
    let from: u64 = cursor.trim_end_matches('-').parse()?;
    match fault().as_str() {
        "error" => return Ok(Err(Refusal(-32603, "it cannot be listed".to_owned()))),
        "garbage" => return Ok(Ok(json!({ "sessions": "many" }))),
        "hang" => deeds::hang(),
        "exit" => std::process::exit(7),
        "endless" => return Ok(Ok(json!({ "sessions": [], "nextCursor": (from + 1).to_string() }))),
        _ => {}
    }
    if !cursor.ends_with('-') && from > 0 {
        return Ok(Ok(json!({ "sessions": [], "nextCursor": format!("{from}-") })));
    }
    let until = remembered().min(from + PAGE);
    let cwd = params.get("cwd").and_then(Value::as_str).unwrap_or_default();
    let mut sessions: Vec<Value> = (from + 1..=until).map(|number| session(number, cwd)).collect();
    sessions.push(json!({ "sessionId": "elsewhere", "cwd": "/elsewhere", "title": "of another project" }));
    sessions.push(json!({ "sessionId": "not/sound", "cwd": cwd, "title": "cannot be asked for" }));
    let next = (until < remembered()).then(|| until.to_string());
    Ok(Ok(json!({ "sessions": sessions, "nextCursor": next })))
}

fn session(number: u64, cwd: &str) -> Value {
    let updated_at = format!("2026-01-01T00:{:02}:{:02}.000Z", number / 60 % 60, number % 60);
    let title = format!("number {number}");
    json!({ "sessionId": format!("old-{number}"), "cwd": cwd, "title": title, "updatedAt": updated_at })
}

fn name() -> String {
    std::env::var("FAKE_AGENT_NAME").unwrap_or_else(|_| "fake-agent".to_owned())
}

fn remembered() -> u64 {
    std::env::var("FAKE_AGENT_SESSIONS").ok().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn fault() -> String {
    std::env::var("FAKE_AGENT_LIST").unwrap_or_default()
}
