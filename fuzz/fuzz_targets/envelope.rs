//! Any bytes, read as JSON: an error is an answer, a panic is not.
#![no_main]

use libfuzzer_sys::fuzz_target;

// replaced when the reader lands
fuzz_target!(|bytes: &[u8]| {
    drop(serde_json::from_slice::<serde_json::Value>(bytes));
});
