//! Examples to copy. Owns how a route is asked from a shell.

use serde_json::{Map, Value, json};

use super::fields::resolved;
use crate::http::operation::Content;
use crate::http::routes::{Access, Route, Verb};

/// How deep an example goes into what is required.
const DEPTH: usize = 4;

/// A command that asks a route, with `$URL`, `$TOKEN` and the names of its path as variables.
pub(super) fn command(route: &Route, operation: &Value, document: &Value) -> String {
    let is_stream = matches!(route.handler.operation.answer.content, Content::Events(_));
    let stream = if is_stream { " -N" } else { "" };
    let method = if route.verb == Verb::Get { String::new() } else { format!(" -X {}", route.verb.as_str()) };
    let address = format!("\"$URL{}{}\"", variables(route.path), query(operation));
    let mut words = vec![format!("curl{stream}{method} {address}")];
    if matches!(route.access, Access::Credential | Access::Token) {
        words.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    } else if route.verb != Verb::Get {
        words.push("-H \"Origin: $URL\"".to_owned());
    }
    if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
        words.push("-H \"Content-Type: application/json\"".to_owned());
        words.push(format!("-d '{}'", example(schema, document, DEPTH)));
    }
    words.join(" \\\n  ")
}

fn variables(path: &str) -> String {
    path.replace('{', "$").replace('}', "")
}

fn query(operation: &Value) -> String {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let required = parameters.filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
    let pairs: Vec<_> = required
        .filter_map(|parameter| parameter["name"].as_str())
        .map(|name| format!("{name}=${name}"))
        .collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// The smallest value that a schema allows.
fn example(schema: &Value, document: &Value, depth: usize) -> Value {
    let schema = resolved(schema, document);
    if depth == 0 {
        return Value::Null;
    }
    let form = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.get(0));
    match (schema.get("type").and_then(Value::as_str), form) {
        (_, Some(form)) => example(form, document, depth - 1),
        (Some("string"), None) => json!("…"),
        (Some("integer" | "number"), None) => json!(0),
        (Some("boolean"), None) => json!(true),
        (Some("array"), None) => json!([]),
        (Some(_) | None, None) => object(schema, document, depth),
    }
}

fn object(schema: &Value, document: &Value, depth: usize) -> Value {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let field = |name: &Value| {
        let name = name.as_str()?;
        let field = schema.get("properties")?.get(name)?;
        Some((name.to_owned(), example(field, document, depth - 1)))
    };
    Value::Object(required.filter_map(field).collect::<Map<_, _>>())
}
