//! The token counts of an answer, as APIs other than Anthropic's sum them up.

use crate::answer::{Answer, Block, tokens_in};

/// The tokens of an answer. The input counts whole here, with what came from the cache.
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

impl Tokens {
    pub(crate) fn of(answer: &Answer) -> Self {
        let usage = &answer.usage;
        let thinking = answer.blocks.iter().filter(|block| matches!(block, Block::Thinking { .. }));
        let reasoning = tokens_in(thinking.map(|block| block.content().len()).sum());
        let output = answer.output_tokens();
        Self {
            input: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
            cached: usage.cache_read_input_tokens,
            output,
            reasoning: reasoning.min(output),
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.input + self.output
    }
}
