//! How a reply is written in a scenario file.
//!
//! The `*Fields` types mirror the JSON and refuse unknown fields; the conversions check what types cannot
//! say. They fail inside the reader, so that the error carries the place.

mod fault;
mod step;

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use self::step::Step;
use super::{Condition, Rule};
use crate::answer::{Answer, Fault, Refusal, Reply, Usage};

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = RuleFields::deserialize(deserializer)?;
        let reply = match (fields.answer, fields.error, fields.hang_up) {
            (Some(answer), None, false) => Reply::Answer(answer.into_answer()),
            (None, Some(error), false) => Reply::Refusal(error.into_refusal()),
            (None, None, true) => Reply::HangUp,
            _ => {
                return Err(serde::de::Error::custom("a rule needs exactly one of answer, error and hangUp"));
            }
        };
        Ok(Self { condition: fields.when, times: fields.times, reply })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RuleFields {
    #[serde(default)]
    when: Condition,
    times: Option<u64>,
    answer: Option<AnswerFields>,
    error: Option<ErrorFields>,
    #[serde(default)]
    hang_up: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AnswerFields {
    steps: Vec<Step>,
    #[serde(default)]
    delay_ms: u64,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Usage,
    fault: Option<Fault>,
}

impl AnswerFields {
    fn into_answer(self) -> Answer {
        let delay = Duration::from_millis(self.delay_ms);
        Answer {
            blocks: self.steps.into_iter().map(|step| step.into_block(delay)).collect(),
            stop_reason: self.stop_reason,
            usage: self.usage,
            fault: self.fault,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ErrorFields {
    status: ErrorStatus,
    r#type: Option<String>,
    message: Option<String>,
    retry_after: Option<u64>,
}

impl ErrorFields {
    fn into_refusal(self) -> Refusal {
        Refusal {
            status: self.status.0,
            kind: self.r#type,
            message: self.message,
            retry_after_seconds: self.retry_after,
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "u16")]
struct ErrorStatus(u16);

impl TryFrom<u16> for ErrorStatus {
    type Error = String;

    fn try_from(status: u16) -> Result<Self, String> {
        if !Refusal::STATUSES.contains(&status) {
            return Err(format!("the status of an error must be from 400 to 599, not {status}"));
        }
        Ok(Self(status))
    }
}
