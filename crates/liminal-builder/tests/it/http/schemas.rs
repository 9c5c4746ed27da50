//! Requests made up from the OpenAPI document, good ones and bad ones, and what must hold for every answer. Knows the
//! document alone: who sends the requests is the caller's business. The same seed makes the same requests.
#![expect(
    clippy::indexing_slicing,
    reason = "what is not in a JSON value is null, and a test fails by panicking"
)]

mod chance;
mod requests;
mod validity;
mod values;

use serde_json::Value;

use chance::Chance;
use requests::Operation;

/// A request to send. Credentials and `Host` are the sender's to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// With its query; names in it are escaped.
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
    /// The path and method of its operation in the document.
    pub(crate) operation: (String, String),
    /// What is wanted is a stream without end: read the head only, if it is answered by 200.
    pub(crate) streams: bool,
    /// Its path may be that of no operation, or of another one.
    pub(crate) strays: bool,
}

/// An answer, as far as it must be known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) content_type: Option<&'a str>,
    pub(crate) body: &'a [u8],
}

/// Makes `count` requests to each operation. `known` are values that mean something to the server, by the name of the
/// parameter or field that takes them; about half of the requests use them.
pub(crate) fn cases<'a>(
    document: &'a Value,
    known: &'a [(&'a str, &'a str)],
    seed: u64,
    count: usize,
) -> impl Iterator<Item = Request> + 'a {
    let operations = requests::operations(document);
    operations.into_iter().flat_map(move |operation| {
        // Each has its own chances, so that a new operation does not change the requests to the others.
        let mut chance = Chance::new(seed ^ name_hash(&operation));
        (0..count).map(move |_| requests::request(document, &operation, known, &mut chance))
    })
}

fn name_hash(operation: &Operation<'_>) -> u64 {
    let name = format!("{} {}", operation.method, operation.path);
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Says what is wrong with an answer.
pub(crate) fn check(document: &Value, request: &Request, response: &Response<'_>) -> Result<(), String> {
    let status = response.status;
    let documented =
        &document["paths"][&request.operation.0][&request.operation.1]["responses"][status.to_string()];
    // What an agent or a disk did wrong has a status of its own; anything else is a fault of the server.
    if status == 500 || (status > 500 && documented.is_null()) {
        return Err(format!("{status}: {}", String::from_utf8_lossy(response.body)));
    }
    if status >= 400 {
        return problem(document, documented, request, response);
    }
    if documented.is_null() && !request.strays {
        return Err(format!("{status} is not a documented status"));
    }
    if request.strays { Ok(()) } else { good(document, documented, request, response) }
}

fn problem(
    document: &Value,
    documented: &Value,
    request: &Request,
    response: &Response<'_>,
) -> Result<(), String> {
    const KIND: &str = "application/problem+json";
    if response.content_type != Some(KIND) {
        return Err(format!("{} with content type {:?}", response.status, response.content_type));
    }
    let body = json(response)?;
    validity::check(document, &document["components"]["schemas"]["Problem"], &body)?;
    if body["status"] != response.status {
        return Err(format!("{} says that it is {}", response.status, body["status"]));
    }
    let code = body["code"].as_str().unwrap_or_default();
    if request.strays || documented["content"][KIND]["examples"].get(code).is_some() {
        return Ok(());
    }
    Err(format!("{} {code} is not documented for this operation: {}", response.status, body["detail"]))
}

fn good(
    document: &Value,
    documented: &Value,
    request: &Request,
    response: &Response<'_>,
) -> Result<(), String> {
    let Some(contents) = documented.get("content").and_then(Value::as_object) else {
        return if response.body.is_empty() {
            Ok(())
        } else {
            Err("a body where none is documented".to_owned())
        };
    };
    let kind = response.content_type.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    let Some(content) = contents.get(kind) else { return Err(format!("undocumented content type `{kind}`")) };
    if kind != "application/json" || request.streams {
        return Ok(());
    }
    validity::check(document, &content["schema"], &json(response)?)
}

fn json(response: &Response<'_>) -> Result<Value, String> {
    serde_json::from_slice(response.body)
        .map_err(|error| format!("{} with no JSON: {error}", response.status))
}

#[cfg(test)]
mod tests;
