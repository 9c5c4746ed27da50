//! The Redis that servers share. Owns how it is reached, every name in it, and what it tells of itself; what is said to
//! it is decided by those who use it.

mod keys;
mod link;
mod report;

pub use keys::Keys;
pub use link::{Ask, Link, LinkError};
pub use report::Report;
