//! One test per recording, so that each can be run and fail by its name. Those whose names begin with `doc_` were not
//! recorded but written from what the APIs' documentation says of their events.

use liminal_core::replay::{Audience, ModelPlayback, Recording, play};
use serde_json::Value;

use crate::replay::invariants;
use crate::replay::snapshots::{Folder, event_lines, parsed, recordings, upsert_lines};

fn check_in(folder: &Folder, name: &str, playback: fn(&Recording) -> ModelPlayback) {
    let recording = folder.recording(name);
    let played = |audience: &mut dyn Audience| play(&recording, &mut playback(&recording), audience);
    let (events, upserts) = (event_lines(played), upsert_lines(played));
    drop(invariants::of_events(&parsed(&events)));
    invariants::of_upserts(&parsed(&upserts));
    assert_no_secret(&folder.text(name));
    folder.compare(name, "events.ndjson", &events);
    folder.compare(name, "upserts.ndjson", &upserts);
}

/// The key that the recordings were made with.
fn assert_no_secret(recording: &str) {
    for line in recording.lines() {
        drop(serde_json::from_str::<Value>(line).unwrap());
        assert!(!line.contains("recorded-key"), "{line}");
    }
}

/// The recordings of one API: those that were made of each, and its own.
macro_rules! recordings_of {
    ($vendor:ident: $($own:ident)+) => {
        pub(crate) mod $vendor {
            use super::*;

            pub(crate) const FOLDER: Folder = Folder(stringify!($vendor));

            fn check(name: &str) {
                check_in(&FOLDER, name, ModelPlayback::$vendor);
            }

            recordings! {
                recording_01_text
                recording_02_two_turns
                recording_03_thinking
                recording_04_tool_call
                recording_05_two_tool_calls
                recording_06_long_answer
                recording_10_rate_limit_with_retry_after
                recording_11_overloaded_twice
                recording_12_hung_up_once
                recording_13_key_refused
                recording_14_bad_request
                recording_15_error_event
                recording_16_broken_stream
                recording_17_broken_after_a_block
                recording_20_cancelled
                recording_21_max_tokens
                recording_22_refusal
                $($own)+
            }
        }
    };
}

recordings_of! { anthropic:
    recording_doc_30_text_with_pings_and_sources
    recording_doc_31_thinking_also_redacted
    recording_doc_32_tool_use_in_pieces
    recording_doc_33_refusal_with_explanation
    recording_doc_34_overloaded_before_the_first_word
    recording_doc_35_error_after_some_words
    recording_doc_36_context_window_exceeded
    recording_doc_37_tools_that_the_api_runs
    recording_doc_38_a_proxy_answers
    recording_doc_39_a_wait_of_an_hour
    recording_doc_40_ends_without_message_stop
    recording_doc_41_events_of_a_later_version
}

recordings_of! { openai:
    recording_doc_30_text_with_annotations
    recording_doc_31_reasoning_in_two_summaries
    recording_doc_32_reasoning_in_full
    recording_doc_33_calls_of_both_kinds
    recording_doc_34_refusal
    recording_doc_35_incomplete_max_output_tokens
    recording_doc_36_incomplete_content_filter
    recording_doc_37_failed_after_some_words
    recording_doc_38_error_before_the_first_word
    recording_doc_39_quota_used_up
    recording_doc_40_tools_that_the_api_runs
    recording_doc_41_whole_items_without_pieces
    recording_doc_42_ends_without_its_end
}
