//! The whole product from outside: the real binary, real pipes and ports.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, and looks only for what it is about"
)]
#![expect(
    clippy::cognitive_complexity,
    reason = "each assertion counts as branches, also in the functions that `both_pins!` makes tests of"
)]

mod acp;
mod bench_deltas;
mod chat;
mod claude_code;
mod cli;
mod config;
mod demo;
mod discovery;
mod doctor;
mod emitter;
mod faults;
mod filter;
mod fuzzed;
mod http;
mod interface;
mod log;
mod models;
mod pin;
mod redis_server;
mod reliability;
mod replay;
mod server;
mod stream_b;
mod support;
mod tap;
mod world;
