//! Conversations with models' own APIs: the scripted model, and a server that says byte for byte what a test wants.

mod faults;
mod raw;
mod secrets;
mod streams;
mod turns;
mod world;
