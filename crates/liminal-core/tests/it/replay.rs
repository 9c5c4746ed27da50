//! Acceptance of the dialects: recordings of real agents, played on virtual time, must give the reviewed events
//! and upserts of `tests/fixtures/{claude,acp,anthropic,openai}`. `UPDATE=1` writes them anew.

mod acceptance;
mod acp;
mod agent;
mod asking;
mod breaking;
mod correlation;
mod endings;
mod every_recording;
mod faithfulness;
mod happenings;
mod invariants;
mod laws;
mod models;
mod newest;
mod patience;
mod recordings;
mod reviewed;
mod session;
mod snapshots;
mod steering;
mod task_lists;
