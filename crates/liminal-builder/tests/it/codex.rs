//! The real Codex behind its real ACP adapter, pinned, against the scripted model. Each test carries the id of the
//! acceptance case it shows.

mod faults;
mod sessions;
mod world;
