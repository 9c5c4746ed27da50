//! Settings in words. Owns how a value of any shape becomes lines that a person can decide on.

use serde_json::Value;

/// A setting as a whole: what a person sees, and all of it.
pub(super) fn one(name: &str, value: &Value) -> (String, String) {
    (format!("{name}: {}", words(value)), value.to_string())
}

/// The parts of a setting: one for each server, rule or variable. `name` is what the setting itself is called.
pub(super) fn parts(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        // Not set, or switched off.
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Object(members) => members.iter().map(|(key, value)| one(key, value)).collect(),
        Value::Array(items) => items.iter().map(|item| one(name, item)).collect(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => vec![one(name, value)],
    }
}

/// Hooks by event, with what they match. A shape that is not known is told as it is.
pub(super) fn hooks(value: &Value) -> Vec<(String, String)> {
    let Some(events) = value.as_object() else { return parts("hooks", value) };
    let mut found = Vec::new();
    for (event, entries) in events {
        let Some(entries) = entries.as_array() else {
            found.push((format!("{event}: {}", words(entries)), entries.to_string()));
            continue;
        };
        for entry in entries {
            let matcher = entry.get("matcher").and_then(Value::as_str).filter(|matcher| !matcher.is_empty());
            let when = matcher.map_or_else(|| event.clone(), |matcher| format!("{event} {matcher}"));
            let inner = entry.get("hooks").and_then(Value::as_array);
            let inner = inner.map_or_else(|| vec![entry], |inner| inner.iter().collect());
            found
                .extend(inner.into_iter().map(|hook| (format!("{when}: {}", words(hook)), hook.to_string())));
        }
    }
    found
}

/// What a value does: its command or address, else all of it.
fn words(value: &Value) -> String {
    let field = |name: &str| value.get(name).filter(|value| !value.is_null()).map(plain);
    let Some(command) = field("command") else {
        let address = ["url", "httpUrl", "serverUrl", "baseURL", "base_url"].into_iter().find_map(field);
        return address.unwrap_or_else(|| plain(value));
    };
    match field("args") {
        Some(args) if !args.is_empty() => format!("{command} {args}"),
        _ => command,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}
