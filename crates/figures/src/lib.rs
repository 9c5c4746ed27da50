//! Figures that tests and benches measure, and the limits they are compared with. A test calls [`gate()`]; a bench prints
//! its samples, and `./x bench` compares them. All limits are in `bench/limits.toml`.

mod gate;
mod limits;
mod loosening;
mod record;
mod samples;
mod unit;
mod verdict;

pub use gate::gate;
pub use limits::{Form, Limit, Limits, Quantile, parse, read};
pub use loosening::loosened;
pub use record::{clear, recorded};
pub use samples::{Measured, Samples};
pub use unit::Unit;
pub use verdict::{Row, Verdict, compare};

/// Where the limits are, below the root of the repository.
pub const LIMITS: &str = "bench/limits.toml";
