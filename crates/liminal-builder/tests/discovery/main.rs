//! Sessions that agents have left on disk.

#[cfg(test)] // so that lints know what these are
mod claude_code;
#[cfg(test)]
mod codex;
#[cfg(test)]
mod disk;
