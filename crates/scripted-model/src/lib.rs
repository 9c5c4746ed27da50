//! A model API on loopback that answers from a script.
