//! The shell of Liminal Builder.
