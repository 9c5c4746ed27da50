//! JSON-RPC lines as an agent hears and says them. Owns their shape; what is asked inside them is others' business.

use serde_json::{Value, json};

/// The line is no JSON.
const PARSE_ERROR: i64 = -32700;
/// The line is no message.
const INVALID_REQUEST: i64 = -32600;

/// One line from the client.
#[derive(Debug)]
pub(super) enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of ours; nothing where the client refused it.
    Response {
        id: Value,
        result: Option<Value>,
    },
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    code: i64,
    message: String,
}

impl Refusal {
    pub(super) fn busy() -> Self {
        Self::new(INVALID_REQUEST, "a turn is running in this session; wait for its end or cancel it")
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        Self::new(-32601, format!("the demo agent does not know the method {method}"))
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    pub(super) fn unknown_session(id: &str) -> Self {
        Self::new(-32002, format!("session not found: {id}"))
    }

    /// Something failed inside the agent.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Reads a line; one that is no message gives the answer that says so.
pub(super) fn read(line: &[u8]) -> Result<Incoming, Value> {
    let mut message: Value = serde_json::from_slice(line)
        .map_err(|error| refusal(&Value::Null, &Refusal::new(PARSE_ERROR, error.to_string())))?;
    let mut take = |key: &str| message.get_mut(key).map(Value::take);
    let (id, method, params) = (take("id"), take("method"), take("params").unwrap_or_default());
    match (method.as_ref().and_then(Value::as_str), id) {
        (Some(method), Some(id)) => Ok(Incoming::Request { id, method: method.to_owned(), params }),
        (Some(method), None) => Ok(Incoming::Notification { method: method.to_owned(), params }),
        (None, Some(id)) => Ok(Incoming::Response { id, result: take("result") }),
        (None, None) => {
            Err(refusal(&Value::Null, &Refusal::new(INVALID_REQUEST, "give a method, or an id that answers")))
        }
    }
}

pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn refusal(id: &Value, refusal: &Refusal) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": refusal.code, "message": refusal.message } })
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// What a session tells.
pub(super) fn update(session_id: &str, update: &Value) -> Value {
    notification("session/update", &json!({ "sessionId": session_id, "update": update }))
}

pub(super) fn too_long(bytes: u64) -> Value {
    refusal(&Value::Null, &Refusal::new(INVALID_REQUEST, format!("a line of {bytes} bytes is too long")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_message_is_answered_with_why() {
        for (line, code) in [("hello", PARSE_ERROR), ("{}", INVALID_REQUEST), ("[1]", INVALID_REQUEST)] {
            let answer = read(line.as_bytes()).unwrap_err();
            assert_eq!(answer.pointer("/error/code"), Some(&code.into()), "{line}");
            assert_eq!(answer.get("id"), Some(&Value::Null));
        }
    }

    #[test]
    fn an_answer_that_refuses_has_no_result() {
        let Ok(Incoming::Response { id, result }) = read(br#"{"id":0,"error":{"code":1}}"#) else { panic!() };
        assert_eq!((id, result), (0.into(), None));
    }
}
