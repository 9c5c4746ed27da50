//! Acceptance of the ACP dialect.

mod acceptance;
mod agent;
mod connection;
mod endings;
mod laws;
mod notices;
mod recordings;
mod shapes;
