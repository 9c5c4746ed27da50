//! How requests fail. Owns which codes a route can answer with, what the gates before it add to them, and an example
//! of each.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::error::ErrorCode;
use liminal_core::wire::rest::Problem;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::super::operation::Type;
use super::super::problem::ApiError;
use super::super::routes::{Access, Body, Route, Verb};
use super::schema;

/// What every request may be told.
const ALWAYS: &[ErrorCode] =
    &[ErrorCode::HostNotAllowed, ErrorCode::InvalidRequest, ErrorCode::OriginNotAllowed, ErrorCode::Internal];
const CREDENTIALS: &[ErrorCode] =
    &[ErrorCode::Unauthorized, ErrorCode::TooManyAttempts, ErrorCode::RedisUnreachable];
const BODIES: &[ErrorCode] =
    &[ErrorCode::BodyTooLarge, ErrorCode::RequestTimeout, ErrorCode::UnsupportedMediaType];
const NAMES: &[ErrorCode] = &[ErrorCode::NotFound];

/// Every code that a route can answer with.
pub(super) fn codes(route: &Route) -> BTreeSet<ErrorCode> {
    let mut groups = vec![ALWAYS];
    groups.extend(route.errors);
    // What acts is asked for a token even if it is open, unless it tells its origin.
    if matches!(route.access, Access::Credential | Access::Token) || route.verb != Verb::Get {
        groups.push(CREDENTIALS);
    }
    if route.body() != Body::None {
        groups.push(BODIES);
    }
    if route.names().next().is_some() {
        groups.push(NAMES);
    }
    groups.into_iter().flatten().copied().collect()
}

/// The responses of a route that fails, by status.
pub(super) fn responses(route: &Route, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut by_status = BTreeMap::<u16, Vec<ErrorCode>>::new();
    for code in codes(route) {
        by_status.entry(ApiError::bare(code).problem().status).or_default().push(code);
    }
    let problem = schema(Type::of::<Problem>(), generator);
    let response =
        |(status, codes): (u16, Vec<ErrorCode>)| (status.to_string(), response(status, &codes, &problem));
    by_status.into_iter().map(response).collect()
}

fn response(status: u16, codes: &[ErrorCode], problem: &Value) -> Value {
    let words: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
    let reference = |code: &ErrorCode| {
        let word = code.as_str();
        (word.to_owned(), json!({ "$ref": format!("#/components/examples/{word}") }))
    };
    let examples: Map<_, _> = codes.iter().map(reference).collect();
    let content = json!({ "application/problem+json": { "schema": problem, "examples": examples } });
    let mut response = json!({ "description": words.join(", "), "content": content });
    if let (Some(headers), Some(response)) = (headers(status), response.as_object_mut()) {
        response.insert("headers".to_owned(), headers);
    }
    response
}

fn headers(status: u16) -> Option<Value> {
    let (name, about) = match status {
        401 => ("WWW-Authenticate", "Which kind of credentials is wanted."),
        416 => ("Content-Range", "How much there is."),
        429 | 503 | 507 => {
            ("Retry-After", "After how many seconds it is worth to try again, if that is known.")
        }
        _ => return None,
    };
    Some(json!({ name: { "description": about, "schema": { "type": "string" } } }))
}

/// An example of every code that there is.
pub(super) fn examples(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let meanings = meanings(generator);
    let codes = ErrorCode::WORDS.iter().filter_map(|word| ErrorCode::from_word(word));
    codes.map(|code| (code.as_str().to_owned(), example(code, &meanings))).collect()
}

fn example(code: ErrorCode, meanings: &BTreeMap<String, String>) -> Value {
    let meaning = meanings.get(code.as_str()).cloned().unwrap_or_default();
    let detail = meaning.trim_end_matches('.').to_owned();
    json!({ "summary": meaning, "value": ApiError::new(code, detail).problem() })
}

/// What each code means, as its type tells it.
fn meanings(generator: &mut SchemaGenerator) -> BTreeMap<String, String> {
    schema(Type::of::<ErrorCode>(), generator);
    let choices = generator.definitions().get("ErrorCode").and_then(|schema| schema.get("oneOf"));
    let choices = choices.and_then(Value::as_array).into_iter().flatten();
    let meaning = |choice: &Value| {
        let text = |key| choice.get(key).and_then(Value::as_str).map(str::to_owned);
        Some((text("const")?, text("description")?))
    };
    choices.filter_map(meaning).collect()
}
