//! The description of the API for programs, as OpenAPI 3.1. Owns the document; it is made of the table of routes and
//! of the types on the wire, and nothing in it is written twice.

mod errors;
mod guide;
mod operations;
mod parameters;

use std::sync::LazyLock;

use axum::body::Bytes;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::answers::Written;
use super::operation::Type;
use super::routes::AREAS;

pub use guide::{GUIDE, Section};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

static DOCUMENT: LazyLock<Value> = LazyLock::new(build);
static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", *DOCUMENT));

/// The document.
#[must_use]
pub fn document() -> &'static Value {
    &DOCUMENT
}

/// The document as it is sent and kept.
#[must_use]
pub fn text() -> &'static str {
    &TEXT
}

pub(super) async fn show() -> Written<Map<String, Value>> {
    Written::new(Bytes::from_static(text().as_bytes()))
}

fn build() -> Value {
    let mut generator = generator();
    let paths = operations::paths(&mut generator);
    let examples = errors::examples(&mut generator);
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.1",
        "jsonSchemaDialect": DIALECT,
        "info": info(),
        "servers": [{ "url": "/", "description": "The server that told this document" }],
        "tags": AREAS.iter().map(|area| json!({ "name": area.name, "description": area.about })).collect::<Vec<_>>(),
        "paths": paths,
        "components": { "schemas": schemas, "examples": examples, "securitySchemes": security_schemes() },
    })
}

/// The types' own schemas are those of OpenAPI; only the place where they are kept has another name.
fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

fn schema(of: Type, generator: &mut SchemaGenerator) -> Value {
    of.schema(generator).to_value()
}

fn info() -> Value {
    json!({
        "title": "Liminal Builder",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": "Work with AI coding agents, from a browser or from programs",
        "description": guide::markdown(),
        "license": { "name": "MIT or Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    })
}

fn security_schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "For programs: the token in `server.json` of the data directory.",
        },
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": "liminal_<port>_<instance>",
            "description": "For browsers, together with `key`: the cookie that `/auth/exchange` sets.",
        },
        "key": {
            "type": "apiKey",
            "in": "header",
            "name": "X-Liminal-Key",
            "description": "For browsers, together with `cookie`: the key that `/auth/exchange` answers.",
        },
    })
}

#[cfg(test)]
mod tests;
