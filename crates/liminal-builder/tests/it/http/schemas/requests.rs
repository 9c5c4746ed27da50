//! Requests to one operation: its path, query, headers and body, each of them good or bad.

use serde_json::Value;

use super::Request;
use super::chance::Chance;
use super::values::{good, spoilt, text};

/// Longer heads are refused before there is a request.
const LONGEST_VALUE: usize = 1500;
const LARGE_BODY: usize = 2 << 20;

/// An operation of the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation<'a> {
    pub(super) path: &'a str,
    pub(super) method: &'a str,
    operation: &'a Value,
}

/// Those that end or remove something come last, so that what is known stays known to the others.
pub(super) fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().unwrap().iter();
    let mut operations: Vec<_> = paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().iter();
            methods.map(move |(method, operation)| Operation { path, method, operation })
        })
        .collect();
    operations.sort_by_key(finality);
    operations
}

fn finality(operation: &Operation<'_>) -> usize {
    let late = [
        "/trust",
        "/queue/{queued}",
        "/queue/{queued}/now",
        "/cancel",
        "/archive",
        "/kill",
        "/load",
        "/rotate",
    ];
    let place = late.iter().position(|path| operation.path.ends_with(path));
    match (operation.method, place) {
        (_, Some(place)) => place + 1,
        // What is inside something goes before it.
        ("delete", None) => usize::MAX - operation.path.len(),
        (_, None) => 0,
    }
}

pub(super) fn request(
    document: &Value,
    operation: &Operation<'_>,
    known: &[(&str, &str)],
    chance: &mut Chance,
) -> Request {
    let mut request = Request {
        method: operation.method.to_uppercase(),
        path: operation.path.to_owned(),
        headers: Vec::new(),
        body: None,
        operation: (operation.path.to_owned(), operation.method.to_owned()),
        streams: streams(operation.operation),
        strays: false,
    };
    let mut query = Vec::new();
    for parameter in operation.operation["parameters"].as_array().unwrap() {
        let is_required = parameter["required"] == true;
        match parameter["in"].as_str().unwrap() {
            "path" => in_path(&mut request, parameter, &value(document, parameter, known, chance)),
            // Even what is required is left out sometimes.
            "query" if chance.once_in(if is_required { 10 } else { 2 }) == is_required => {}
            "query" => query.push(pair(parameter, &value(document, parameter, known, chance), chance)),
            _ if chance.once_in(2) => {}
            _ => request.headers.push(header(parameter, &value(document, parameter, known, chance))),
        }
    }
    if chance.once_in(8) {
        query.push(chance.one_of(&["unknown=1", "&&=", "limit=1&limit=2", "%zz", "a[b]=c"]).to_string());
    }
    if !query.is_empty() {
        request.path += &format!("?{}", query.join("&"));
    }
    add_body(document, operation.operation, known, chance, &mut request);
    request
}

fn streams(operation: &Value) -> bool {
    operation["responses"]["200"]["content"].get("text/event-stream").is_some()
}

/// A value for a parameter, as text: of its schema, or anything.
fn value(document: &Value, parameter: &Value, known: &[(&str, &str)], chance: &mut Chance) -> String {
    let name = parameter["name"].as_str().unwrap();
    let known: Vec<_> = known.iter().filter(|(known, _)| *known == name).collect();
    let mut value = match chance.below(3) {
        0 | 1 if !known.is_empty() => chance.one_of(&known).1.to_owned(),
        0 => text(chance),
        _ => match good(document, &parameter["schema"], &[], chance) {
            Value::String(text) => text,
            other => spoilt_number(&other, chance),
        },
    };
    while value.len() > LONGEST_VALUE {
        value.pop();
    }
    value
}

fn spoilt_number(value: &Value, chance: &mut Chance) -> String {
    match chance.below(3) {
        0 => (*chance.one_of(&["-1", "1e3", "0x10", "99999999999999999999999", "1.5", "+1", "NaN", "truee"]))
            .to_owned(),
        1 => (*chance.one_of(&["0", "1", "4294967295", "9223372036854775807", "18446744073709551615"]))
            .to_owned(),
        _ => value.to_string(),
    }
}

fn in_path(request: &mut Request, parameter: &Value, value: &str) {
    let name = format!("{{{}}}", parameter["name"].as_str().unwrap());
    // Nothing, and words that are paths of their own, lead to other operations.
    request.strays |= value.is_empty() || ["list", "create"].contains(&value);
    request.path = request.path.replace(&name, &escaped(value));
}

fn pair(parameter: &Value, value: &str, chance: &mut Chance) -> String {
    let name = parameter["name"].as_str().unwrap();
    match chance.below(20) {
        0 => name.to_owned(),
        1 => format!("{name}=%FF%FE"),
        2 => format!("{name}={0}&{name}={0}", escaped(value)),
        _ => format!("{name}={}", escaped(value)),
    }
}

/// Header values are visible letters; anything else is no request at all.
fn header(parameter: &Value, value: &str) -> (String, String) {
    let visible: String = value.chars().filter(|letter| ('!'..='~').contains(letter)).collect();
    (parameter["name"].as_str().unwrap().to_owned(), visible)
}

fn escaped(text: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_~.".contains(byte);
    let escape =
        |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(escape).collect()
}

fn add_body(
    document: &Value,
    operation: &Value,
    known: &[(&str, &str)],
    chance: &mut Chance,
    request: &mut Request,
) {
    let schema = operation.pointer("/requestBody/content/application~1json/schema");
    let Some(schema) = schema else {
        // What takes no body may be sent one.
        if request.method != "GET" && chance.once_in(4) {
            request.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
            request.body = Some(b"{}".to_vec());
        }
        return;
    };
    let kind = if chance.once_in(20) { "text/plain" } else { "application/json" };
    request.headers.push(("Content-Type".to_owned(), kind.to_owned()));
    let value = good(document, schema, known, chance);
    request.body = Some(match chance.below(10) {
        0..4 => value.to_string().into_bytes(),
        4..8 => spoilt(value, chance).to_string().into_bytes(),
        _ => broken(&value.to_string(), chance),
    });
}

/// Bytes that are no JSON, or JSON that is hard to read.
fn broken(json: &str, chance: &mut Chance) -> Vec<u8> {
    let with_field =
        |field: &str| format!("{{{field}{}", json.replacen('{', ",", 1)).replace(",}", "}").into_bytes();
    match chance.below(12) {
        0 => Vec::new(),
        1 => json.bytes().take(chance.below(json.len())).collect(),
        2 => [json.as_bytes(), b"{}"].concat(),
        3 => [b"\xff\xfe", json.as_bytes()].concat(),
        4 => [b"\xef\xbb\xbf", json.as_bytes()].concat(),
        5 => json.replace('"', "'").into_bytes(),
        6 => with_field("\"a\":NaN"),
        7 => with_field("\"a\":1e999"),
        8 => with_field("\"a\":1,\"a\":2"),
        9 => with_field("\"a\":\"\\ud800\""),
        10 => ["[".repeat(100_000), "]".repeat(100_000)].concat().into_bytes(),
        _ if chance.once_in(4) => format!("{{\"message\":\"{}\"}}", "z".repeat(LARGE_BODY)).into_bytes(),
        _ => with_field("\"a\":123456789012345678901234567890"),
    }
}
