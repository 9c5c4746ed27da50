//! Feeds `properties/acp_frames.rs`.
#![no_main]

#[path = "../properties/acp_frames.rs"]
mod acp_frames;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acp_frames::check(bytes));
