//! What routes refer to: codes of errors and types. Owns how each is listed.

use serde_json::Value;

use super::fields::{about, kind, tables};
use super::html::{escaped, prose};

pub(super) fn errors(document: &Value) -> String {
    let examples = document.pointer("/components/examples").and_then(Value::as_object).into_iter().flatten();
    let error = |(code, example): (&String, &Value)| {
        let code = escaped(code);
        let status = example.pointer("/value/status").map(Value::to_string).unwrap_or_default();
        let summary = prose(example.get("summary").and_then(Value::as_str).unwrap_or_default());
        format!("<div id=\"error-{code}\"><dt>{status} <code>{code}</code></dt><dd>{summary}</dd></div>\n")
    };
    let errors: String = examples.map(error).collect();
    format!("<section id=\"Errors\">\n<h2>Errors</h2>\n<dl class=\"codes\">\n{errors}</dl>\n</section>\n")
}

pub(super) fn types(document: &Value) -> String {
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object).into_iter().flatten();
    let described = |(name, schema): (&String, &Value)| {
        let (plain, name) = (name, escaped(name));
        let text = about(schema);
        let fields = tables(plain, schema);
        let fields = if fields.is_empty() { format!("<p>{}</p>\n", kind(schema)) } else { fields };
        format!(
            "<article id=\"type-{name}\">\n<h3><a href=\"#type-{name}\">{name}</a></h3>\n<p>{text}</p>\n{fields}</article>\n"
        )
    };
    let types: String = schemas.map(described).collect();
    format!("<section id=\"Types\">\n<h2>Types</h2>\n{types}</section>\n")
}
