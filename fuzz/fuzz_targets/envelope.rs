//! Feeds `properties/envelope.rs`.
#![no_main]

#[path = "../properties/envelope.rs"]
mod envelope;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| envelope::check(bytes));
