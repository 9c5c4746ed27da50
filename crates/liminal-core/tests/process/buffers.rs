//! The look inside: the seeds' `getBufferState`.

use std::time::Duration;

use liminal_core::envelope;
use liminal_core::processor::{BufferInfo, Config, Profile, UpsertProcessor};
use liminal_core::time::Now;
use liminal_core::upsert::Output;

#[test]
fn the_buffers_tell_what_is_held_of_each_open_item() {
    let mut processor = UpsertProcessor::new("s".into(), "t".into(), Config::new(Profile::StreamB));
    let mut outputs = Vec::<Output>::new();
    for (id, item_type, text) in
        [("a", "message", "é\\n\u{1F600}\\\"x"), ("b-user-prompt", "message", "hi"), ("c", "reasoning", "")]
    {
        let start = format!(r#""itemId":"{id}","itemType":"{item_type}""#);
        let delta = format!(r#""itemId":"{id}","deltaContent":"{text}""#);
        for (kind, fields) in [("item_start", start), ("item_delta", delta)] {
            let line = format!(
                r#"{{"eventId":"e","timestamp":"1970-01-01T00:00:05Z","turnId":"t","sessionId":"s","type":"{kind}","payload":{{"type":"{kind}",{fields}}}}}"#
            );
            let event = envelope::read(&line).unwrap().event().unwrap();
            processor.handle_event(&event, Now::at(event.timestamp.instant()), &mut outputs);
        }
    }
    let info = |item_id: &str, item_type, token_count, content_length, is_held, deadline| BufferInfo {
        item_id: item_id.into(),
        item_type,
        token_count,
        content_length,
        batch_index: 0,
        is_held,
        deadline,
    };
    let expected = [
        info("a", "message", 2, 5, false, Some(Duration::from_secs(6))),
        info("b-user-prompt", "message", 1, 2, true, None),
        info("c", "reasoning", 0, 0, false, None),
    ];
    assert_eq!(processor.buffers(), expected);
    assert!(outputs.is_empty());
}
