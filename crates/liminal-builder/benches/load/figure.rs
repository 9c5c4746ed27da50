//! Figures as `./x bench` reads them, and where they come from.

use std::fs;
use std::time::Duration;

use serde_json::json;

/// Reports two ways of doing the same as `NAME.liminal`, `NAME.relay` and `NAME.ratio`.
pub(crate) fn comparison(name: &str, unit: &str, ours: &[f64], floor: &[f64]) {
    samples(&format!("{name}.liminal"), unit, ours);
    samples(&format!("{name}.relay"), unit, floor);
    let figure = format!("{name}.ratio");
    println!("{}", json!({ "figure": figure, "unit": "ratio", "samples": ours, "base": floor }));
}

pub(crate) fn samples(figure: &str, unit: &str, samples: &[f64]) {
    println!("{}", json!({ "figure": figure, "unit": unit, "samples": samples }));
}

/// The percentile of the ages, in milliseconds.
pub(crate) fn percentile(ages: &[Duration], percent: usize) -> f64 {
    let mut sorted = ages.to_vec();
    sorted.sort_unstable();
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).expect("something was read").as_secs_f64() * 1e3
}

/// What a process has computed, in hundredths of a second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuTime(u64);

impl CpuTime {
    pub(crate) fn of(pid: u32) -> Self {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        // The name of the program may hold spaces.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        Self([11, 12].iter().map(|index| fields[*index].parse::<u64>().unwrap()).sum())
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self(self.0 - before.0)
    }

    pub(crate) fn micros(self) -> f64 {
        self.0 as f64 * 1e4
    }
}
