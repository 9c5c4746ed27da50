//! Acceptance of the ACP dialect.

mod recordings;
