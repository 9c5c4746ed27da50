use std::collections::BTreeSet;

use liminal_core::error::ErrorCode;

use super::super::operation::Content;
use super::super::problem::ApiError;
use super::super::routes::{AREAS, Access, ROUTES, Route};
use super::*;

const COMMITTED: &str = include_str!("../../../../../schema/openapi.json");

fn operation(route: &Route) -> &'static Value {
    &document()["paths"][route.path][route.verb.as_str().to_lowercase()]
}

fn names(operation: &Value, place: &str) -> BTreeSet<String> {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    parameters
        .filter(|parameter| parameter["in"] == place)
        .map(|parameter| word(&parameter["name"]))
        .collect()
}

fn word(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn each(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            visit(key, value);
            each(value, visit);
        }),
        Value::Array(items) => items.iter().for_each(|item| each(item, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_committed_document_is_fresh() {
    assert!(COMMITTED == text(), "schema/openapi.json is stale; run `./x gen` and commit it");
}

#[test]
fn every_route_is_in_it_and_nothing_else() {
    let paths = document()["paths"].as_object().unwrap().iter();
    let told: BTreeSet<(String, String)> = paths
        .flat_map(|(path, verbs)| {
            verbs
                .as_object()
                .unwrap()
                .keys()
                .map(|verb| (path.clone(), verb.to_uppercase()))
                .collect::<Vec<_>>()
        })
        .collect();
    let routed = ROUTES.iter().map(|route| (route.path.to_owned(), route.verb.as_str().to_owned()));
    assert_eq!(told, routed.collect());
}

#[test]
fn operations_have_names_of_their_own_and_a_known_tag() {
    let ids: BTreeSet<_> = ROUTES.iter().map(|route| word(&operation(route)["operationId"])).collect();
    assert_eq!(ids.len(), ROUTES.len());
    for area in AREAS {
        assert!(document()["tags"].as_array().unwrap().iter().any(|tag| tag["name"] == area.name));
        for route in area.routes {
            assert_eq!(operation(route)["tags"], json!([area.name]));
            assert!(!route.summary.is_empty() && !route.summary.ends_with('.'), "{}", route.path);
        }
    }
}

#[test]
fn every_name_in_a_path_is_declared_and_described() {
    for route in ROUTES {
        let expected: BTreeSet<_> = route.names().map(str::to_owned).collect();
        assert_eq!(names(operation(route), "path"), expected, "{}", route.path);
        assert_eq!(route.path.matches('{').count(), expected.len(), "{}", route.path);
    }
    for parameter in ROUTES.iter().flat_map(|route| operation(route)["parameters"].as_array().unwrap()) {
        assert_ne!(parameter["description"], "", "{parameter}");
    }
}

#[test]
fn queries_are_the_fields_that_handlers_read() {
    let query = |path: &str| {
        let route = ROUTES.iter().find(|route| route.path == path).expect(path);
        names(operation(route), "query").into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(query("/api/session/list"), "after archived attention limit projectId q sessionIds");
    assert_eq!(query("/api/projects/{id}/files"), "q");
    assert_eq!(query("/api/fs/complete"), "path");
    assert_eq!(query("/api/session/{id}/history"), "after around before limit");
    assert_eq!(query("/api/session/{id}/upserts"), "after");
    assert_eq!(query("/api/session/{id}/export"), "format");
    assert_eq!(query("/api/search"), "limit q sessionId");
    assert_eq!(query("/api/meta"), "");
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_referred_to() {
    let mut references = BTreeSet::new();
    each(document(), &mut |key, value| {
        if key == "$ref" {
            references.insert(word(value));
        }
    });
    for reference in &references {
        let pointer = reference.strip_prefix('#').expect("a place in the document");
        assert!(document().pointer(pointer).is_some(), "{reference}");
    }
    for name in document()["components"]["schemas"].as_object().unwrap().keys() {
        assert!(references.contains(&format!("#/components/schemas/{name}")), "{name}");
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name} is the name of two types");
    }
}

#[test]
fn every_code_has_an_example_with_its_own_status() {
    let examples = document()["components"]["examples"].as_object().unwrap();
    assert_eq!(examples.len(), ErrorCode::WORDS.len());
    for (word, example) in examples {
        let code = ErrorCode::from_word(word).unwrap();
        assert_eq!(example["value"]["code"], **word);
        assert_eq!(example["value"]["status"], ApiError::bare(code).problem().status, "{word}");
        assert!(example["summary"].as_str().is_some_and(|summary| summary.len() > 5), "{word}");
    }
}

#[test]
fn errors_stand_under_the_status_of_their_code() {
    for route in ROUTES {
        let responses = operation(route)["responses"].as_object().unwrap();
        let mut told = BTreeSet::new();
        for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
            let problem = &response["content"]["application/problem+json"];
            assert_eq!(problem["schema"]["$ref"], "#/components/schemas/Problem");
            for (word, example) in problem["examples"].as_object().unwrap() {
                assert_eq!(example["$ref"], format!("#/components/examples/{word}"));
                let code = ErrorCode::from_word(word).unwrap();
                assert_eq!(ApiError::bare(code).problem().status.to_string(), *status, "{word}");
                told.insert(code);
            }
        }
        assert_eq!(told, errors::codes(route), "{}", route.path);
    }
}

#[test]
fn gates_are_told_where_they_stand() {
    let has = |path: &str, word: &str| {
        let route = ROUTES.iter().find(|route| route.path == path).expect(path);
        errors::codes(route).contains(&ErrorCode::from_word(word).unwrap())
    };
    for (path, word, expected) in [
        ("/healthz", "HOST_NOT_ALLOWED", true),
        ("/healthz", "UNAUTHORIZED", false),
        ("/api/meta", "UNAUTHORIZED", true),
        ("/api/meta", "UNSUPPORTED_MEDIA_TYPE", false),
        ("/auth/exchange", "UNSUPPORTED_MEDIA_TYPE", true),
        ("/api/session/{id}/status", "SESSION_NOT_FOUND", true),
        ("/api/session/{id}/send", "TURN_IN_PROGRESS", true),
        ("/api/session/list", "NOT_FOUND", false),
    ] {
        assert_eq!(has(path, word), expected, "{path} {word}");
    }
}

#[test]
fn credentials_are_those_of_the_gate() {
    for route in ROUTES {
        let expected = match route.access {
            Access::Page | Access::Public => 0,
            Access::Token => 1,
            Access::Credential => 2,
        };
        let security = operation(route)["security"].as_array().unwrap();
        assert_eq!(security.len(), expected, "{}", route.path);
        for name in security.iter().flat_map(|choice| choice.as_object().unwrap().keys()) {
            assert!(document()["components"]["securitySchemes"].get(name).is_some(), "{name}");
        }
    }
}

#[test]
fn answers_are_those_of_the_handlers() {
    for route in ROUTES {
        let (operation, answer) = (operation(route), route.handler.operation.answer);
        let good: Vec<_> = operation["responses"]
            .as_object()
            .unwrap()
            .keys()
            .filter(|status| status.as_str() < "400")
            .collect();
        let expected = if matches!(answer.content, Content::Ranges) { 2 } else { 1 };
        assert_eq!(good.len(), expected, "{}", route.path);
        assert_eq!(operation.get("requestBody").is_some(), route.handler.operation.body.is_some());
    }
    let answer = |path: &str| &document()["paths"][path]["get"]["responses"]["200"]["content"];
    let status = &answer("/api/session/{id}/status")["application/json"]["schema"];
    assert_eq!(status["$ref"], "#/components/schemas/SessionStatus");
    let data = &answer("/api/session/{id}/events")["text/event-stream"]["x-event-data"];
    assert_eq!(data["$ref"], "#/components/schemas/StreamEventEnvelope");
}

#[test]
fn it_is_of_this_version() {
    assert_eq!(document()["openapi"], "3.1.1");
    assert_eq!(document()["info"]["version"], env!("CARGO_PKG_VERSION"));
}
