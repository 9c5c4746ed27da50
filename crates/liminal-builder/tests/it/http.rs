//! The server over real sockets: every route against every gate, and clients that mean no good.

mod bodies;
mod connections;
mod harness;
mod mutations;
mod names;
mod opt_ins;
mod origins;
mod program;
mod reach;
mod routes;
pub(crate) mod schemas;
mod sessions;
