//! What requests carry beside their body. Owns how names in paths, fields of a query and headers are described.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::super::receipts;
use super::super::routes::{Area, RequestHeader, Route};
use super::schema;

pub(super) fn of(route: &Route, area: &Area, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut parameters: Vec<Value> = route.names().map(|name| in_path(name, area)).collect();
    if let Some(query) = route.handler.operation.query {
        parameters.extend(in_query(&schema(query, generator)));
    }
    parameters.extend(route.headers.iter().map(|header| in_header(*header)));
    parameters
}

fn in_path(name: &str, area: &Area) -> Value {
    let about = area.names.iter().find(|(known, _)| *known == name).map(|(_, about)| *about);
    json!({
        "name": name,
        "in": "path",
        "required": true,
        "description": about.unwrap_or_default(),
        "schema": { "type": "string" },
    })
}

/// Each field of the type is a parameter.
fn in_query(query: &Value) -> Vec<Value> {
    let required = |name: &str| {
        let names = query.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let fields = query.get("properties").and_then(Value::as_object).into_iter().flatten();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = without_null(schema);
        let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        json!({
            "name": name,
            "in": "query",
            "required": required(name),
            "description": about.unwrap_or_default(),
            "schema": schema,
        })
    };
    fields.map(parameter).collect()
}

/// What is not there cannot be said to be nothing behind a question mark.
fn without_null(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return schema.clone() };
    let mut object = object.clone();
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.remove("anyOf") {
        let choices = choices.into_iter().filter(|choice| choice.get("type") != Some(&json!("null")));
        object.extend(
            choices.filter_map(|choice| choice.as_object().cloned()).flatten().collect::<Map<_, _>>(),
        );
    }
    Value::Object(object)
}

fn in_header(header: RequestHeader) -> Value {
    let (name, about, schema) = match header {
        RequestHeader::IdempotencyKey => (
            "Idempotency-Key",
            "The sender's own word for this request, which makes it safe to repeat.",
            json!({ "type": "string", "minLength": 1, "maxLength": receipts::LONGEST }),
        ),
        RequestHeader::LastEventId => (
            "Last-Event-ID",
            "The cursor of the last frame applied, as browsers send it when they come back. It wins over `after`.",
            json!({ "type": "string" }),
        ),
        RequestHeader::Range => (
            "Range",
            "The part that is wanted, as one range of bytes: `bytes=0-1023`.",
            json!({ "type": "string" }),
        ),
    };
    json!({ "name": name, "in": "header", "required": false, "description": about, "schema": schema })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_value_of_a_parameter() {
        for (schema, expected) in [
            (
                json!({ "type": ["integer", "null"], "minimum": 0 }),
                json!({ "type": "integer", "minimum": 0 }),
            ),
            (json!({ "anyOf": [{ "$ref": "#/a" }, { "type": "null" }] }), json!({ "$ref": "#/a" })),
            (json!({ "type": "string" }), json!({ "type": "string" })),
            (json!(true), json!(true)),
        ] {
            assert_eq!(without_null(&schema), expected);
        }
    }
}
