//! The routes of the document. Owns how a row of the table becomes an operation.

use liminal_core::wire::{ClientFrame, ServerMessage};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::super::operation::{Content, Operation, Type};
use super::super::routes::{AREAS, Access, Area, Route};
use super::{errors, parameters, schema};

/// Every path with its operations.
pub(super) fn paths(generator: &mut SchemaGenerator) -> Value {
    let mut paths = Map::new();
    for (area, route) in AREAS.iter().flat_map(|area| area.routes.iter().map(move |route| (area, route))) {
        let operation = operation(area, route, generator);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.verb.as_str().to_lowercase(), operation);
        }
    }
    Value::Object(paths)
}

fn operation(area: &Area, route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": route.handler.name,
        "tags": [area.name],
        "summary": route.summary,
        "security": security(route.access),
        "parameters": parameters::of(route, area, generator),
        "responses": responses(route, generator),
    });
    let Some(object) = operation.as_object_mut() else { return operation };
    let Operation { body, is_body_optional, .. } = route.handler.operation;
    if let Some(body) = body {
        let content = json!({ "application/json": { "schema": schema(body, generator) } });
        object.insert("requestBody".to_owned(), json!({ "required": !is_body_optional, "content": content }));
    }
    if matches!(route.handler.operation.answer.content, Content::Socket) {
        object.insert("x-socket".to_owned(), socket(generator));
    }
    operation
}

fn security(access: Access) -> Value {
    match access {
        Access::Page | Access::Public => json!([]),
        Access::Credential => json!([{ "bearer": [] }, { "cookie": [], "key": [] }]),
        Access::Token => json!([{ "bearer": [] }]),
    }
}

fn responses(route: &Route, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut responses = errors::responses(route, generator);
    let answer = route.handler.operation.answer;
    responses.insert(answer.status.to_string(), response(answer.content, generator));
    if matches!(answer.content, Content::Ranges) {
        responses.insert("206".to_owned(), part());
    }
    responses
}

fn response(content: Content, generator: &mut SchemaGenerator) -> Value {
    let text = json!({ "schema": { "type": "string" } });
    match content {
        Content::Nothing => json!({ "description": "Done" }),
        Content::Json(of) => {
            let content = json!({ "application/json": { "schema": schema(of, generator) } });
            json!({ "description": "Good", "content": content })
        }
        Content::Text(media_types) => json!({ "description": "Good", "content": texts(media_types) }),
        Content::File(of, media_types) => {
            let mut content = texts(media_types);
            content.insert("application/json".to_owned(), json!({ "schema": schema(of, generator) }));
            json!({ "description": "A file", "content": content })
        }
        Content::Bytes(media_types) => json!({ "description": "Its bytes", "content": bytes(media_types) }),
        Content::Ranges => {
            let headers = json!({ "Accept-Ranges": { "schema": { "const": "bytes" } } });
            json!({ "description": "All of it", "headers": headers, "content": { "text/plain": text } })
        }
        Content::Events(of) => {
            let stream = json!({ "schema": { "type": "string" }, "x-event-data": schema(of, generator) });
            json!({ "description": "A stream without end", "content": { "text/event-stream": stream } })
        }
        Content::Socket => json!({ "description": "From here on it is a WebSocket" }),
    }
}

fn texts(media_types: &[&str]) -> Map<String, Value> {
    let text = |name: &&str| ((*name).to_owned(), json!({ "schema": { "type": "string" } }));
    media_types.iter().map(text).collect()
}

fn bytes(media_types: &[&str]) -> Map<String, Value> {
    media_types.iter().map(|name| ((*name).to_owned(), json!({}))).collect()
}

fn part() -> Value {
    let range = json!({ "description": "Which part of how much.", "schema": { "type": "string" } });
    json!({
        "description": "The part that was asked for",
        "headers": { "Content-Range": range },
        "content": { "text/plain": { "schema": { "type": "string" } } },
    })
}

/// OpenAPI has no words for what is said on a socket.
fn socket(generator: &mut SchemaGenerator) -> Value {
    json!({
        "subprotocol": super::super::ws::PROTOCOL,
        "clientFrame": schema(Type::of::<ClientFrame>(), generator),
        "serverFrame": schema(Type::of::<ServerMessage>(), generator),
    })
}
