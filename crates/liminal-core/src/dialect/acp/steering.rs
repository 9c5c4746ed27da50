//! Messages for a turn that runs. Owns how an agent is asked to take one in, and what becomes of one that comes too late:
//! the agent is told not to begin a turn of its own with it.

use serde_json::{Map, Value, json};

use super::content;
use super::requests::Request;
use super::rpc::{self, Answer};
use super::turn::{Cause, Ending, Finish};
use super::{ASIDE_PAUSE, AcpDialect, NOT_TAKEN, Prompt};
use crate::dialect::fields::text;
use crate::dialect::{Notice, Step};

impl AcpDialect {
    pub(super) fn steer(&mut self, prompt: Prompt, step: &mut Step<'_>) {
        let Prompt { turn, message } = prompt;
        if let Some(obstacle) = self.steering_obstacle() {
            return step.notify(Notice::not_steered(turn, obstacle));
        }
        if !content::is_taken(&message, self.agent.attachments) {
            return step.notify(Notice::not_steered(turn, NOT_TAKEN));
        }
        let params = json!({
            "sessionId": self.agent.session(),
            "prompt": content::blocks(&message),
            "_meta": { "steering": { "idleBehavior": "promptRequired" } },
        });
        self.requests.send(Request::Steer { turn, message }, &params, step);
    }

    fn steering_obstacle(&self) -> Option<&'static str> {
        let running = self.turn.as_ref().filter(|turn| matches!(turn.cause, Cause::Prompt { .. }));
        match running {
            _ if !self.agent.can_steer => Some("this agent takes no message into a turn that runs"),
            None => Some("no turn runs"),
            Some(turn) if turn.is_cancel_asked => Some("the turn is being stopped"),
            Some(_) => None,
        }
    }

    /// The agent took a message into the turn that runs, or did not.
    pub(super) fn steered(&mut self, prompt: Prompt, answer: Answer<'_>, step: &mut Step<'_>) {
        let result: Map<String, Value> = match answer {
            Ok(result) => rpc::read(result),
            Err(error) => return step.notify(Notice::not_steered(prompt.turn, error.info().message)),
        };
        match text(&result, "outcome") {
            Some("injected") => self.injected(prompt, step),
            // It does not know what it was told, and has begun a turn that nobody can end.
            Some("startedNewTurn") => self.begun_by_agent(prompt, step),
            Some(_) | None => step.notify(Notice::not_steered(prompt.turn, "the turn ended meanwhile")),
        }
    }

    fn injected(&mut self, prompt: Prompt, step: &mut Step<'_>) {
        let into = self.turn.as_ref().map_or(&prompt.turn, |turn| turn.writer.turn_id()).clone();
        step.notify(Notice::Steered { turn: prompt.turn.clone(), into });
        match &mut self.turn {
            Some(turn) => turn.user_message(prompt.message.shown(), step),
            // It was taken into a turn that is over by now.
            None => self.refuse_prompt(prompt, Ending::Completed(Finish::default()), step),
        }
    }

    fn begun_by_agent(&mut self, prompt: Prompt, step: &mut Step<'_>) {
        if self.turn.is_some() {
            return self.injected(prompt, step);
        }
        let Prompt { turn, message } = prompt;
        step.notify(Notice::TurnOpened { turn: turn.clone() });
        step.notify(Notice::Steered { turn: turn.clone(), into: turn.clone() });
        let cause = Cause::Aside { until: step.now.mono + ASIDE_PAUSE };
        let mut turn = self.new_turn(turn, Some(message.shown()), cause);
        turn.writer.open(step);
        self.turn = Some(turn);
    }
}
