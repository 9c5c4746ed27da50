//! Messages of the user in the profile that holds them until they are whole.

use liminal_core::envelope;
use liminal_core::processor::{Config, Profile, UpsertProcessor};
use liminal_core::time::Now;
use liminal_core::upsert::{Output, UpsertBody, UpsertStatus};
use serde_json::json;

#[test]
fn a_held_message_goes_out_as_complete_when_its_turn_ends_first() {
    for status in ["completed", "cancelled", "error"] {
        let mut processor = UpsertProcessor::new("s".into(), "t".into(), Config::new(Profile::StreamB));
        let mut outputs = Vec::<Output>::new();
        let payloads = [
            json!({"type": "item_start", "itemId": "user-prompt-1", "itemType": "message"}),
            json!({"type": "item_delta", "itemId": "user-prompt-1", "deltaContent": "please"}),
            json!({"type": "response_done", "status": status}),
        ];
        for payload in payloads {
            let event = json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00.000Z", "turnId": "t",
                "sessionId": "s", "type": payload["type"], "payload": payload});
            let event = envelope::read(&event.to_string()).unwrap().event().unwrap();
            processor.handle_event(&event, Now::at(event.timestamp.instant()), &mut outputs);
        }
        let [Output::Upsert(upsert), Output::Turn(_)] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!(upsert.status, UpsertStatus::Complete, "{status}");
        assert!(matches!(&upsert.body, UpsertBody::Message(message) if message.content == "please"));
    }
}
