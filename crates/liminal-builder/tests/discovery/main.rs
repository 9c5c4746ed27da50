//! Sessions that agents have left on disk.

#[cfg(test)] // so that lints know what this is
mod claude_code;
