//! Requests that an agent makes for itself beside the conversation: titles, routing, reviews.
//!
//! They quote the user's prompt, so its directives must not be followed there. It knows no API.

use serde_json::{Map, Value};

use crate::answer::{Answer, Block, Speech};
use crate::chunking::Chunking;

const TEXT: &str = "Scripted answer";

/// How the system prompt of opencode's request for a title starts.
const TITLE_OPENING: &str = "You are a title generator";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Errand {
    /// The answer must be JSON of this schema.
    Structured(Value),
    /// The answer is the name of the conversation.
    Title,
}

impl Errand {
    pub(crate) fn find(system: &str, schema: Option<Value>) -> Option<Self> {
        let title = || system.starts_with(TITLE_OPENING).then_some(Self::Title);
        schema.map(Self::Structured).or_else(title)
    }

    /// The plainest answer that the agent accepts.
    pub(crate) fn answer(&self) -> Answer {
        let text = match self {
            Self::Structured(schema) => value_of(schema).to_string(),
            Self::Title => TEXT.to_owned(),
        };
        let speech = Speech { chunking: Chunking::Whole, ..Speech::of(text) };
        Answer { blocks: vec![Block::Text(speech)], ..Answer::default() }
    }
}

/// A value that fits the schema: of choices the first, of numbers the smallest, of properties all.
fn value_of(schema: &Value) -> Value {
    let first = |key: &str| schema.get(key)?.as_array()?.first();
    if let Some(choice) = schema.get("const").or_else(|| first("enum")) {
        return choice.clone();
    }
    if let Some(variant) = first("anyOf").or_else(|| first("oneOf")) {
        return value_of(variant);
    }
    let kind = first("type").or_else(|| schema.get("type")).and_then(Value::as_str).unwrap_or_default();
    match kind.to_lowercase().as_str() {
        "string" => TEXT.into(),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| 1.into()),
        "boolean" => true.into(),
        "array" => Value::Array(Vec::new()),
        "null" => Value::Null,
        _ => object_of(schema).into(),
    }
}

fn object_of(schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, schema)| (name.clone(), value_of(schema))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_structured_answer_fits_its_schema() {
        let cases = [
            (
                json!({ "type": "object", "properties": { "title": { "type": "string" } } }),
                json!({ "title": TEXT }),
            ),
            (
                json!({ "type": "OBJECT", "properties": { "score": { "type": "INTEGER" } } }),
                json!({ "score": 1 }),
            ),
            (json!({ "enum": ["user", "model"], "type": "string" }), json!("user")),
            (json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }] }), json!(true)),
            (json!({ "type": ["null", "string"] }), json!(null)),
            (json!({ "type": "array", "items": {} }), json!([])),
            (json!({ "type": "number", "minimum": 0.5 }), json!(0.5)),
            (json!({}), json!({})),
        ];
        for (schema, expected) in cases {
            assert_eq!(value_of(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn errands_are_told_from_prompts() {
        let schema = json!({});
        assert_eq!(Errand::find("You are an agent.", None), None);
        assert_eq!(Errand::find("You are a title generator. Be brief.", None), Some(Errand::Title));
        assert_eq!(Errand::find("", Some(schema.clone())), Some(Errand::Structured(schema)));
    }
}
