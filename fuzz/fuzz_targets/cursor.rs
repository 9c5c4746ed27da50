//! Feeds `properties/cursor.rs`.
#![no_main]

#[path = "../properties/cursor.rs"]
mod cursor;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cursor::check(bytes));
