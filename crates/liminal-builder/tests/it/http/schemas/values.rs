//! Values for schemas: good ones, and ones that are wrong in one place.

use serde_json::{Map, Value, json};

use super::chance::Chance;

/// Below this, only what is required is made.
const DEPTH: usize = 5;

/// Texts that programs stumble over.
const TEXTS: [&str; 20] = [
    "",
    " ",
    "a",
    "null",
    "../../etc/passwd",
    "/",
    "..",
    "a\u{0}b",
    "\u{0}",
    "\r\nX-Injected: 1",
    "'; DROP TABLE session; --",
    "\"*\" OR NEAR(",
    "<script>alert(1)</script>",
    "\u{1F600}\u{200D}\u{1F468}",
    "\u{202E}gnp.exe",
    "e\u{301}\u{FFFD}\u{FEFF}",
    "%00%2e%2e%2f",
    "${PATH} $(id) `id`",
    "18446744073709551616",
    "claude-code:00000000-0000-0000-0000-000000000000",
];

/// A text that a schema without limits allows.
pub(super) fn text(chance: &mut Chance) -> String {
    match chance.below(8) {
        0 => "x".repeat(chance.below(2000)),
        1 => (0..chance.below(40)).filter_map(|_| char::from_u32(chance.below(0x11_0000) as u32)).collect(),
        _ => (*chance.one_of(&TEXTS)).to_owned(),
    }
}

/// A value that a schema allows.
pub(super) fn good(document: &Value, schema: &Value, known: &[(&str, &str)], chance: &mut Chance) -> Value {
    Maker { document, known }.value(schema, None, DEPTH, chance)
}

struct Maker<'a> {
    document: &'a Value,
    known: &'a [(&'a str, &'a str)],
}

impl Maker<'_> {
    fn value(&self, schema: &Value, name: Option<&str>, depth: usize, chance: &mut Chance) -> Value {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.document.pointer(&target[1..]).expect(target);
            let value = self.value(target, name, depth, chance);
            return self.joined(schema, value, depth, chance);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        for key in ["enum", "oneOf", "anyOf"] {
            let Some(choices) = schema.get(key).and_then(Value::as_array) else { continue };
            let choice = if depth == 0 { choices.last().unwrap() } else { chance.one_of(choices) };
            return match key {
                "enum" => choice.clone(),
                _ => self.joined(schema, self.value(choice, name, depth, chance), depth, chance),
            };
        }
        let kind = match schema.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) => chance.one_of(kinds).as_str().unwrap(),
            _ => *chance.one_of(&["string", "integer", "boolean", "null"]),
        };
        self.of_kind(kind, schema, name, depth, chance)
    }

    /// A choice or a reference may stand beside fields that are there in any case.
    fn joined(&self, schema: &Value, mut chosen: Value, depth: usize, chance: &mut Chance) -> Value {
        if let Some(chosen) = chosen.as_object_mut() {
            chosen.extend(self.object(schema, depth, chance));
        }
        chosen
    }

    fn of_kind(
        &self,
        kind: &str,
        schema: &Value,
        name: Option<&str>,
        depth: usize,
        chance: &mut Chance,
    ) -> Value {
        match kind {
            "string" => json!(self.text(schema, name, chance)),
            "integer" => json!(integer(schema, chance)),
            "number" => json!(0.5),
            "boolean" => json!(chance.once_in(2)),
            "null" => Value::Null,
            "array" => {
                let length = if depth == 0 { 0 } else { chance.below(4) };
                (0..length).map(|_| self.value(&schema["items"], None, depth - 1, chance)).collect()
            }
            "object" => Value::Object(self.object(schema, depth, chance)),
            other => panic!("no values of type {other}"),
        }
    }

    fn text(&self, schema: &Value, name: Option<&str>, chance: &mut Chance) -> String {
        let known: Vec<_> = self.known.iter().filter(|(known, _)| Some(*known) == name).collect();
        if !known.is_empty() && chance.once_in(2) {
            return chance.one_of(&known).1.to_owned();
        }
        if schema.get("format").is_some_and(|format| format == "date-time") {
            return "2026-01-31T12:00:00.000Z".to_owned();
        }
        text(chance)
    }

    fn object(&self, schema: &Value, depth: usize, chance: &mut Chance) -> Map<String, Value> {
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut object = Map::new();
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if required.contains(&json!(name)) || (depth > 0 && chance.once_in(2)) {
                object.insert(name.clone(), self.value(field, Some(name), depth.saturating_sub(1), chance));
            }
        }
        if let Some(values) = schema.get("additionalProperties").filter(|_| depth > 0) {
            for _ in 0..chance.below(3) {
                object.insert(text(chance), self.value(values, None, depth - 1, chance));
            }
        }
        object
    }
}

fn integer(schema: &Value, chance: &mut Chance) -> i64 {
    let limit = |key: &str, otherwise| schema.get(key).and_then(Value::as_i64).unwrap_or(otherwise);
    let (least, most) = (limit("minimum", -1000), limit("maximum", i64::from(u32::MAX)));
    *chance.one_of(&[least, most, least.saturating_add(1).min(most), 50.clamp(least, most)])
}

/// A value that no schema of ours expects in most places.
fn strange(chance: &mut Chance) -> Value {
    match chance.below(12) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!([]),
        3 => json!({}),
        4 => json!([["a"], { "b": null }]),
        5 => json!(u64::MAX),
        6 => json!(i64::MIN),
        7 => json!(*chance.one_of(&[-1, 0, 1, i64::from(u32::MAX) + 1, 9_007_199_254_740_993])),
        8 => json!(*chance.one_of(&[1e308, -0.0, 0.5, 1e-320])),
        9 => json!("y".repeat(1 << chance.below(18))),
        10 => nested(chance.below(100)),
        _ => json!(text(chance)),
    }
}

fn nested(depth: usize) -> Value {
    (0..depth)
        .fold(json!({}), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) })
}

/// Makes a value wrong in one place: another type, something missing, something more.
pub(super) fn spoilt(mut value: Value, chance: &mut Chance) -> Value {
    spoil(&mut value, chance);
    value
}

fn spoil(value: &mut Value, chance: &mut Chance) {
    match value {
        Value::Object(fields) if !fields.is_empty() && !chance.once_in(6) => {
            let names: Vec<_> = fields.keys().cloned().collect();
            let name = chance.one_of(&names);
            match chance.below(4) {
                0 => drop(fields.remove(name)),
                1 => drop(fields.insert(text(chance), strange(chance))),
                _ => spoil(fields.get_mut(name).unwrap(), chance),
            }
        }
        Value::Array(items) if !items.is_empty() && !chance.once_in(4) => {
            let index = chance.below(items.len());
            spoil(&mut items[index], chance);
        }
        other => *other = strange(chance),
    }
}
