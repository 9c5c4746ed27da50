//! Stream B in a real Redis: every acceptance case, read back as its consumers read it, and what happens when the Redis
//! is gone for a while or for good.

/// One test for each fixture of a case; cases 13 and 14 are faults of the Redis, and have no fixture.
macro_rules! one_test_for_each_case {
    ($check:ident) => {
        one_test_for_each_case! {
            $check:
            sb_01_simple_agent_message
            sb_02_batching_detailed
            sb_02_batching_functional
            sb_03_user_message_is_held
            sb_04_reasoning_block
            sb_05_tool_call_and_output
            sb_06_two_tool_calls
            sb_07_item_error
            sb_08_response_error
            sb_09_batch_timeout
            sb_09_batch_timeout_done_at_once
            sb_10_gradient_detailed
            sb_10_gradient_functional
            sb_11_empty_content
            sb_12_destroy_flushes_as_created
            sb_12_destroy_with_nothing_unemitted
        }
    };
    ($check:ident: $($name:ident)*) => {
        #[test]
        fn no_case_is_left_out() {
            $crate::stream_b::assert_all(&[$(stringify!($name)),*]);
        }

        $(#[test]
        fn $name() {
            $check(stringify!($name));
        })*
    };
}

mod cases;
pub(crate) mod consumer;
mod faults;
mod feeds;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::filter::values;
use crate::support::process_fixtures;

/// What a case tells, each file of which must be there.
struct Case {
    options: Value,
    input: String,
    expected: Vec<Value>,
}

impl Case {
    fn read(name: &str) -> Self {
        let directory = process_fixtures().into_iter().find(|path| path.ends_with(name)).expect(name);
        let read = |file: &str| std::fs::read_to_string(directory.join(file)).expect(file);
        let options = serde_json::from_str(&read("case.json")).unwrap();
        Self { options, input: read("in.ndjson"), expected: values(&read("out.ndjson")).collect() }
    }

    fn turn(&self) -> &str {
        self.expected[0]["turnId"].as_str().unwrap()
    }
}

fn assert_all(names: &[&str]) {
    let directories = process_fixtures();
    let found = directories.iter().filter_map(|path| path.file_name().unwrap().to_str());
    let found: Vec<_> = found.filter(|name| name.starts_with("sb_")).collect();
    assert_eq!(found, names);
    let cases: BTreeSet<&str> = names.iter().filter_map(|name| name.get(..5)).collect();
    let expected: BTreeSet<String> = (1..=12).map(|number| format!("sb_{number:02}")).collect();
    assert!(cases.into_iter().eq(expected), "{names:?}");
}
