//! Who may use whom. The compiler checks the crates; this checks the modules inside them.

use super::{Source, assert_fails, assert_passes, holds};

/// A module of a crate, and what neither it nor anything below it may name.
struct Layer {
    krate: &'static str,
    module: &'static str,
    forbidden: &'static [&'static str],
}

const LAYERS: [Layer; 10] = [
    // A dialect does not know about batching.
    Layer { krate: "liminal-core", module: "dialect", forbidden: &["upsert", "processor", "session"] },
    // The processor does not know which agent speaks.
    Layer { krate: "liminal-core", module: "processor", forbidden: &["dialect"] },
    // The demo agent is an agent like any other: it may not know who drives it.
    Layer {
        krate: "liminal-builder",
        module: "demo",
        forbidden: &["provider", "session", "log", "http", "process"],
    },
    Layer { krate: "liminal-builder", module: "process", forbidden: &["provider", "session", "log", "http"] },
    Layer {
        krate: "liminal-builder",
        module: "transport",
        forbidden: &["provider", "session", "log", "http"],
    },
    Layer { krate: "liminal-builder", module: "provider", forbidden: &["session", "log", "http"] },
    Layer { krate: "liminal-builder", module: "log", forbidden: &["store", "session", "provider", "http"] },
    Layer { krate: "liminal-builder", module: "store", forbidden: &["session", "provider", "http"] },
    Layer { krate: "liminal-builder", module: "session", forbidden: &["http"] },
    Layer { krate: "liminal-builder", module: "http", forbidden: &["provider", "transport", "process"] },
];

/// Time, randomness and the world outside reach the core as arguments.
const IMPURE: [&str; 7] =
    ["tokio", "rand", "std::fs", "std::net", "std::process", "std::time::Instant", "std::time::SystemTime"];

fn layers(source: &Source) -> Vec<String> {
    let Some((krate, module)) = module_of(&source.path) else { return Vec::new() };
    let Some(layer) = LAYERS.iter().find(|layer| layer.krate == krate && layer.module == module[0]) else {
        return Vec::new();
    };
    let paths = named_paths(&source.text);
    let names = paths.iter().filter_map(|path| root_module(path, module.len()));
    let wrong = names.filter(|name| layer.forbidden.contains(name));
    wrong.map(|name| format!("`{}` may not use `{name}`", layer.module)).collect()
}

fn purity(source: &Source) -> Vec<String> {
    if !source.path.starts_with("crates/liminal-core/src/") {
        return Vec::new();
    }
    let impure = |path: &String| IMPURE.iter().any(|start| is_below(path, start));
    let wrong = named_paths(&source.text).into_iter().filter(impure);
    wrong.map(|path| format!("the core may not use `{path}`")).collect()
}

/// The crate a file is in, and its module path: `crates/a/src/b/c.rs` is `("a", ["b", "c"])`.
fn module_of(path: &str) -> Option<(&str, Vec<&str>)> {
    let (krate, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    Some((krate, file.strip_suffix(".rs")?.split('/').collect()))
}

/// The module at the root of the crate that a path leads through, seen from `depth` modules below.
fn root_module(path: &str, depth: usize) -> Option<&str> {
    let below_root = path.strip_prefix("crate::").or_else(|| path.strip_prefix(&"super::".repeat(depth)))?;
    below_root.split("::").next()
}

fn is_below(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Every path in the code, with the groups of `use` written out: `a::{b, c::d}` is `a::b` and `a::c::d`.
/// Comments may name anything.
fn named_paths(text: &str) -> Vec<String> {
    let code =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let (mut paths, mut path, mut groups) = (Vec::new(), String::new(), Vec::<String>::new());
    for character in code.chars() {
        if character.is_alphanumeric() || "_:".contains(character) {
            path.push(character);
            continue;
        }
        match character {
            '{' if path.ends_with("::") => groups.push(path.clone()),
            '{' => groups.push(String::new()),
            '}' => drop(groups.pop()),
            _ => {}
        }
        let group = groups.last().cloned().unwrap_or_default();
        paths.push(std::mem::replace(&mut path, group));
    }
    paths.push(path);
    paths.iter().map(|path| path.trim_start_matches("::").to_owned()).collect()
}

#[test]
fn modules_know_only_those_below_them() {
    holds(layers);
}

/// What agents say reaches clients through sessions and their logs, and by no other way.
fn bridges(source: &Source) -> Vec<String> {
    if !source.path.starts_with("crates/liminal-builder/src/http") {
        return Vec::new();
    }
    let agents = ["liminal_core::dialect", "liminal_core::processor", "liminal_core::session"];
    let is_bridge = |path: &String| agents.iter().any(|start| is_below(path, start));
    let wrong = named_paths(&source.text).into_iter().filter(is_bridge);
    wrong.map(|path| format!("`http` may not use `{path}`")).collect()
}

#[test]
fn tc_7_4a_no_agent_speaks_to_a_client_directly() {
    holds(bridges);
    let http = LAYERS.iter().find(|layer| layer.module == "http").unwrap();
    assert!(["provider", "transport", "process"].iter().all(|module| http.forbidden.contains(module)));
    let socket = "crates/liminal-builder/src/http/ws.rs";
    assert_fails(bridges, socket, "use liminal_core::dialect::acp::AcpDialect;\n");
    assert_passes(bridges, socket, "use liminal_core::upsert::Upsert;\n");
}

#[test]
fn the_core_is_pure() {
    holds(purity);
}

#[test]
fn layers_sample() {
    let dialect = "crates/liminal-core/src/dialect/claude.rs";
    assert_passes(layers, dialect, "use crate::event::{StreamEvent, upsert_like};\n");
    assert_passes(layers, dialect, "/// See [`crate::session::Session`].\n");
    assert_passes(layers, dialect, "use super::session;\n");
    assert_fails(layers, dialect, "use crate::upsert::Upsert;\n");
    assert_fails(layers, dialect, "use crate::{\n    event::StreamEvent,\n    session,\n};\n");
    assert_fails(layers, dialect, "use crate::{event::{A, B}, processor::C};\n");
    assert_fails(layers, dialect, "fn a() { crate::session::b() }\n");
    assert_fails(layers, dialect, "use super::super::session;\n");
    assert_passes(layers, "crates/liminal-core/src/session.rs", "use crate::dialect::Dialect;\n");
    assert_fails(layers, "crates/liminal-core/src/processor.rs", "use crate::dialect::Dialect;\n");
    assert_passes(layers, "crates/liminal-builder/src/http/ws.rs", "use crate::session::SessionHandle;\n");
    assert_fails(layers, "crates/liminal-builder/src/http/ws.rs", "use crate::{log, process};\n");
    assert_fails(layers, "crates/liminal-builder/src/log/redis.rs", "use crate::session::SessionHandle;\n");
}

#[test]
fn purity_sample() {
    let time = "crates/liminal-core/src/time.rs";
    assert_passes(purity, time, "use std::{fmt, time::Duration};\nlet tokio_like = randomly;\n");
    assert_fails(purity, time, "use std::{fmt, time::{Duration, Instant}};\n");
    assert_fails(purity, time, "fn a() { std::fs::read(b) }\n");
    assert_fails(purity, time, "use ::tokio::spawn;\n");
    assert_passes(purity, "crates/liminal-core/tests/a.rs", "use std::fs;\n");
}

#[test]
fn groups_are_written_out() {
    let paths = named_paths("use a::{b, c::{d, e}, f};\nmod g { use h::i; }\n");
    for expected in ["a::b", "a::c::d", "a::c::e", "a::f", "h::i"] {
        assert!(paths.iter().any(|path| path == expected), "{expected} in {paths:?}");
    }
}
