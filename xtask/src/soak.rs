//! `./x soak`: the tests of reliability many times over, one after another, with their figures; then the laws of the
//! processor for many more sequences, and typing in a browser while requests come and go. Each run draws a new seed.

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::BuildHasher;

use anyhow::Result;

use crate::command::CommandLine;
use crate::web;

/// Read by the tests.
const VARIABLE: &str = "LIMINAL_SOAK";
/// Read by the tests of reliability, which add it to their own seeds.
const SEED: &str = "LIMINAL_SEED";
/// Sequences for each law: over a million for all of them.
const SEQUENCES: &str = "100000";

/// The name of the part in the browser.
const TYPING: &str = "typing";

pub(crate) fn run(name: Option<&str>) -> Result<()> {
    if name == Some(TYPING) {
        return web::soak(VARIABLE);
    }
    let seed = env::var(SEED).unwrap_or_else(|_| fresh_seed().to_string());
    println!("soak: seed {seed}; {SEED}={seed} runs the same again");
    reliability(name.unwrap_or_default(), &seed)?;
    if name.is_some() {
        return Ok(());
    }
    laws(&seed)?;
    web::soak(VARIABLE)
}

fn reliability(name: &str, seed: &str) -> Result<()> {
    CommandLine::new("cargo test --release --package liminal-builder --test it")
        .word(format!("reliability::{name}").trim_end_matches("::"))
        .words(["--", "--nocapture", "--test-threads=1"])
        .variable(VARIABLE, "1")
        .variable(SEED, seed)
        .run()
}

fn laws(seed: &str) -> Result<()> {
    CommandLine::new("cargo test --release --package liminal-core --test it laws:: -- --skip replay::")
        .variable("PROPTEST_CASES", env::var("PROPTEST_CASES").unwrap_or_else(|_| SEQUENCES.to_owned()))
        .variable("PROPTEST_RNG_SEED", seed)
        .run()
}

/// Short enough to be typed, and far from overflow when tests count on from it.
fn fresh_seed() -> u64 {
    RandomState::new().hash_one(SEED) % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_draws_another_seed() {
        let mut seeds: Vec<u64> = (0..10).map(|_| fresh_seed()).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert!(seeds.len() > 5, "{seeds:?}");
    }
}
