//! What the server promises when things go wrong, shown from outside: the running program, the wire, and agents that
//! misbehave on demand. Figures with an aim have limits in `bench/limits.toml`; `./x soak` runs the tests many times
//! longer.

mod abuse;
mod agents;
mod client;
#[path = "cluster/all.rs"]
mod cluster;
mod crashes;
mod crowds;
mod decisions;
mod drops;
pub(crate) mod figures;
mod full;
mod headers;
mod held;
mod lasting;
mod odd_ids;
mod power;
mod racing;
mod reader;
mod shown;
mod simulation;
mod slow;
mod small_disk;
mod socket;
mod stepped_clock;
mod stopping;
mod strangers;
mod stream;
mod stream_b;
mod tab;
mod table;
mod unattended;
mod world;
