//! What single agents tell beside the protocol, and what people see of it.

use super::agent::{ended, in_turn, text};

#[test]
fn what_an_adapter_says_in_the_models_place_is_no_answer() {
    let mut agent = in_turn();
    let heads_up = "Heads up: Long threads and multiple compactions can cause the model to be less accurate.";
    agent.lines(&[
        text("Before. "),
        text("Context compacted\n"),
        text(heads_up),
        text("Hello"),
        text(" there"),
    ]);
    agent.line(&ended("end_turn"));
    assert_eq!(agent.messages("agent"), ["Before. ", "Hello there"]);
    assert_eq!(agent.messages("system"), ["Context compacted", heads_up]);
}
