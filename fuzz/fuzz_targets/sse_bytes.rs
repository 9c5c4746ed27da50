//! Feeds `properties/sse_bytes.rs`.
#![no_main]

#[path = "../properties/sse_bytes.rs"]
mod sse_bytes;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sse_bytes::check(bytes));
