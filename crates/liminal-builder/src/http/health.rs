//! What the server tells of itself.

use std::collections::BTreeMap;

use axum::Json;
use liminal_core::wire::rest::Meta;

/// Grows when something is taken away from the wire.
const PROTOCOL_VERSION: u32 = 1;

pub(super) async fn alive() -> &'static str {
    "ok\n"
}

pub(super) async fn ready() -> &'static str {
    "ready\n"
}

pub(super) async fn meta() -> Json<Meta> {
    Json(Meta {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol_version: PROTOCOL_VERSION,
        capabilities: BTreeMap::new(),
    })
}
