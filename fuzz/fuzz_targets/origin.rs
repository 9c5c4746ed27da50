//! Feeds `properties/origin.rs`.
#![no_main]

#[path = "../properties/origin.rs"]
mod origin;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| origin::check(bytes));
