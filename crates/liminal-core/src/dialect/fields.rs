//! Foreign objects, read field by field. Owns how forgiving that is: a field that is missing or of another type
//! than expected is absent.

use serde_json::{Map, Value};

/// Longer titles are cut: a title is read at a glance.
const TITLE_LIMIT: usize = 200;

pub(crate) fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str)
}

pub(crate) fn flag(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key).and_then(Value::as_bool).unwrap_or_default()
}

pub(crate) fn object<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Map<String, Value>> {
    map.get(key).and_then(Value::as_object)
}

pub(crate) fn list<'a>(map: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    map.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The objects of a list.
pub(crate) fn objects<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'a Map<String, Value>> {
    list(map, key).iter().filter_map(Value::as_object)
}

/// A text that the agent wrote for a glance, as one line.
pub(crate) fn one_line(title: &str) -> String {
    let line = title.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(TITLE_LIMIT).collect();
    if short.len() < title.trim().len() {
        short.push('…');
    }
    short
}
