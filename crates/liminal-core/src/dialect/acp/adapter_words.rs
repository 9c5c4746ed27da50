//! What an adapter says in the model's place. Owns how that is known where no id tells it: zed's adapter of codex gives
//! no ids, and says each of these in one piece.

const BEGINNINGS: [&str; 3] = [
    "Context compacted\n",
    "Heads up: Long threads and multiple compactions can cause",
    "Model metadata for `",
];

/// Whether a piece of text is the adapter's own.
pub(super) fn is_adapters(piece: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| piece.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_own_words_are_no_adapters() {
        assert!(is_adapters("Context compacted\n"));
        assert!(is_adapters("Model metadata for `gpt-6` not found."));
        for words in ["", "Context", "Context compacted, as asked", " Context compacted\n", "Heads up: rain"]
        {
            assert!(!is_adapters(words), "{words}");
        }
    }
}
