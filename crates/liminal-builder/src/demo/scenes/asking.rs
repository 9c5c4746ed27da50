//! Scenes that wait for the user: a permission and a question. What follows depends on the answer.

use serde_json::json;

use super::Occasion;
use crate::demo::scene::{Ask, Call, Choice, ChoiceKind, Step};

const ALLOWED: &str = "It was allowed, so the demo pretended to do it.\n";
const ALLOWED_FOR_GOOD: &str = "It was allowed for good: the demo is in the mode `auto` now and does not ask any more. \
                                Choose the mode `ask` to be asked again.\n";
const REJECTED: &str = "It was rejected, so the demo leaves it alone and goes on.\n";

pub(super) fn permission(occasion: &Occasion<'_>) -> Vec<Step> {
    let begin = "I ask before I pretend to delete something. This is a demo: nothing is deleted, whatever you answer.\n";
    let choices = vec![
        choice("allow-once", "Allow once", ChoiceKind::AllowOnce, ALLOWED),
        choice("allow-always", "Allow always", ChoiceKind::AllowAlways, ALLOWED_FOR_GOOD),
        choice("reject-once", "Reject", ChoiceKind::RejectOnce, REJECTED),
    ];
    vec![Step::say(begin), Step::Ask(Ask { call: removal(occasion), choices, is_skippable: true })]
}

fn removal(occasion: &Occasion<'_>) -> Call {
    let command = "rm -r demo/build";
    let output =
        "removed 'demo/build/greeting.o' (not really: this is a demo)\nremoved directory 'demo/build'\n";
    Call::new("run_command", "execute", format!("{command} (demo: only shown)"))
        .input(json!({ "command": command, "cwd": occasion.cwd }))
        .prints(output, 0)
}

pub(super) fn question(_: &Occasion<'_>) -> Vec<Step> {
    let call = Call::new("question", "other", "How should people without a name be greeted? (demo)")
        .result("The question was answered.");
    let way = |id, name, text: &str| {
        choice(id, name, ChoiceKind::AllowOnce, format!("You chose **{name}**: {text}\n"))
    };
    let skipped = "You did not answer, so the demo decides: politely.\n";
    let choices = vec![
        way("politely", "Politely", "good day to you, whoever you are."),
        way("briefly", "Briefly", "hi."),
        way("not-at-all", "Not at all", "silence it is."),
        choice("skip", "Let the demo decide", ChoiceKind::RejectOnce, skipped),
    ];
    let begin = Step::say("A question of the demo, to which every answer is right:\n");
    vec![begin, Step::Ask(Ask { call: call.beats(1), choices, is_skippable: false })]
}

fn choice(id: &'static str, name: &'static str, kind: ChoiceKind, then: impl Into<String>) -> Choice {
    Choice { id, name, kind, then: vec![Step::say(then)] }
}
