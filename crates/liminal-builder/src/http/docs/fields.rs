//! Schemas for people: which fields a type has, and what each of them is. Owns how a schema reads.

use serde_json::Value;

use super::html::{escaped, prose, table};

/// The tables of a type: one for its own fields, and one for each of its forms.
pub(super) fn tables(name: &str, schema: &Value) -> String {
    let mut tables = table(name, &["Field", "Type", "Meaning"], &rows(schema));
    let choices = ["allOf", "anyOf", "oneOf"].iter().flat_map(|key| list(schema, key));
    for choice in choices {
        tables += &match choice.get("const").and_then(Value::as_str) {
            Some(word) => self::word(word, choice),
            None => form(name, choice),
        };
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<_> =
            words.iter().map(|word| format!("<code>{}</code>", escaped(&plain(word)))).collect();
        tables += &format!("<p>One of {}</p>\n", words.join(", "));
    }
    tables
}

fn word(word: &str, form: &Value) -> String {
    format!("<p class=\"word\"><code>{}</code> {}</p>\n", escaped(word), about(form))
}

/// One of the forms that a type can have; it is known by the word in its `type`.
fn form(name: &str, form: &Value) -> String {
    let tag = form.pointer("/properties/type/const").map(plain);
    let title = tag.map_or_else(|| name.to_owned(), |tag| format!("{name} of type {tag}"));
    let text = about(form);
    let text = if text.is_empty() { text } else { format!("<p>{text}</p>\n") };
    let fields = tables(&title, form);
    match form.get("$ref") {
        Some(_) => format!("{text}{fields}<p>with the fields of {}</p>\n", kind(form)),
        None => text + &fields,
    }
}

fn rows(schema: &Value) -> Vec<Vec<String>> {
    let required = list(schema, "required");
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let row = |(name, field): (&String, &Value)| {
        let optional = if required.iter().any(|known| known == name) { "" } else { " <em>optional</em>" };
        vec![format!("<code>{}</code>{optional}", escaped(name)), kind(field), about(field)]
    };
    fields.map(row).collect()
}

/// What a schema says about itself.
pub(super) fn about(schema: &Value) -> String {
    prose(schema.get("description").and_then(Value::as_str).unwrap_or_default())
}

/// What a schema allows, in a few words.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = escaped(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#type-{name}\">{name}</a>");
    }
    if let Some(only) = schema.get("const") {
        return format!("<code>{}</code>", escaped(&only.to_string()));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.iter().map(|word| escaped(&word.to_string())).collect::<Vec<_>>().join(" or ");
    }
    let forms: Vec<String> = list(schema, "anyOf")
        .iter()
        .chain(list(schema, "oneOf"))
        .chain(list(schema, "allOf"))
        .map(kind)
        .collect();
    if !forms.is_empty() {
        return forms.join(" or ");
    }
    by_type(schema)
}

fn by_type(schema: &Value) -> String {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => return "anything".to_owned(),
    };
    let name = |name: &&str| match *name {
        "array" => format!("list of {}", schema.get("items").map_or_else(|| "anything".to_owned(), kind)),
        "object" => match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => format!("map of text to {}", kind(values)),
            _ => "object".to_owned(),
        },
        other => other.to_owned(),
    };
    types.iter().map(name).collect::<Vec<_>>().join(" or ")
}

fn list<'a>(schema: &'a Value, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What a reference leads to; a schema that is none is itself.
pub(super) fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_in_words() {
        for (schema, expected) in [
            (json!({ "type": "string" }), "string"),
            (json!({ "type": ["integer", "null"] }), "integer or null"),
            (json!({ "type": "array", "items": { "type": "boolean" } }), "list of boolean"),
            (
                json!({ "type": "object", "additionalProperties": { "type": "string" } }),
                "map of text to string",
            ),
            (json!({ "$ref": "#/components/schemas/A" }), "<a href=\"#type-A\">A</a>"),
            (
                json!({ "anyOf": [{ "$ref": "#/x/A" }, { "type": "null" }] }),
                "<a href=\"#type-A\">A</a> or null",
            ),
            (json!({ "const": "<" }), "<code>&quot;&lt;&quot;</code>"),
            (json!(true), "anything"),
        ] {
            assert_eq!(kind(&schema), expected, "{schema}");
        }
    }
}
