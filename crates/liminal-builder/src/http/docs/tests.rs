use std::collections::BTreeSet;

use super::super::routes::ROUTES;
use super::*;

/// What stands between `start` and the next quotation mark, wherever `start` is.
fn attributes(start: &str) -> Vec<&'static str> {
    let page: &'static str = &PAGE;
    page.split(start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_route_is_on_the_page() {
    let ids: BTreeSet<_> = attributes(" id=\"").into_iter().collect();
    for route in ROUTES {
        assert!(ids.contains(route.handler.name), "{}", route.handler.name);
        let heading = format!("{}</span> <code>{}</code>", route.verb.as_str(), route.path);
        assert!(PAGE.contains(&heading), "{heading}");
    }
}

#[test]
fn every_type_and_every_code_is_on_the_page() {
    let ids: BTreeSet<_> = attributes(" id=\"").into_iter().collect();
    for (kind, prefix) in [("schemas", "type"), ("examples", "error")] {
        for name in openapi::document()["components"][kind].as_object().unwrap().keys() {
            assert!(ids.contains(format!("{prefix}-{name}").as_str()), "{name}");
        }
    }
}

#[test]
fn links_lead_somewhere_and_no_id_is_there_twice() {
    let ids = attributes(" id=\"");
    let different: BTreeSet<_> = ids.iter().copied().collect();
    assert_eq!(ids.len(), different.len());
    for link in attributes(" href=\"#") {
        assert!(different.contains(link), "{link}");
    }
}

#[test]
fn nothing_on_the_page_needs_more_than_our_own_style() {
    let tags = PAGE.split('<').skip(1).map(|rest| rest.split('>').next().unwrap());
    for tag in tags {
        let tag = tag.to_lowercase();
        assert!(!tag.starts_with("script") && !tag.starts_with("style"), "{tag}");
        assert!(!tag.contains(" style=") && !tag.contains(" on") && !tag.contains("javascript:"), "{tag}");
        assert!(!tag.contains("src=") && !tag.contains("://"), "{tag}");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
}

#[test]
fn tags_are_closed_in_order() {
    let mut open = Vec::new();
    for tag in PAGE.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        let name = tag.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{tag}"),
            None if ["!doctype", "meta", "link"].contains(&name) => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn examples_can_be_copied() {
    for expected in [
        "curl -X POST &quot;$URL/api/session/$id/send&quot; \\\n  -H &quot;Authorization: Bearer $TOKEN&quot; \\\n  \
         -H &quot;Content-Type: application/json&quot; \\\n  -d &#39;{&quot;message&quot;:&quot;…&quot;}&#39;",
        "curl -N &quot;$URL/api/session/$id/upserts&quot;",
        "&quot;$URL/api/projects/$id/files&quot;",
    ] {
        assert!(PAGE.contains(expected), "{expected}");
    }
}
