//! The pure half of Liminal Builder.
