//! Acceptance of the ACP dialect.

mod acceptance;
mod agent;
mod connection;
mod endings;
mod laws;
mod recordings;
mod shapes;
