//! One route for people. Owns in which order it is told what a route takes and answers.

use serde_json::Value;

use super::curl;
use super::fields::{about, kind, resolved, tables};
use super::html::{escaped, prose, table};
use crate::http::routes::{Access, Route};

pub(super) fn operation(document: &Value, route: &Route) -> String {
    let operation = document.get("paths").and_then(|paths| paths.get(route.path));
    let operation = operation.and_then(|path| path.get(route.verb.as_str().to_lowercase()));
    let operation = operation.unwrap_or(&Value::Null);
    let (name, verb, path) = (route.handler.name, route.verb.as_str(), escaped(route.path));
    let parts = [
        format!("<p>{}. {}</p>\n", prose(route.summary), who(route.access)),
        parameters(name, operation),
        body(name, operation, document),
        answers(operation),
        format!("<pre><code>{}</code></pre>\n", escaped(&curl::command(route, operation, document))),
    ];
    format!(
        "<article id=\"{name}\">\n<h3><a href=\"#{name}\"><span class=\"verb {verb}\">{verb}</span> \
         <code>{path}</code></a></h3>\n{}</article>\n",
        parts.concat()
    )
}

const fn who(access: Access) -> &'static str {
    match access {
        Access::Page | Access::Public => "Open to everybody on this machine.",
        Access::Credential => "For programs with the token and browsers with a session.",
        Access::Token => "For programs with the token.",
    }
}

fn parameters(name: &str, operation: &Value) -> String {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let row = |parameter: &Value| {
        let text = |key: &str| escaped(parameter.get(key).and_then(Value::as_str).unwrap_or_default());
        let is_required = parameter.get("required") == Some(&Value::Bool(true));
        let optional = if is_required { "" } else { " <em>optional</em>" };
        let schema = parameter.get("schema").unwrap_or(&Value::Null);
        vec![format!("<code>{}</code>{optional}", text("name")), text("in"), kind(schema), about(parameter)]
    };
    let rows: Vec<_> = parameters.map(row).collect();
    table(&format!("Parameters of {name}"), &["Name", "In", "Type", "Meaning"], &rows)
}

fn body(name: &str, operation: &Value, document: &Value) -> String {
    let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") else {
        return String::new();
    };
    let fields = tables(&format!("Body of {name}"), resolved(schema, document));
    format!("<p>Takes {}</p>\n{fields}", kind(schema))
}

fn answers(operation: &Value) -> String {
    let responses = operation.get("responses").and_then(Value::as_object).into_iter().flatten();
    let answers: String = responses.map(|(status, response)| answer(status, response)).collect();
    format!("<dl>\n{answers}</dl>\n")
}

fn answer(status: &str, response: &Value) -> String {
    let contents = response.get("content").and_then(Value::as_object).into_iter().flatten();
    let problem = response.pointer("/content/application~1problem+json/examples").and_then(Value::as_object);
    let said = match problem {
        Some(codes) => codes.keys().map(|code| code_link(code)).collect::<Vec<_>>().join(", "),
        None if response.get("content").is_none() => about(response),
        None => {
            let contents = contents.map(|(media_type, content)| self::content(media_type, content));
            contents.collect::<Vec<_>>().join(", ")
        }
    };
    format!("<div><dt>{}</dt><dd>{said}</dd></div>\n", escaped(status))
}

fn code_link(code: &str) -> String {
    format!("<a href=\"#error-{0}\">{0}</a>", escaped(code))
}

fn content(media_type: &str, content: &Value) -> String {
    let name = escaped(media_type);
    match (content.get("x-event-data"), content.get("schema")) {
        (Some(data), _) => format!("<code>{name}</code> of {}", kind(data)),
        (None, Some(schema)) if media_type == "application/json" => kind(schema),
        (None, _) => format!("<code>{name}</code>"),
    }
}
