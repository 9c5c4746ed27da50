//! The table of figures, as text.

use figures::{Measured, Row};

const HEAD: [&str; 6] = ["figure", "median", "P95", "aim", "kept", "verdict"];
const GATES_HEAD: [&str; 5] = ["figure", "measured", "aim", "limit", "verdict"];

/// A line per figure of a bench.
pub(crate) fn format(rows: &[Row]) -> String {
    aligned(HEAD, rows.iter().map(cells))
}

/// A line per gate, by its name.
pub(crate) fn of_gates<'a>(gates: impl Iterator<Item = (String, &'a Row)>) -> String {
    aligned(GATES_HEAD, gates.map(|(name, row)| gate_cells(name, row)))
}

/// Columns as wide as they need to be.
fn aligned<const N: usize>(head: [&str; N], lines: impl Iterator<Item = [String; N]>) -> String {
    let lines: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(lines).collect();
    let mut widths = [0; N];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    lines.iter().map(|line| joined(line, &widths) + "\n").collect()
}

/// Names and verdicts stand left in their columns, numbers right.
fn joined<const N: usize>(cells: &[String; N], widths: &[usize; N]) -> String {
    let padded = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
        let is_text = column == 0 || column == N - 1;
        if is_text { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn gate_cells(name: String, row: &Row) -> [String; 5] {
    let judged =
        |measured: &Measured| row.limit.as_ref().map_or(measured.median, |limit| limit.judged(measured));
    let measured = row.measured.as_ref().map(|measured| measured.unit.format(judged(measured)));
    let limit = row.limit.as_ref().map(|limit| limit.unit.format(limit.most()));
    [name, measured.unwrap_or_else(dash), aim(row), limit.unwrap_or_else(dash), row.verdict().to_string()]
}

fn cells(row: &Row) -> [String; 6] {
    let quantile = |pick: fn(&Measured) -> f64| {
        row.measured.as_ref().map_or_else(dash, |measured| measured.unit.format(pick(measured)))
    };
    [
        row.figure.clone(),
        quantile(|measured| measured.median),
        quantile(|measured| measured.p95),
        aim(row),
        kept(row),
        row.verdict().to_string(),
    ]
}

fn aim(row: &Row) -> String {
    let Some(limit) = &row.limit else { return dash() };
    format!("{} <= {}", limit.judged, limit.unit.format(limit.aim))
}

/// The kept value of the quantile that counts, and how far this run is from it.
fn kept(row: &Row) -> String {
    let Some(kept) = &row.kept else { return dash() };
    let judged =
        |measured: &Measured| row.limit.as_ref().map_or(measured.median, |limit| limit.judged(measured));
    let value = kept.unit.format(judged(kept));
    let Some(measured) = &row.measured else { return value };
    format!("{value} ({:+.0} %)", (judged(measured) / judged(kept) - 1.0) * 100.0)
}

fn dash() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::Unit;

    #[test]
    fn rows_are_in_columns() {
        let text = "[agents.first]\nunit = \"ms\"\naim = 200.0\ntolerance = 3.0\njudged = \"p95\"\n\
                    source = \"s\"\nreason = \"r\"\n";
        let limit = figures::parse(text).unwrap().remove("agents").unwrap().remove("first").unwrap();
        let measured =
            |median, p95| Measured { unit: Unit::Milliseconds, best: median, median, p95, worst: p95 };
        let first = Row {
            figure: "first".to_owned(),
            measured: Some(measured(152.0, 180.0)),
            limit: Some(limit),
            kept: Some(measured(150.0, 160.0)),
        };
        let other = Row { figure: "other".to_owned(), limit: None, kept: None, ..first.clone() };
        let expected = "\
figure    median       P95              aim              kept  verdict
first   152.0 ms  180.0 ms  P95 <= 200.0 ms  160.0 ms (+12 %)  met
other   152.0 ms  180.0 ms                -                 -  -
";
        assert_eq!(format(&[first.clone(), other.clone()]), expected);
        let expected = "\
figure        measured              aim     limit  verdict
agents.first  180.0 ms  P95 <= 200.0 ms  600.0 ms  met
agents.other  152.0 ms                -         -  -
";
        let gates = [("agents.first".to_owned(), &first), ("agents.other".to_owned(), &other)];
        assert_eq!(of_gates(gates.into_iter()), expected);
    }
}
