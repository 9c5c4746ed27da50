//! Real agents that speak the Agent Client Protocol, pinned, against the scripted model. Tests of Codex carry the id of
//! the acceptance case they show.

mod codex;
mod codex_faults;
mod managed;
mod others;
mod trust;
mod world;

pub(crate) use world::AcpWorld;
