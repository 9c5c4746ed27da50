//! Claude Code: what its lines mean.

pub mod history;
mod tool_result;
