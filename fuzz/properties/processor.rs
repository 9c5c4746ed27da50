//! Any lines as a stream of events, in both profiles: no panic, and lines of JSON out.

use liminal_core::envelope::{self, Reading};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, Profile};
use liminal_core::time::Now;
use liminal_core::turns::Turns;

pub(crate) fn check(bytes: &[u8]) {
    for profile in [Profile::UpsertV1, Profile::StreamB] {
        run(bytes, profile);
    }
}

fn run(bytes: &[u8], profile: Profile) {
    let mut turns = Turns::new(Config::new(profile).with_gradient(&[1, 2]));
    let mut lines = Lines::new(profile);
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Reading::Event(event)) = envelope::read_bytes(line) else { continue };
        let now = Now::at(event.timestamp.instant());
        turns.handle_timeout(now.mono, &mut lines);
        turns.handle_event(&event, now, &mut lines);
    }
    turns.finish(&ErrorInfo::new(ErrorCode::StreamEnded, "the input ended"), None, &mut lines);
    for line in lines.bytes().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        serde_json::from_slice::<serde::de::IgnoredAny>(line).expect("a line of JSON");
    }
}
