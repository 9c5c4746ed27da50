//! The shell of Liminal Builder: it opens pipes and ports, reads the clock and moves bytes. Decisions about what
//! agents say are the core's.

pub mod cli;
pub mod clock;
pub mod data_dir;
pub mod discovery;
pub mod emitter;
pub mod filter;
pub mod log;
mod platform;
pub mod process;
pub mod provider;
pub mod server;
pub mod session;
pub mod transport;
