//! What becomes of a session whose agent misbehaves. Each test carries the number of the row of faults it shows.

mod ending;
mod figures;
mod garbled;
pub(crate) mod load;
mod order;
mod silence;
mod start;
