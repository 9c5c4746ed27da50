//! Sessions that agents have left on disk.

mod claude_code;
mod codex;
mod disk;
