//! Feeds `properties/claude_frames.rs`.
#![no_main]

#[path = "../properties/claude_frames.rs"]
mod claude_frames;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| claude_frames::check(bytes));
