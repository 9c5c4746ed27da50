//! The shell of Liminal Builder.

pub mod discovery;
