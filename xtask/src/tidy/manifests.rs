//! What the tree of dependencies may hold.

use super::{Source, assert_fails, assert_passes, holds};

/// A runtime, a network or a source of chance in its manifest would end the purity of the core.
const IMPURE: [&str; 3] = ["tokio", "reqwest", "rand"];

/// A lock file that names hosts works only where those hosts are reached.
fn hosts(source: &Source) -> Vec<String> {
    let foreign: &[&str] = match source.name() {
        "package-lock.json" => &["\"resolved\":"],
        "Cargo.lock" => &["source = \"git+", "source = \"sparse+"],
        _ => return Vec::new(),
    };
    let lines =
        source.text.lines().filter(|line| foreign.iter().any(|start| line.trim_start().starts_with(start)));
    lines.map(|line| format!("names a host: {}", line.trim())).collect()
}

fn purity(source: &Source) -> Vec<String> {
    if source.path != "crates/liminal-core/Cargo.toml" {
        return Vec::new();
    }
    let names = source.text.lines().filter_map(dependency);
    let impure = names.filter(|name| IMPURE.contains(name));
    impure.map(|name| format!("the core may not depend on {name}")).collect()
}

/// `name.workspace = true`, `name = "1"` and `[dependencies.name]` name a dependency.
fn dependency(line: &str) -> Option<&str> {
    let end = |character: char| !character.is_alphanumeric() && !"_-".contains(character);
    if let Some(table) = line.strip_prefix('[') {
        return table.trim_end_matches(']').split_once("dependencies.").map(|(_, name)| name);
    }
    line.split(end).next()
}

#[test]
fn lock_files_name_no_hosts() {
    holds(hosts);
}

#[test]
fn the_manifest_of_the_core_is_pure() {
    holds(purity);
}

#[test]
fn hosts_sample() {
    assert_passes(hosts, "web/package-lock.json", "{ \"integrity\": \"sha512-abc\" }\n");
    assert_fails(hosts, "web/package-lock.json", "  \"resolved\": \"https://example.org/a.tgz\",\n");
    assert_passes(hosts, "Cargo.lock", "name = \"a\"\nsource = \"registry+https://example.org/index\"\n");
    assert_fails(hosts, "Cargo.lock", "source = \"git+https://example.org/a\"\n");
    assert_fails(hosts, "fuzz/Cargo.lock", "source = \"sparse+https://example.org/\"\n");
}

#[test]
fn purity_sample() {
    let manifest = "crates/liminal-core/Cargo.toml";
    assert_passes(purity, manifest, "[dependencies]\nserde.workspace = true\nrandom-walk = \"1\"\n");
    assert_passes(purity, "crates/liminal-builder/Cargo.toml", "tokio.workspace = true\n");
    assert_fails(purity, manifest, "[dependencies]\ntokio.workspace = true\n");
    assert_fails(purity, manifest, "rand = { version = \"0.9\" }\n");
    assert_fails(purity, manifest, "[dev-dependencies.reqwest]\nversion = \"0.12\"\n");
}
