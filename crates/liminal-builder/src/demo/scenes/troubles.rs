//! Scenes that end badly, as real agents sometimes do: an error, a crash, silence.

use super::Occasion;
use crate::demo::scene::{Ending, Step};

pub(super) fn fail(_: &Occasion<'_>) -> Vec<Step> {
    let why = "demo: the model's API is overloaded (scripted, no API was asked); try again";
    vec![
        Step::say("This turn of the demo is going to fail in the middle of a"),
        Step::End(Ending::Failed(why.to_owned())),
    ]
}

pub(super) fn crash(_: &Occasion<'_>) -> Vec<Step> {
    vec![
        Step::say("The process of the demo agent is going to die in the middle of a"),
        Step::End(Ending::Crashed),
    ]
}

pub(super) fn hang(_: &Occasion<'_>) -> Vec<Step> {
    vec![Step::say("The demo says nothing more now, until you cancel the turn.\n"), Step::End(Ending::Never)]
}
