//! Figures as `./x bench` reads them: a line of JSON each.

use serde_json::json;

pub(crate) fn bytes(figure: &str, bytes: f64) {
    println!("{}", json!({ "figure": figure, "unit": "bytes", "samples": [bytes] }));
}

pub(crate) fn counts(figure: &str, counts: &[f64]) {
    println!("{}", json!({ "figure": figure, "unit": "count", "samples": counts }));
}

/// One count divided by another.
pub(crate) fn ratio(figure: &str, value: u64, base: u64) {
    println!("{}", json!({ "figure": figure, "unit": "ratio", "samples": [value], "base": [base] }));
}
