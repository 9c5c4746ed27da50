//! `docs/acceptance.md`: every acceptance case of the specification with the tests that show it. `acceptance/cases.txt`
//! lists the cases; a test shows those whose ids are in its name.

mod names;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::r#gen::GeneratedFile;
use crate::repository;

pub(crate) const PAGE: &str = "docs/acceptance.md";

const CASES: &str = include_str!("acceptance/cases.txt");
const PLACES: [&str; 3] = ["crates", "web/tests", "xtask/src/tidy"];

const HEAD: &str = "\
# Acceptance cases

`./x gen` writes this page from the names of the tests. `TC` are the cases of the epic, `SB` those of Stream B. A case without a test
fails `./x test`. TC-6.4a to TC-6.4c are missing because the epic has withdrawn them.
";

/// The tests of each case, as `file: name`.
type Shown = BTreeMap<String, Vec<String>>;

/// The page, unless a case has no test.
pub(crate) fn page(root: &Path) -> Result<GeneratedFile> {
    let shown = shown(root)?;
    let cases: Vec<(&str, &str)> = CASES.lines().filter_map(|line| line.split_once(' ')).collect();
    let missing: Vec<&str> = cases.iter().map(|(id, _)| *id).filter(|id| !shown.contains_key(*id)).collect();
    ensure!(missing.is_empty(), "no test carries the id of these acceptance cases: {}", missing.join(", "));
    let mut contents = format!("{HEAD}\n| case | what | tests |\n|---|---|---|\n");
    for (id, title) in cases {
        let tests = shown.get(id).map(|tests| tests.join("<br>")).unwrap_or_default();
        contents += &format!("| {id} | {title} | {tests} |\n");
    }
    Ok(GeneratedFile { path: PAGE.to_owned(), contents })
}

fn shown(root: &Path) -> Result<Shown> {
    let mut shown = Shown::new();
    for path in PLACES.iter().map(|place| repository::files_under(&root.join(place), root)) {
        for path in path? {
            let Some(find) = names::finder(&path) else { continue };
            let source =
                fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
            for name in find(&source) {
                for id in names::ids(&name) {
                    shown.entry(id).or_default().push(format!("`{path}`: {name}"));
                }
            }
        }
    }
    for tests in shown.values_mut() {
        tests.sort();
        tests.dedup();
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_case_is_shown_and_the_page_is_fresh() {
        let root = repository::root();
        let page = page(&root).unwrap();
        let present = fs::read_to_string(root.join(PAGE)).unwrap_or_default();
        assert!(present == page.contents, "{PAGE} is stale; run `./x gen` and commit it");
    }

    #[test]
    fn all_cases_are_listed_once() {
        let ids: Vec<&str> = CASES.lines().filter_map(|line| Some(line.split_once(' ')?.0)).collect();
        let count = |prefix: &str| ids.iter().filter(|id| id.starts_with(prefix)).count();
        assert_eq!((count("TC-"), count("SB-"), ids.len()), (84, 14, 98));
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    }

    #[test]
    fn a_test_for_a_case_that_is_not_listed_is_a_mistake() {
        let listed: BTreeSet<&str> = CASES.lines().filter_map(|line| Some(line.split_once(' ')?.0)).collect();
        let shown = shown(&repository::root()).unwrap();
        let unlisted: Vec<_> = shown.iter().filter(|(id, _)| !listed.contains(id.as_str())).collect();
        assert!(unlisted.is_empty(), "{unlisted:?}");
    }

    #[test]
    fn a_case_without_a_test_fails() {
        let root = tempfile::tempdir().unwrap();
        let tests = root.path().join("crates/a/tests");
        fs::create_dir_all(&tests).unwrap();
        fs::write(tests.join("a.rs"), "fn tc_1_1a_one() {}\n// fn tc_1_1b_two() {}\n").unwrap();
        let error = page(root.path()).unwrap_err().to_string();
        assert!(error.contains("TC-1.1b") && !error.contains("TC-1.1a,"), "{error}");
    }
}
