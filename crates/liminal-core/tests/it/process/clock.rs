//! What a turn makes of the times it is given.

use std::time::Duration;

use liminal_core::envelope;
use liminal_core::processor::Config;
use liminal_core::time::Now;
use liminal_core::turns::Turns;
use liminal_core::upsert::Output;
use serde_json::json;

#[test]
fn a_wall_clock_that_is_set_back_does_not_set_a_turn_back() {
    let (mut turns, mut outputs) = (Turns::new(Config::default()), Vec::<Output>::new());
    for (item, seconds) in [("a", 5), ("b", 4)] {
        let payload = json!({"type": "item_done", "itemId": item,
            "finalItem": {"type": "message", "content": "x", "origin": "agent"}});
        let event = json!({"eventId": item, "timestamp": "2026-01-01T00:00:00.000Z", "turnId": "t",
            "sessionId": "s", "type": "item_done", "payload": payload});
        let event = envelope::read(&event.to_string()).unwrap().event().unwrap();
        let wall = jiff::Timestamp::from_second(seconds).unwrap();
        // Both events come at the same moment of the clock that never goes back.
        turns.handle_event(&event, Now { mono: Duration::from_secs(1), wall }, &mut outputs);
    }
    let emitted = outputs.iter().map(|output| match output {
        Output::Upsert(upsert) => upsert.emitted_at.instant().as_second(),
        Output::Turn(milestone) => panic!("{milestone:?}"),
    });
    assert_eq!(emitted.collect::<Vec<_>>(), [5, 5]);
}
