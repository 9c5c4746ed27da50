//! Bodies by which browsers are let in. Owns their types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Turns a one-time code into a browser's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeCode {
    /// The code, from the address that the server told.
    pub code: String,
}

/// A browser's session was made; its other half is a cookie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserKey {
    /// What to send with every request as `X-Liminal-Key`.
    pub key: String,
}

/// Where a browser can be let in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FreshAddress {
    /// The page's address with a new one-time code.
    pub url: String,
}
