//! Feeds `properties/processor.rs`.
#![no_main]

#[path = "../properties/processor.rs"]
mod processor;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| processor::check(bytes));
