//! Decides the reply to a request: by the scenario, by the prompt's directives, or both in turn.
//!
//! It owns what must be counted over requests. It knows no API.

use std::sync::{Mutex, PoisonError};

use crate::answer::{Refusal, Reply};
use crate::conversation::Conversation;
use crate::keywords::{self, Attempts};
use crate::scenario::{Otherwise, Scenario};

const QUOTED_PROMPT_CHARACTERS: usize = 200;

#[derive(Debug)]
pub(crate) struct Script {
    scenario: Option<Scenario>,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: u64,
    /// How often each rule of the scenario replied, by its index.
    rule_uses: Vec<u64>,
    attempts: Attempts,
}

impl Script {
    pub(crate) fn new(scenario: Option<Scenario>) -> Self {
        let rules = scenario.as_ref().map_or(0, |scenario| scenario.rules().len());
        let counts = Counts { rule_uses: vec![0; rules], ..Counts::default() };
        Self { scenario, counts: Mutex::new(counts) }
    }

    pub(crate) fn reply(&self, conversation: &Conversation) -> Reply {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if conversation.errand.is_none() {
            counts.requests += 1;
        }
        match &self.scenario {
            Some(scenario) => counts.reply_by_rule(scenario, conversation),
            None => counts.reply_by_itself(Otherwise::Keywords, conversation),
        }
    }
}

impl Counts {
    fn reply_by_rule(&mut self, scenario: &Scenario, conversation: &Conversation) -> Reply {
        for (rule, uses) in scenario.rules().iter().zip(&mut self.rule_uses) {
            if rule.applies(conversation, self.requests, *uses) {
                *uses += 1;
                return rule.reply().clone();
            }
        }
        self.reply_by_itself(scenario.otherwise(), conversation)
    }

    fn reply_by_itself(&mut self, otherwise: Otherwise, conversation: &Conversation) -> Reply {
        match (&conversation.errand, otherwise) {
            (Some(errand), _) => Reply::Answer(errand.answer()),
            (None, Otherwise::Keywords) => keywords::reply(conversation, &mut self.attempts),
            (None, Otherwise::Error) => Reply::Refusal(unmatched(conversation)),
        }
    }
}

fn unmatched(conversation: &Conversation) -> Refusal {
    let prompt: String = conversation.prompt.chars().take(QUOTED_PROMPT_CHARACTERS).collect();
    let message = format!(
        "scripted model: no rule of the scenario applies to turn {} of the prompt {prompt:?}",
        conversation.turn
    );
    Refusal { message: Some(message), ..Refusal::of(400) }
}
