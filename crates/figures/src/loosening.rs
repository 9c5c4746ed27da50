//! Limits may only get tighter. Owns what counts as looser.

use std::collections::BTreeMap;

use crate::limits::{Form, Limit, Limits, Quantile};

/// What allows more than it did before: limits that are gone or larger, and figures that are judged by a better sample
/// or by a longer run.
#[must_use]
pub fn loosened(before: &BTreeMap<String, Limits>, after: &BTreeMap<String, Limits>) -> Vec<String> {
    let all = before
        .iter()
        .flat_map(|(group, limits)| limits.iter().map(move |(figure, limit)| (group, figure, limit)));
    all.filter_map(|(group, figure, limit)| {
        let now = after.get(group).and_then(|limits| limits.get(figure));
        Some(format!("{group}.{figure} {}", difference(limit, now)?))
    })
    .collect()
}

fn difference(before: &Limit, after: Option<&Limit>) -> Option<String> {
    let Some(after) = after else { return Some("is gone".to_owned()) };
    if before.unit != after.unit {
        return Some("has another unit".to_owned());
    }
    if after.most() > before.most() {
        let [from, to] = [before, after].map(|limit| limit.unit.format(limit.most()));
        return Some(format!("allows {to} instead of {from}"));
    }
    if strictness(after.judged) < strictness(before.judged) {
        return Some(format!("is judged by its {} sample instead of its {}", after.judged, before.judged));
    }
    (after.form == Form::Full && before.form != Form::Full).then(|| "is not compared by ./x test".to_owned())
}

const fn strictness(quantile: Quantile) -> u8 {
    match quantile {
        Quantile::Best => 0,
        Quantile::Median => 1,
        Quantile::P95 => 2,
        Quantile::Worst => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::parse;

    const BEFORE: &str =
        "unit = \"count\"\naim = 10.0\ntolerance = 1.5\njudged = \"p95\"\nform = \"quick\"\n";

    fn limits(fields: &str) -> BTreeMap<String, Limits> {
        parse(&format!("[a.b]\n{fields}source = \"s\"\nreason = \"r\"\n")).unwrap()
    }

    fn changed(from: &str, to: &str) -> Vec<String> {
        assert!(BEFORE.contains(from), "{from}");
        loosened(&limits(BEFORE), &limits(&BEFORE.replace(from, to)))
    }

    #[test]
    fn tighter_and_new_limits_are_not_looser() {
        assert_eq!(changed("aim = 10.0", "aim = 9.0"), [""; 0]);
        assert_eq!(changed("1.5", "1.4"), [""; 0]);
        assert_eq!(changed("p95", "worst"), [""; 0]);
        assert_eq!(loosened(&BTreeMap::new(), &limits(BEFORE)), [""; 0]);
    }

    #[test]
    fn a_lower_aim_may_have_a_larger_tolerance_if_the_limit_stays() {
        assert_eq!(changed("aim = 10.0\ntolerance = 1.5", "aim = 5.0\ntolerance = 3.0"), [""; 0]);
    }

    #[test]
    fn whatever_allows_more_is_looser() {
        assert_eq!(changed("aim = 10.0", "aim = 11.0"), ["a.b allows 16.5 instead of 15"]);
        assert_eq!(changed("1.5", "1.6"), ["a.b allows 16 instead of 15"]);
        assert_eq!(changed("aim = 10.0", "aim = 10.0\nreached = 20.0"), ["a.b allows 30 instead of 15"]);
        assert_eq!(changed("p95", "median"), ["a.b is judged by its median sample instead of its P95"]);
        assert_eq!(changed("\"quick\"", "\"full\""), ["a.b is not compared by ./x test"]);
        assert_eq!(changed("\"count\"", "\"bytes\""), ["a.b has another unit"]);
        assert_eq!(loosened(&limits(BEFORE), &BTreeMap::new()), ["a.b is gone"]);
    }
}
