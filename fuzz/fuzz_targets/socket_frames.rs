//! Feeds `properties/socket_frames.rs`. One server takes the sockets of all inputs.
#![no_main]

use std::sync::OnceLock;

#[path = "../properties/socket_frames.rs"]
mod socket_frames;

static SERVER: OnceLock<socket_frames::Server> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| SERVER.get_or_init(socket_frames::Server::start).check(bytes));
