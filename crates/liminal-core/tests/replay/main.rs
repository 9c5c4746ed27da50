//! Acceptance of the dialects: recordings of real agents, played on virtual time, must give the reviewed events
//! and upserts of `tests/fixtures/{claude,acp,anthropic,openai}`. `UPDATE=1` writes them anew.
//!
//! The modules say that they are tests, so that what they share may fail like one.

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod acp;
#[cfg(test)]
mod agent;
#[cfg(test)]
mod asking;
#[cfg(test)]
mod breaking;
#[cfg(test)]
#[path = "../shared/correlation.rs"]
mod correlated;
#[cfg(test)]
mod correlation;
#[cfg(test)]
#[path = "../shared/directories.rs"]
mod directories;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod every_recording;
#[cfg(test)]
mod faithfulness;
#[cfg(test)]
mod happenings;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod models;
#[cfg(test)]
mod newest;
#[cfg(test)]
mod patience;
mod recordings;
#[cfg(test)]
mod reviewed;
#[cfg(test)]
mod session;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod steering;
#[cfg(test)]
mod task_lists;
