//! Acceptance of the upsert processor: what comes out of `in.ndjson` must be `out.ndjson`, for every directory of
//! `tests/fixtures/process`. Each test carries the id of the acceptance case it shows.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod buffers;
mod cases;
mod clock;
#[path = "../shared/directories.rs"]
mod directories;
mod dropped;
mod held;
mod run;
