//! The table of figures, as text.

use super::limits::Quantile;
use super::samples::Measured;
use super::verdict::Row;

const HEAD: [&str; 6] = ["figure", "median", "P95", "aim", "kept", "verdict"];

/// A line per figure, in columns as wide as they need to be.
pub(crate) fn format(rows: &[Row]) -> String {
    let head = HEAD.map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let mut widths = [0; 6];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    lines.iter().map(|line| joined(line, &widths) + "\n").collect()
}

/// Names and verdicts stand left in their columns, numbers right.
fn joined(cells: &[String; 6], widths: &[usize; 6]) -> String {
    let padded = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
        let is_text = column == 0 || column == HEAD.len() - 1;
        if is_text { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
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
    let quantile = match limit.judged {
        Quantile::Median => "median",
        Quantile::P95 => "P95",
    };
    format!("{quantile} <= {}", limit.unit.format(limit.aim))
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
    use crate::bench::limits;
    use crate::bench::samples::Unit;

    #[test]
    fn a_row_has_six_columns() {
        let text = "[agents.first]\nunit = \"ms\"\naim = 200.0\ntolerance = 3.0\njudged = \"p95\"\n\
                    source = \"s\"\nreason = \"r\"\n";
        let limit = limits::parse(text).unwrap().remove("agents").unwrap().remove("first").unwrap();
        let measured = |median, p95| Measured { unit: Unit::Milliseconds, median, p95 };
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
        assert_eq!(format(&[first, other]), expected);
    }
}
