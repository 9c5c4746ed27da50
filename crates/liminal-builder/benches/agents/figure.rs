//! How a figure is reported: a line of JSON with all its samples, which `xtask/src/bench/samples.rs` reads.

use std::time::Duration;

use serde_json::json;

pub(crate) fn times(figure: &str, samples: &[Duration]) {
    println!("{}", json!({ "figure": figure, "unit": "ms", "samples": milliseconds(samples) }));
}

/// Reports two ways of doing the same as `NAME.OURS`, `NAME.OTHER` and `NAME.ratio`.
pub(crate) fn comparison(
    name: &str,
    (ours, samples): (&str, &[Duration]),
    (other, base): (&str, &[Duration]),
) {
    times(&format!("{name}.{ours}"), samples);
    times(&format!("{name}.{other}"), base);
    let (samples, base) = (milliseconds(samples), milliseconds(base));
    let figure = format!("{name}.ratio");
    println!("{}", json!({ "figure": figure, "unit": "ratio", "samples": samples, "base": base }));
}

pub(crate) fn memory(figure: &str, kilobytes: &[u64]) {
    let megabytes: Vec<f64> = kilobytes.iter().map(|kilobytes| *kilobytes as f64 / 1e3).collect();
    println!("{}", json!({ "figure": figure, "unit": "MB", "samples": megabytes }));
}

fn milliseconds(times: &[Duration]) -> Vec<f64> {
    times.iter().map(|time| time.as_secs_f64() * 1e3).collect()
}
