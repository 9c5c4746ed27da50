//! The description of the API for people. Owns the page; all it says is taken from the document for programs.

mod curl;
mod fields;
mod html;
mod operations;
mod reference;

use std::sync::LazyLock;

use serde_json::Value;

use super::answers::{Page, Style};
use super::openapi::{self, GUIDE, Section};
use super::routes::{AREAS, Area, Route};
use html::{escaped, prose};

const STYLE: &str = include_str!("docs/docs.css");
static PAGE: LazyLock<String> = LazyLock::new(|| build(openapi::document()));

pub(super) async fn page() -> Page {
    Page(&PAGE)
}

pub(super) async fn style() -> Style {
    Style(STYLE)
}

fn build(document: &Value) -> String {
    let version = document.pointer("/info/version").and_then(Value::as_str).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Liminal Builder: HTTP API</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/docs.css\">\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">Skip to the content</a>\n{nav}\n<main id=\"content\">\n\
         <h1>Liminal Builder: HTTP API</h1>\n\
         <p class=\"lead\">Version {version}. For programs: <a href=\"/openapi.json\">openapi.json</a></p>\n\
         {guide}{areas}{errors}{types}</main>\n</body>\n</html>\n",
        nav = navigation(),
        version = escaped(version),
        guide = GUIDE.iter().map(section).collect::<String>(),
        areas = AREAS.iter().map(|area| self::area(document, area)).collect::<String>(),
        errors = reference::errors(document),
        types = reference::types(document),
    )
}

fn navigation() -> String {
    let route = |route: &Route| {
        let (name, verb, path) = (route.handler.name, route.verb.as_str(), route.path);
        format!(
            "<li><a href=\"#{name}\"><span class=\"verb {verb}\">{verb}</span> {}</a></li>\n",
            escaped(path)
        )
    };
    let area = |area: &Area| {
        let routes: String = area.routes.iter().map(route).collect();
        format!("<li><a href=\"#{0}\">{0}</a>\n<ul>\n{routes}</ul></li>\n", escaped(area.name))
    };
    let sections: String = GUIDE.iter().map(|section| link(section.title)).collect();
    let areas: String = AREAS.iter().map(area).collect();
    format!(
        "<nav aria-label=\"Contents\">\n<ul>\n{sections}{areas}{}{}</ul>\n</nav>",
        link("Errors"),
        link("Types")
    )
}

fn link(title: &str) -> String {
    format!("<li><a href=\"#{}\">{}</a></li>\n", anchor(title), escaped(title))
}

fn anchor(title: &str) -> String {
    title.replace(' ', "-")
}

fn section(section: &Section) -> String {
    let paragraphs: String =
        section.paragraphs.iter().map(|text| format!("<p>{}</p>\n", prose(text))).collect();
    let (id, title) = (anchor(section.title), escaped(section.title));
    format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{paragraphs}</section>\n")
}

fn area(document: &Value, area: &Area) -> String {
    let routes: String = area.routes.iter().map(|route| operations::operation(document, route)).collect();
    let (name, about) = (escaped(area.name), prose(area.about));
    format!("<section id=\"{name}\">\n<h2>{name}</h2>\n<p>{about}</p>\n{routes}</section>\n")
}

#[cfg(test)]
mod tests;
