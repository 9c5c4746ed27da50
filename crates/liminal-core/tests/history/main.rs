//! Session files of Claude Code as history: what comes out of each directory of `tests/fixtures/claude-history` must
//! be what was found right before. `UPDATE=1` writes what is found.

#[cfg(test)] // so that lints know what these are
mod cases;
#[cfg(test)]
#[path = "../shared/correlation.rs"]
mod correlated;
#[cfg(test)]
#[path = "../shared/directories.rs"]
mod directories;
#[cfg(test)]
mod live;
#[cfg(test)]
mod merging;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod run;
