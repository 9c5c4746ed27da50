//! Acceptance of the dialects: recordings of real agents, played on virtual time, must give the reviewed events
//! and upserts of `tests/fixtures/claude`. `UPDATE=1` writes them anew.

mod acceptance;
mod agent;
mod asking;
mod endings;
mod invariants;
mod laws;
mod recordings;
