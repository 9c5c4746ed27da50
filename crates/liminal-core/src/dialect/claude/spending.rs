//! What turns cost. Owns the difference between a turn and its process: a result tells the price, and the tokens
//! of each model, of everything since the process began.

use serde_json::{Map, Value};

use super::wire::{object, usage};
use crate::event::Usage;

/// What the process has cost so far.
#[derive(Debug, Default)]
pub(super) struct Spending {
    price_usd: f64,
    tokens: Tokens,
}

/// In the order of [`Tokens::NAMES`].
#[derive(Debug, Default, Clone, Copy)]
struct Tokens([u64; 4]);

impl Spending {
    /// What the turn took, from its result.
    pub(super) fn of_turn(&mut self, result: &Map<String, Value>) -> Option<Usage> {
        let price = result.get("total_cost_usd").and_then(Value::as_f64);
        let cost_usd = price.map(|total| self.price_of_turn(total));
        let added = object(result, "modelUsage").map(|models| self.tokens_of_turn(Tokens::of(models)));
        let told = object(result, "usage").map(usage);
        // What a result tells of the turn leaves out sub-agents, summaries, answers that did not stream and those
        // that broke off. The price has them all, and so have the models' counts.
        let tokens = added.filter(|added| !added.is_empty()).map(Tokens::usage).or(told)?;
        Some(Usage { cost_usd, ..tokens })
    }

    fn price_of_turn(&mut self, total: f64) -> f64 {
        let before = std::mem::replace(&mut self.price_usd, total);
        // A smaller total means that the count began anew.
        let price = if total < before { total } else { total - before };
        // Sums of floats leave dust; no price is that small.
        (price * 1e9).round() / 1e9
    }

    fn tokens_of_turn(&mut self, total: Tokens) -> Tokens {
        let before = std::mem::replace(&mut self.tokens, total);
        let pairs = total.0.into_iter().zip(before.0);
        let mut added = pairs.map(|(total, before)| total.checked_sub(before).unwrap_or(total));
        Tokens(std::array::from_fn(|_| added.next().unwrap_or_default()))
    }
}

impl Tokens {
    const NAMES: [&str; 4] =
        ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];

    fn of(models: &Map<String, Value>) -> Self {
        let count = |name| {
            let counts = models.values().filter_map(|model| model.get(name)?.as_u64());
            counts.fold(0, u64::saturating_add)
        };
        Self(Self::NAMES.map(count))
    }

    fn is_empty(self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    const fn usage(self) -> Usage {
        let Self([input_tokens, output_tokens, cache_read, cache_creation]) = self;
        Usage {
            input_tokens,
            output_tokens,
            cache_read_input_tokens: Some(cache_read),
            cache_creation_input_tokens: Some(cache_creation),
            cost_usd: None,
        }
    }
}
