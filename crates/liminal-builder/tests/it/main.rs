//! The whole product from outside: the real binary, real pipes and ports.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod emitter;
mod filter;
mod serve;
mod support;
