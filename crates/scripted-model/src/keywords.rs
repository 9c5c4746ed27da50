//! Answers a prompt from the directives in its text, such as `say:hello` or `status:529`.
//!
//! It owns what a row of directives means; `directive` owns how one is written. It knows no API.

mod attempts;
mod cursor;
mod directive;

pub(crate) use self::attempts::Attempts;

use std::time::Duration;

use self::directive::{Directive, Malformed, Mishap, MishapKind};
use crate::answer::{Answer, Block, Refusal, Reply, Speech};
use crate::conversation::Conversation;

/// The examples are in backticks so that they are no directives when an agent quotes this text in a prompt.
const GREETING: &str = "I am a scripted model: I follow directives in your prompt and understand nothing else. \
    Write `say:hello`, `think:hmm` or `tool:Bash {\"command\":\"echo hi\"}`, for example.";
const QUOTED_RESULT_CHARACTERS: usize = 80;

/// The reply to the newest prompt; `attempts` remembers the faults that strike only some times.
pub(crate) fn reply(conversation: &Conversation, attempts: &mut Attempts) -> Reply {
    match Program::read(&conversation.prompt) {
        Ok(program) => program.reply(conversation, attempts),
        Err(malformed) => {
            Reply::Refusal(Refusal { message: Some(malformed.to_string()), ..Refusal::of(400) })
        }
    }
}

/// The directives of one prompt: an answer for each time the model is asked.
struct Program {
    turns: Vec<Turn>,
    delay: Duration,
}

#[derive(Default)]
struct Turn {
    blocks: Vec<Block>,
    stop_reason: Option<String>,
    retry_after_seconds: Option<u64>,
    mishap: Option<Mishap>,
}

impl Program {
    fn read(prompt: &str) -> Result<Self, Malformed> {
        let mut program = Self { turns: Vec::new(), delay: Duration::ZERO };
        let mut turn = Turn::default();
        for directive in directive::read_all(prompt)? {
            match directive {
                Directive::Block(block) => turn.blocks.push(block),
                Directive::Stop(reason) => turn.stop_reason = Some(reason),
                Directive::RetryAfter(seconds) => turn.retry_after_seconds = Some(seconds),
                Directive::Mishap(_) if turn.mishap.is_some() => return Err(Malformed::SecondMishap),
                Directive::Mishap(mishap) => turn.mishap = Some(mishap),
                Directive::Slow(delay) => program.delay = delay,
                Directive::Then => program.turns.push(std::mem::take(&mut turn)),
            }
        }
        program.turns.push(turn);
        Ok(program)
    }

    fn reply(&self, conversation: &Conversation, attempts: &mut Attempts) -> Reply {
        let Some(turn) = self.turns.get(conversation.turn) else {
            return Reply::Answer(Answer::saying(report(conversation)));
        };
        let mut answer = turn.answer(self.delay);
        let mishap = turn.mishap.as_ref().filter(|mishap| conversation.stream || !mishap.needs_stream());
        let Some(mishap) = mishap.filter(|mishap| attempts.strikes(&conversation.identity, mishap.times))
        else {
            return Reply::Answer(answer);
        };
        match &mishap.kind {
            MishapKind::HangUp => Reply::HangUp,
            MishapKind::Refusal(refusal) => {
                Reply::Refusal(Refusal { retry_after_seconds: turn.retry_after_seconds, ..refusal.clone() })
            }
            MishapKind::Fault(fault) => {
                answer.fault = Some(fault.clone());
                Reply::Answer(answer)
            }
        }
    }
}

impl Turn {
    fn answer(&self, delay: Duration) -> Answer {
        let mut blocks = self.blocks.clone();
        if blocks.is_empty() {
            blocks.push(Block::Text(Speech::of(GREETING)));
        }
        blocks.iter_mut().for_each(|block| block.set_delay(delay));
        Answer { blocks, stop_reason: self.stop_reason.clone(), ..Answer::default() }
    }
}

/// What the model says when tools came back and the prompt holds no word for it.
fn report(conversation: &Conversation) -> String {
    let results: Vec<&str> = conversation.results.iter().map(|result| result.text.as_str()).collect();
    let line = results.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let quote: String = line.chars().take(QUOTED_RESULT_CHARACTERS).collect();
    format!("done: {quote}")
}

#[cfg(test)]
mod tests;
