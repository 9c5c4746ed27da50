//! Every log keeps the same promises: one suite, run against each of them.

mod conformance;
mod corruption;
mod durability;
mod laws;
mod storage;
mod support;
