//! Where an item stands in the list of thresholds. Owns when enough tokens have gathered; knows nothing of text.

use super::rules::ThresholdRule;

/// A position in the gradient.
#[derive(Debug, Clone)]
pub(super) struct Level {
    index: usize,
    /// What must be strictly exceeded: the threshold, or the sum of all up to it.
    bound: u64,
}

impl Level {
    pub(super) fn new(gradient: &[u64]) -> Self {
        Self { index: 0, bound: threshold(gradient, 0) }
    }

    pub(super) const fn index(&self) -> usize {
        self.index
    }

    pub(super) const fn is_exceeded(&self, rule: ThresholdRule, total: u64, emitted: u64) -> bool {
        match rule {
            ThresholdRule::SinceEmission => total - emitted > self.bound,
            ThresholdRule::Cumulative => total > self.bound,
        }
    }

    /// Moves on after an emission of everything up to `total`, of which `emitted` was out before.
    pub(super) fn advance(&mut self, rule: ThresholdRule, gradient: &[u64], total: u64, emitted: u64) {
        match rule {
            ThresholdRule::SinceEmission => self.advance_by(gradient, total - emitted),
            ThresholdRule::Cumulative => self.advance_beyond(gradient, total),
        }
    }

    /// Leaves behind every threshold that the emitted tokens exceed, laid one after another.
    fn advance_by(&mut self, gradient: &[u64], tokens: u64) {
        let mut sum = threshold(gradient, self.index);
        while tokens > sum && self.index + 1 < gradient.len() {
            self.index += 1;
            sum = sum.saturating_add(threshold(gradient, self.index));
        }
        self.bound = threshold(gradient, self.index);
    }

    fn advance_beyond(&mut self, gradient: &[u64], total: u64) {
        while total > self.bound && self.index + 1 < gradient.len() {
            self.index += 1;
            self.bound = self.bound.saturating_add(threshold(gradient, self.index));
        }
        if total > self.bound {
            let step = threshold(gradient, self.index).max(1);
            let leap = (total - self.bound).div_ceil(step).saturating_mul(step);
            self.bound = self.bound.saturating_add(leap);
        }
    }
}

/// The threshold at an index; the last one repeats for ever.
fn threshold(gradient: &[u64], index: usize) -> u64 {
    gradient.get(index).or(gradient.last()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds one token at a time and tells after which ones something went out.
    fn emissions(rule: ThresholdRule, gradient: &[u64], tokens: u64) -> Vec<u64> {
        let (mut level, mut emitted) = (Level::new(gradient), 0);
        (1..=tokens)
            .filter(|&total| {
                let due = level.is_exceeded(rule, total, emitted);
                if due {
                    level.advance(rule, gradient, total, emitted);
                    emitted = total;
                }
                due
            })
            .collect()
    }

    #[test]
    fn since_emission_each_threshold_is_exceeded_on_its_own() {
        let gradient = [10, 20, 40, 80, 120];
        assert_eq!(emissions(ThresholdRule::SinceEmission, &gradient, 600), [11, 32, 73, 154, 275, 396, 517]);
    }

    #[test]
    fn cumulative_thresholds_are_sums() {
        let gradient = [10, 10, 20, 20, 50];
        assert_eq!(emissions(ThresholdRule::Cumulative, &gradient, 230), [11, 21, 41, 61, 111, 161, 211]);
    }

    #[test]
    fn one_leap_passes_every_threshold_it_exceeds() {
        let gradient = [10, 20, 40, 80, 120];
        for (tokens, index) in
            [(10, 0), (11, 1), (30, 1), (31, 2), (70, 2), (100, 3), (150, 3), (151, 4), (9_999, 4)]
        {
            let mut level = Level::new(&gradient);
            level.advance(ThresholdRule::SinceEmission, &gradient, tokens, 0);
            assert_eq!(level.index(), index, "{tokens}");
        }
    }

    #[test]
    fn zeros_neither_loop_nor_overflow() {
        for rule in [ThresholdRule::SinceEmission, ThresholdRule::Cumulative] {
            assert_eq!(emissions(rule, &[0], 4), [1, 2, 3, 4]);
            assert_eq!(emissions(rule, &[u64::MAX, u64::MAX], 4), [0_u64; 0]);
        }
    }
}
