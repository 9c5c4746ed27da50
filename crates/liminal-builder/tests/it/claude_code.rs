//! The real Claude Code CLI, pinned, against the scripted model. Each test carries the id of the acceptance case it
//! shows.

mod faults;
mod lifecycle;
mod tools;
mod trust;
mod turns;
