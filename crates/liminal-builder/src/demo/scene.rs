//! What a scene is made of, as data. Owns the words in which scenes are written; knows nothing of time, of pipes or of
//! how a step looks on the wire.

use serde_json::{Value, json};

/// One thing that the demo agent does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Says something, piece by piece.
    Say(String),
    /// Thinks aloud, piece by piece.
    Think(String),
    /// Shows a tool from its beginning to its end.
    Use(Call),
    /// Shows tools that run at the same time.
    UseTogether(Vec<Call>),
    /// Shows its task list, or a newer state of it.
    Plan(Vec<Task>),
    /// Asks, and goes on as it is answered.
    Ask(Ask),
    /// Does nothing for so many beats.
    Rest(u32),
    /// Ends the turn in an unusual way.
    End(Ending),
}

/// How a turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Completed,
    Cancelled,
    /// With an error.
    Failed(String),
    /// With the death of the whole program.
    Crashed,
    /// Not at all, until somebody cancels it.
    Never,
}

/// The use of a tool, which is only shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) title: String,
    pub(super) input: Value,
    pub(super) locations: Vec<Place>,
    pub(super) diffs: Vec<Diff>,
    /// What comes while it runs, a beat apart or more.
    pub(super) live: Vec<String>,
    /// What it gives at its end, unless it came while it ran.
    pub(super) result: Option<String>,
    /// The exit code of a command.
    pub(super) exit: Option<i32>,
    /// How long it runs, or rests between two pieces of its output.
    pub(super) beats: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) line: u32,
}

/// A change of a file. Both texts are whole files; a new one has no old text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Diff {
    pub(super) path: String,
    pub(super) old: Option<&'static str>,
    pub(super) new: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) content: &'static str,
    pub(super) priority: &'static str,
    pub(super) status: &'static str,
}

/// Something that waits for the user.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ask {
    /// What is to be done, or the question itself.
    pub(super) call: Call,
    pub(super) choices: Vec<Choice>,
    /// Whether a mode that does not ask answers it, with the first choice.
    pub(super) is_skippable: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: ChoiceKind,
    pub(super) then: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChoiceKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
}

impl Step {
    pub(super) fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }

    pub(super) fn think(text: impl Into<String>) -> Self {
        Self::Think(text.into())
    }
}

impl ChoiceKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow_once",
            Self::AllowAlways => "allow_always",
            Self::RejectOnce => "reject_once",
        }
    }
}

impl Call {
    pub(super) fn new(name: &'static str, kind: &'static str, title: impl Into<String>) -> Self {
        Self {
            name,
            kind,
            title: title.into(),
            input: json!({}),
            locations: Vec::new(),
            diffs: Vec::new(),
            live: Vec::new(),
            result: None,
            exit: None,
            beats: 20,
        }
    }

    pub(super) fn input(mut self, input: Value) -> Self {
        self.input = input;
        self
    }

    pub(super) fn at(mut self, path: impl Into<String>, line: u32) -> Self {
        self.locations.push(Place { path: path.into(), line });
        self
    }

    pub(super) fn changes(mut self, path: String, old: Option<&'static str>, new: &'static str) -> Self {
        self.diffs.push(Diff { path, old, new });
        self
    }

    pub(super) fn result(mut self, result: impl Into<String>) -> Self {
        self.result = Some(result.into());
        self
    }

    /// A command's output, line by line, and how it ends.
    pub(super) fn prints(mut self, output: &str, exit: i32) -> Self {
        self.live = output.split_inclusive('\n').map(str::to_owned).collect();
        self.exit = Some(exit);
        self
    }

    pub(super) const fn beats(mut self, beats: u32) -> Self {
        self.beats = beats;
        self
    }

    pub(super) fn has_failed(&self) -> bool {
        self.exit.is_some_and(|code| code != 0)
    }
}
