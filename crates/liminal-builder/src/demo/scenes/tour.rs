//! The scene that shows a bit of everything, in the order in which an agent would work.

use super::{Occasion, asking, edits, tools};
use crate::demo::scene::Step;

pub(super) fn tour(occasion: &Occasion<'_>) -> Vec<Step> {
    let begin = [
        Step::think(
            "The user wants the tour of the demo. I look around first, then pretend to change something.",
        ),
        Step::say("# The tour\n\nThis demo plays a whole piece of work. First I pretend to look around.\n"),
        Step::UseTogether(vec![tools::read(occasion), tools::search(occasion)]),
        Step::say("Somebody without a name is greeted badly. I pretend to mend that and to run the tests.\n"),
        Step::Use(edits::edit(occasion)),
        Step::Use(tools::test_run(occasion)),
        Step::think("A test fails, as scripted. A permission shows well here."),
    ];
    let end = Step::say("That was the tour. `/help` tells what else there is.\n");
    begin.into_iter().chain(asking::permission(occasion)).chain([end]).collect()
}
