//! Scenes of text alone: what this is, what can be tried, markdown, thoughts, and an answer of any length.

use super::{COMMANDS, Command, Occasion};
use crate::demo::scene::Step;

/// More than anybody reads; enough to see how a page bears it.
const MOST_WORDS: usize = 50_000;

const MARKDOWN: &str = include_str!("../texts/markdown.md");
const THOUGHTS: &str = include_str!("../texts/thoughts.md");

/// The words of a long answer, over and over.
const VOCABULARY: [&str; 16] = [
    "stream", "turn", "cursor", "batch", "item", "agent", "upsert", "frame", "session", "project", "message",
    "tool", "plan", "browser", "replay", "log",
];

/// Twelve words make a sentence, six sentences a paragraph.
const SENTENCE: usize = 12;
const PARAGRAPH: usize = 72;

/// Says what this is, before anything else in a session.
pub(super) fn label() -> Step {
    let text = "> **Demo (scripted).** No model is involved and no account is needed: every word here is from a script. \
                Nothing in your project is read or changed, and nothing is sent anywhere.";
    Step::say(text)
}

pub(super) fn help(_: &Occasion<'_>) -> Vec<Step> {
    let row = |command: &Command| {
        let hint = command.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("| `/{}` | {}{hint} |\n", command.name, command.description.trim_start_matches("Demo: "))
    };
    let rows: String = COMMANDS.iter().map(row).collect();
    let text = format!(
        "Hello! I am the demo agent. I understand nothing, but I can show what working with an agent looks like. \
         Try one of these, with or without the slash:\n\n| say | and see |\n|---|---|\n{rows}\n\
         Words such as *table*, *edit* or *permission* anywhere in a message work too. The model `demo-slow` \
         takes its time, and the mode `auto` does not ask.\n"
    );
    vec![Step::say(text)]
}

pub(super) fn markdown(_: &Occasion<'_>) -> Vec<Step> {
    vec![Step::say(MARKDOWN)]
}

pub(super) fn think(_: &Occasion<'_>) -> Vec<Step> {
    vec![
        Step::think(THOUGHTS),
        Step::say("These were the demo's thoughts: scripted, like this answer.\n"),
        Step::think("One more thought, between two messages."),
        Step::say("The option *Thinking* leaves them out.\n"),
    ]
}

pub(super) fn words(occasion: &Occasion<'_>) -> Vec<Step> {
    let count = occasion.number(500, MOST_WORDS);
    vec![Step::say(format!("Demo text of {count} words:\n\n")), Step::say(long_text(count))]
}

/// So many words in sentences and paragraphs. Each carries its number now and then, so that a gap would be seen.
fn long_text(count: usize) -> String {
    let word = |number: usize| {
        let word = VOCABULARY.get(number * 7 % VOCABULARY.len()).copied().unwrap_or_default();
        let word = if number.is_multiple_of(100) { format!("**{number}**") } else { word.to_owned() };
        let is_last = number == count;
        match number {
            _ if is_last => word + ".\n",
            _ if number.is_multiple_of(PARAGRAPH) => word + ".\n\n",
            _ if number.is_multiple_of(SENTENCE) => word + ". ",
            _ => word + " ",
        }
    };
    (1..=count).map(word).collect()
}
