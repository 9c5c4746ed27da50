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
            handle(&mut processor, kind, &fields, &mut outputs);
        }
    }
    let info = |item_id: &str, item_type, token_count, content_length, is_held, deadline| BufferInfo {
        item_id: item_id.into(),
        item_type,
        token_count,
        content_length,
        batch_index: 0,
        is_held,
        is_complete: false,
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

#[test]
fn a_call_that_waits_for_its_output_is_complete() {
    let mut processor = UpsertProcessor::new("s".into(), "t".into(), Config::new(Profile::UpsertV1));
    let mut outputs = Vec::<Output>::new();
    let call = r#""name":"Bash","callId":"c1""#;
    let start = format!(r#""itemId":"a","itemType":"function_call",{call}"#);
    let done = format!(r#""itemId":"a","finalItem":{{"type":"function_call",{call},"arguments":{{}}}}"#);
    let complete = |processor: &UpsertProcessor| {
        processor.buffers().iter().map(|buffer| (buffer.item_type, buffer.is_complete)).collect::<Vec<_>>()
    };
    handle(&mut processor, "item_start", &start, &mut outputs);
    assert_eq!(complete(&processor), [("function_call", false)]);
    handle(&mut processor, "item_done", &done, &mut outputs);
    assert_eq!(complete(&processor), [("function_call", true)]);
    let output = r#""itemId":"b","finalItem":{"type":"function_call_output","callId":"c1","output":"","isError":false}"#;
    handle(&mut processor, "item_done", output, &mut outputs);
    assert_eq!(complete(&processor), []);
}

fn handle(processor: &mut UpsertProcessor, kind: &str, fields: &str, outputs: &mut Vec<Output>) {
    let line = format!(
        r#"{{"eventId":"e","timestamp":"1970-01-01T00:00:05Z","turnId":"t","sessionId":"s","type":"{kind}","payload":{{"type":"{kind}",{fields}}}}}"#
    );
    let event = envelope::read(&line).unwrap().event().unwrap();
    processor.handle_event(&event, Now::at(event.timestamp.instant()), outputs);
}
