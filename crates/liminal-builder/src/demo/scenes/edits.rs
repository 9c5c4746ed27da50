//! Scenes that show edits. The texts before and after are whole, so that a client can show the difference; no file of
//! these names is read or written.

use serde_json::json;

use super::Occasion;
use crate::demo::scene::{Call, Step};

const BEFORE: &str = include_str!("../texts/greeting_before.txt");
const AFTER: &str = include_str!("../texts/greeting_after.txt");
const NEW_TEST: &str = include_str!("../texts/greeting_test.txt");

pub(super) fn diff(occasion: &Occasion<'_>) -> Vec<Step> {
    vec![
        Step::say("I pretend to edit two files. This is a demo: neither exists, and neither is written.\n"),
        Step::Use(edit(occasion)),
        Step::Use(new_file(occasion)),
        Step::say("The first edit changed a function in two places; the second made a new file.\n"),
    ]
}

/// A change of a file in two places.
pub(super) fn edit(occasion: &Occasion<'_>) -> Call {
    let path = occasion.path("demo/src/greeting.rs");
    Call::new("edit_file", "edit", "Edit demo/src/greeting.rs (demo: only shown)")
        .input(json!({ "path": path }))
        .at(path.clone(), 4)
        .changes(path, Some(BEFORE), AFTER)
}

fn new_file(occasion: &Occasion<'_>) -> Call {
    let path = occasion.path("demo/tests/greeting.rs");
    Call::new("write_file", "edit", "Write demo/tests/greeting.rs (demo: only shown)")
        .input(json!({ "path": path }))
        .at(path.clone(), 1)
        .changes(path, None, NEW_TEST)
}
