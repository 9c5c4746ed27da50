//! The shell of Liminal Builder: it opens pipes and ports, reads the clock and moves bytes. Decisions about what
//! agents say are the core's.

pub mod agents;
pub mod audit;
pub mod cli;
pub mod clock;
pub mod cluster;
pub mod commands;
pub mod config;
pub mod data_dir;
pub mod demo;
pub mod diagnostics;
pub mod discovery;
pub mod emitter;
pub mod exit;
pub mod export;
pub mod filter;
mod foreign_file;
pub mod http;
pub mod log;
pub mod metrics;
mod platform;
mod private_file;
pub mod process;
pub mod projects;
pub mod provider;
pub mod recording;
pub mod redaction;
pub mod redis_store;
pub mod replay;
pub mod serve;
pub mod session;
pub mod sessions;
pub mod store;
pub mod stream_b;
pub mod telemetry;
pub mod transport;
pub mod trust;
