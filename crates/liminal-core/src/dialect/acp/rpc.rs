//! JSON-RPC 2.0 as ACP uses it: one message per line, in both directions. Owns the shape of messages and of errors;
//! what is asked inside them is others' business.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json as value};

use crate::dialect::fields::text;
use crate::dialect::login;
use crate::error::ErrorInfo;
use crate::json;

/// The method is not known.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// Who asked does not want to know any more.
pub(super) const REQUEST_CANCELLED: i64 = -32800;
/// The agent wants a login first.
pub(super) const AUTHENTICATION_REQUIRED: i64 = -32000;

/// One line. Ids are whatever the asking side chose, so they stay JSON.
#[derive(Debug)]
pub(super) enum Message<'a> {
    Request { id: Value, method: Cow<'a, str>, params: Option<&'a RawValue> },
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    Response { id: Value, answer: Answer<'a> },
}

/// What came of a request; nothing where the result was `null`.
pub(super) type Answer<'a> = Result<Option<&'a RawValue>, RpcError>;

impl<'a> Message<'a> {
    /// Reads a line; the field `jsonrpc` is not asked for, because some leave it out.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        // A list would be read as the fields in their order.
        let object = bytes.trim_ascii_start().strip_prefix(b"{").map(|_| bytes)?;
        let Wire { id, method, params, result, error } = serde_json::from_slice(object).ok()?;
        let id = id.and_then(|id| serde_json::from_str::<Value>(id.get()).ok());
        match (method, id, error) {
            (Some(method), Some(id), _) => Some(Self::Request { id, method, params }),
            (Some(method), None, _) => Some(Self::Notification { method, params }),
            (None, id, Some(error)) => {
                Some(Self::Response { id: id.unwrap_or_default(), answer: Err(error) })
            }
            (None, Some(id), None) => Some(Self::Response { id, answer: Ok(result) }),
            (None, None, None) => None,
        }
    }
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<RpcError>,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) data: Value,
}

impl RpcError {
    /// The error in our form. Agents put the reason that helps into `data`, each in its own way.
    pub(super) fn info(&self) -> ErrorInfo {
        let data = self.data.as_object();
        let said = data.and_then(|data| ["message", "details"].iter().find_map(|key| text(data, key)));
        let code = data.and_then(codex_error_word).unwrap_or_else(|| self.code.to_string());
        let message = match (said, self.data.as_str()) {
            (Some(said), _) if !said.is_empty() => said.to_owned(),
            (_, Some(said)) if !said.is_empty() && self.says_nothing() => said.to_owned(),
            (_, Some(said)) if !said.is_empty() => format!("{}: {said}", self.message),
            _ => self.message.clone(),
        };
        login::failure(&code, message)
    }

    fn says_nothing(&self) -> bool {
        self.message.is_empty() || self.message == "Internal error"
    }
}

/// Codex's own word for what went wrong: a text, or an object with that word as its only key.
pub(super) fn codex_error_word(fields: &Map<String, Value>) -> Option<String> {
    let word = fields.get("codexErrorInfo").or_else(|| fields.get("codex_error_info"))?;
    let key = word.as_object().and_then(|word| word.keys().next());
    word.as_str().or(key.map(String::as_str)).map(str::to_owned)
}

/// Whether a method is an agent's own, beside the protocol. Whoever does not know one leaves it.
pub(super) fn is_extension(method: &str) -> bool {
    method.starts_with('_')
}

/// Parameters or a result in a type that forgives; what does not fit is its default.
pub(super) fn read<T: DeserializeOwned + Default>(raw: Option<&RawValue>) -> T {
    let object = raw.map(RawValue::get).filter(|raw| raw.starts_with('{'));
    object.and_then(|object| serde_json::from_str(object).ok()).unwrap_or_default()
}

/// The same message under another id; the rest is not touched.
pub(super) fn with_id(message: &[u8], id: &Value) -> Option<Vec<u8>> {
    let mut fields: BTreeMap<String, &RawValue> = serde_json::from_slice(message).ok()?;
    let id = RawValue::from_string(id.to_string()).ok()?;
    fields.insert("id".to_owned(), &id);
    let mut out = Vec::new();
    json::append(&mut out, &fields);
    Some(out)
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    value!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    value!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(super) fn result(id: &Value, result: &Value) -> Value {
    value!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn refusal(id: &Value, code: i64, message: &str) -> Value {
    value!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
