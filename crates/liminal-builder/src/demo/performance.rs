//! A scene as it is played: step by step, piece by piece, with the beats between them. Owns how far it is and what
//! follows an answer; whoever plays it owns the clock and the pipe.

use std::collections::VecDeque;

use serde_json::Value;

use super::scene::{Ask, Call, ChoiceKind, Ending, Step};
use super::updates::{self, Voice};

/// Letters of a text that come at once: a word or two, as models send them.
const PIECE: usize = 8;

/// The next thing to happen, so many beats after the one before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Act {
    pub(super) beats: u32,
    pub(super) deed: Deed,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Deed {
    /// An update of the session.
    Tell(Value),
    /// A request to the client; nothing follows before [`Performance::answer`].
    Ask {
        call: Value,
        options: Value,
    },
    Rest,
    End(Ending),
}

/// What an answer means for those after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answered {
    Once,
    /// The user does not want to be asked again.
    Always,
    /// It was none of the choices, or nothing was asked.
    NotOffered,
}

/// What a session's settings mean for a scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) thinks: bool,
    pub(super) asks: bool,
}

#[derive(Debug)]
pub(super) struct Performance {
    steps: VecDeque<Step>,
    acts: VecDeque<Act>,
    speech: Option<Speech>,
    asked: Option<(String, Ask)>,
    manner: Manner,
    /// The number of the turn, by which ids are unique in the session.
    turn: u64,
    ids: u64,
}

/// A text of which a part is said.
#[derive(Debug)]
struct Speech {
    voice: Voice,
    message_id: String,
    text: String,
    said: usize,
}

impl Performance {
    pub(super) fn new(steps: Vec<Step>, manner: Manner, turn: u64) -> Self {
        let (steps, acts) = (steps.into(), VecDeque::new());
        Self { steps, acts, speech: None, asked: None, manner, turn, ids: 0 }
    }

    /// What happens next. After the last step the turn ends.
    pub(super) fn next(&mut self) -> Act {
        loop {
            if let Some(act) = self.acts.pop_front() {
                return act;
            }
            if let Some(update) = self.speech.as_mut().and_then(Speech::piece) {
                return Act { beats: 1, deed: Deed::Tell(update) };
            }
            match self.steps.pop_front() {
                Some(step) => self.begin(step),
                None => return Act { beats: 0, deed: Deed::End(Ending::Completed) },
            }
        }
    }

    /// Goes on as the user chose.
    pub(super) fn answer(&mut self, option: &str) -> Answered {
        let Some((id, ask)) = self.asked.take() else { return Answered::NotOffered };
        let Ask { call, choices, .. } = ask;
        let Some(choice) = choices.into_iter().find(|choice| choice.id == option) else {
            return Answered::NotOffered;
        };
        match choice.kind {
            ChoiceKind::AllowOnce | ChoiceKind::AllowAlways => {
                self.tell(0, updates::status(&id, "in_progress"));
                self.run(&id, &call);
            }
            ChoiceKind::RejectOnce => self.tell(0, updates::rejected(&id)),
        }
        for step in choice.then.into_iter().rev() {
            self.steps.push_front(step);
        }
        if choice.kind == ChoiceKind::AllowAlways { Answered::Always } else { Answered::Once }
    }

    fn begin(&mut self, step: Step) {
        match step {
            Step::Say(text) => self.speak(Voice::Agent, text),
            Step::Think(text) if self.manner.thinks => self.speak(Voice::Thought, text),
            Step::Think(_) => {}
            Step::Use(call) => {
                let id = self.start(&call, "in_progress");
                self.run(&id, &call);
            }
            Step::UseTogether(calls) => {
                let started: Vec<_> =
                    calls.into_iter().map(|call| (self.start(&call, "in_progress"), call)).collect();
                started.iter().for_each(|(id, call)| self.run(id, call));
            }
            Step::Plan(tasks) => self.tell(1, updates::plan(&tasks)),
            Step::Ask(ask) => self.ask(ask),
            Step::Rest(beats) => self.acts.push_back(Act { beats, deed: Deed::Rest }),
            Step::End(ending) => self.acts.push_back(Act { beats: 1, deed: Deed::End(ending) }),
        }
    }

    fn speak(&mut self, voice: Voice, text: String) {
        let message_id = self.id("message");
        self.speech = Some(Speech { voice, message_id, text, said: 0 });
    }

    fn start(&mut self, call: &Call, status: &str) -> String {
        let id = self.id("call");
        self.tell(2, updates::call(&id, call, status));
        id
    }

    /// Everything of a call after its beginning.
    fn run(&mut self, id: &str, call: &Call) {
        for piece in &call.live {
            self.tell(call.beats, updates::output(id, piece));
        }
        self.tell(call.beats, updates::end(id, call));
    }

    fn ask(&mut self, ask: Ask) {
        let id = self.start(&ask.call, "pending");
        let first = ask.choices.first().map(|choice| choice.id);
        let is_skipped = ask.is_skippable && !self.manner.asks;
        let (call, options) = (updates::call(&id, &ask.call, "pending"), updates::choices(&ask.choices));
        self.asked = Some((id, ask));
        match first {
            Some(first) if is_skipped => drop(self.answer(first)),
            Some(_) | None => self.acts.push_back(Act { beats: 1, deed: Deed::Ask { call, options } }),
        }
    }

    fn tell(&mut self, beats: u32, update: Value) {
        self.acts.push_back(Act { beats, deed: Deed::Tell(update) });
    }

    fn id(&mut self, of: &str) -> String {
        self.ids += 1;
        format!("{of}-{}-{}", self.turn, self.ids)
    }
}

impl Speech {
    fn piece(&mut self) -> Option<Value> {
        let rest = self.text.get(self.said..).filter(|rest| !rest.is_empty())?;
        let piece = rest.get(..piece_end(rest))?;
        self.said += piece.len();
        Some(updates::text(self.voice, &self.message_id, piece))
    }
}

/// The end of the first word that makes the piece long enough; words longer than that are not cut.
fn piece_end(text: &str) -> usize {
    let mut ends = text.match_indices(char::is_whitespace).map(|(at, space)| at + space.len());
    ends.find(|end| *end >= PIECE).unwrap_or(text.len())
}
