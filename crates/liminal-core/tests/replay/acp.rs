//! Acceptance of the ACP dialect.

mod recordings;
mod shapes;
