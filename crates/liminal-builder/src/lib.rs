//! The shell of Liminal Builder.

mod platform;
pub mod process;
pub mod transport;
