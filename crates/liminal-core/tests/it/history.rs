//! Session files of Claude Code as history: what comes out of each directory of `tests/fixtures/claude-history` must
//! be what was found right before. `UPDATE=1` writes what is found.

mod cases;
mod live;
mod merging;
mod properties;
mod run;
