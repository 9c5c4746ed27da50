//! Any bytes as an event: the reader tells a fault or an event, and an event is written back the same.

use liminal_core::envelope::{self, Reading};
use liminal_core::stream_a;

pub(crate) fn check(bytes: &[u8]) {
    drop(stream_a::Reader::default().read_bytes(bytes));
    if let Ok(Reading::Event(event)) = envelope::read_bytes(bytes) {
        let json = serde_json::to_string(&event).expect("an event is JSON");
        let again = envelope::read(&json).expect("what we write we read").event();
        assert_eq!(again, Some(event));
    }
}
