//! Acceptance of the upsert processor: what comes out of `in.ndjson` must be `out.ndjson`, for every directory of
//! `tests/fixtures/process`. Each test carries the id of the acceptance case it shows.

mod buffers;
mod cases;
mod clock;
mod dropped;
mod held;
mod run;
