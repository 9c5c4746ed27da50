//! What the demo agent can be asked, and which scene answers. Owns the commands, their keywords and the choice; each
//! scene is data in a file below. Nothing here knows time, pipes or the wire.

mod asking;
mod edits;
mod texts;
mod tools;
mod tour;
mod troubles;

use super::scene::Step;

/// What a scene is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occasion<'a> {
    /// Where the session works; the demo only shows paths below it.
    pub(super) cwd: &'a str,
    /// What was said behind the command.
    pub(super) argument: &'a str,
}

impl Occasion<'_> {
    fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.cwd.trim_end_matches('/'))
    }

    /// The number that was asked for, in bounds.
    fn number(&self, usual: usize, most: usize) -> usize {
        let mut words = self.argument.split_whitespace();
        words.find_map(|word| word.parse().ok()).unwrap_or(usual).clamp(1, most)
    }
}

/// Something that can be asked for by name, with or without a slash.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) hint: Option<&'static str>,
    /// Words that ask for it wherever they stand in a prompt. What ends badly has none.
    pub(super) keywords: &'static [&'static str],
    scene: fn(&Occasion<'_>) -> Vec<Step>,
}

/// In the order in which keywords are looked for.
pub(super) const COMMANDS: [Command; 15] = [
    Command {
        name: "tour",
        description: "Demo: a bit of everything in one turn",
        hint: None,
        keywords: &["tour", "everything"],
        scene: tour::tour,
    },
    Command {
        name: "markdown",
        description: "Demo: headings, lists, a table, code in several languages",
        hint: None,
        keywords: &["markdown", "table", "code"],
        scene: texts::markdown,
    },
    Command {
        name: "words",
        description: "Demo: a long answer",
        hint: Some("how many words, such as 5000"),
        keywords: &["words", "long"],
        scene: texts::words,
    },
    Command {
        name: "think",
        description: "Demo: thoughts before an answer",
        hint: None,
        keywords: &["think", "thinking", "reason"],
        scene: texts::think,
    },
    Command {
        name: "diff",
        description: "Demo: edits of files with their differences",
        hint: None,
        keywords: &["diff", "edit", "change", "fix"],
        scene: edits::diff,
    },
    Command {
        name: "run",
        description: "Demo: a command with live, coloured output that fails",
        hint: None,
        keywords: &["run", "terminal", "output", "test", "tests"],
        scene: tools::run,
    },
    Command {
        name: "research",
        description: "Demo: reads, searches and fetches, some at the same time",
        hint: None,
        keywords: &["research", "read", "search", "fetch", "find"],
        scene: tools::research,
    },
    Command {
        name: "tools",
        description: "Demo: many tools in one turn",
        hint: Some("how many, such as 50"),
        keywords: &["tools"],
        scene: tools::many,
    },
    Command {
        name: "permission",
        description: "Demo: asks before it acts; the answer changes what follows",
        hint: None,
        keywords: &["permission", "allow", "delete"],
        scene: asking::permission,
    },
    Command {
        name: "question",
        description: "Demo: a question with several answers",
        hint: None,
        keywords: &["question", "ask"],
        scene: asking::question,
    },
    Command {
        name: "plan",
        description: "Demo: a plan whose tasks progress",
        hint: None,
        keywords: &["plan", "steps"],
        scene: tools::plan,
    },
    Command {
        name: "fail",
        description: "Demo: a turn that fails with an error",
        hint: None,
        keywords: &[],
        scene: troubles::fail,
    },
    Command {
        name: "crash",
        description: "Demo: the agent's process dies (all demo sessions with it)",
        hint: None,
        keywords: &[],
        scene: troubles::crash,
    },
    Command {
        name: "hang",
        description: "Demo: silence until you cancel",
        hint: None,
        keywords: &[],
        scene: troubles::hang,
    },
    Command {
        name: "help",
        description: "Demo: what can be tried",
        hint: None,
        keywords: &["help"],
        scene: texts::help,
    },
];

/// The scene that answers a prompt. The first of a session begins by saying what this is.
pub(super) fn answer(prompt: &str, cwd: &str, number: u64) -> Vec<Step> {
    let (command, argument) = choose(prompt);
    let scene = command.map_or(texts::help as fn(&Occasion<'_>) -> Vec<Step>, |command| command.scene);
    let steps = scene(&Occasion { cwd, argument });
    if number > 1 { steps } else { [texts::label()].into_iter().chain(steps).collect() }
}

/// The command that is meant, and what is said to it: one that the prompt begins with, or the first one that is spoken of.
fn choose(prompt: &str) -> (Option<&'static Command>, &str) {
    let (first, rest) = prompt.trim().split_once(char::is_whitespace).unwrap_or((prompt.trim(), ""));
    let name = first.strip_prefix('/').unwrap_or(first).to_lowercase();
    if let Some(named) = COMMANDS.iter().find(|command| command.name == name) {
        return (Some(named), rest);
    }
    let words: Vec<String> =
        prompt.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase).collect();
    let is_spoken_of =
        |command: &&Command| command.keywords.iter().any(|keyword| words.iter().any(|word| word == keyword));
    (COMMANDS.iter().find(is_spoken_of), prompt)
}
