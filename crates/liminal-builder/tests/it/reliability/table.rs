//! The tables of what holds when things go wrong, in `docs/reliability.md` and `docs/security.md`: every row names tests
//! that exist, and figures with their limits.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ::figures::{LIMITS, Limit, Unit};

/// The rows that must be there; those of Redis are in the guide to several servers.
const FAULTS: std::ops::RangeInclusive<u32> = 1..=46;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Cells of every row of every table, without their frames.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = lines.map(|line| line.split(" | ").collect::<Vec<_>>());
    cells.filter(|cells| cells[0].starts_with(['C', 'R', 'D', 'S']) && cells[0] != "row").collect()
}

/// What stands between back ticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Every text of a kind of file below a folder, one after another.
fn sources(folder: &Path, ends: &[&str], all: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().unwrap().is_dir() {
            if !["node_modules", "target", "dist"].contains(&name.as_str()) {
                sources(&path, ends, all);
            }
        } else if ends.iter().any(|end| name.ends_with(end)) {
            all.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

fn guide(name: &str) -> String {
    fs::read_to_string(repository().join("docs").join(name)).unwrap()
}

#[test]
fn every_test_that_the_guides_name_exists() {
    let guide = [guide("reliability.md"), guide("security.md")].concat();
    let mut code = String::new();
    sources(&repository().join("crates"), &[".rs"], &mut code);
    sources(&repository().join("web/tests"), &[".ts"], &mut code);
    let mut missing = Vec::new();
    for row in rows(&guide) {
        let tests = quoted(row[2]);
        assert!(!tests.is_empty(), "{} names no test", row[0]);
        let is_there =
            |test: &&&str| code.contains(&format!("fn {test}(")) || code.contains(&format!("test('{test}"));
        missing.extend(tests.iter().filter(|test| !is_there(test)).map(|test| format!("{}: {test}", row[0])));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_guide_to_reliability_has_a_row_for_every_fault() {
    let guide = guide("reliability.md");
    let told: BTreeSet<&str> = rows(&guide).iter().flat_map(|row| row[0].split(' ')).collect();
    let untold: Vec<String> =
        FAULTS.map(|number| format!("C{number}")).filter(|row| !told.contains(row.as_str())).collect();
    assert!(untold.is_empty(), "{untold:?}");
}

/// A limit as the guide writes it.
fn written(limit: &Limit) -> String {
    let most = limit.most();
    match limit.unit {
        Unit::Microseconds => format!("{most} µs"),
        Unit::Milliseconds if most >= 1e3 => format!("{} s", most / 1e3),
        Unit::Milliseconds => format!("{most} ms"),
        Unit::Megabytes => format!("{most:.0} MB"),
        Unit::Bytes => format!("{:.1} MB", most / 1e6),
        Unit::Count => most.to_string(),
        Unit::Ratio => format!("{most:.2} ×"),
    }
}

#[test]
fn the_guide_to_reliability_names_every_figure_with_its_limit() {
    let guide = guide("reliability.md");
    let limits = ::figures::read(&repository().join(LIMITS)).unwrap();
    let entries = limits["reliability"].iter().map(|(name, limit)| format!("`{name}` {}", written(limit)));
    let missing: Vec<String> = entries.filter(|entry| !guide.contains(entry)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let quoted = rows(&guide).into_iter().filter_map(|row| row.get(3).copied()).flat_map(quoted);
    let figures = quoted.filter(|text| text.contains('.') && !text.contains([' ', '/']));
    let unknown: Vec<&str> = figures.filter(|name| !limits["reliability"].contains_key(*name)).collect();
    assert!(unknown.is_empty(), "no such figures: {unknown:?}");
}
