//! Feeds `properties/credentials.rs`.
#![no_main]

#[path = "../properties/credentials.rs"]
mod credentials;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| credentials::check(bytes));
