//! Acceptance of the ACP dialect.

mod acceptance;
mod adapters;
mod agent;
mod asides;
mod connection;
mod endings;
mod forms;
mod laws;
mod notices;
pub(crate) mod recordings;
mod shapes;
mod steering;
