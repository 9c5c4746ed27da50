//! Every log keeps the same promises: one suite, run against each of them.
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

mod background;
mod conformance;
mod corruption;
pub(crate) mod durability;
mod encoding;
mod full;
mod laws;
mod packing;
mod redis;
mod redis_faults;
mod salvage;
mod shared;
mod storage;
mod support;
