//! Stream B in a real Redis: every acceptance case, read back as its consumers read it, and what happens when the Redis
//! is gone for a while or for good.

mod cases;
pub(crate) mod consumer;
mod faults;
