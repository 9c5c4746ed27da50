//! Stream A events in, Stream B messages in a Redis: the acceptance cases through the binary.

use serde_json::Value;

use super::consumer;
use crate::filter::{options, values};
use crate::redis_server::{AppendOnly, RedisServer};
use crate::support::{process_fixtures, run};

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            holds(stringify!($name));
        })*
    };
}

cases!(
    sb_01_simple_agent_message,
    sb_02_batching_detailed,
    sb_02_batching_functional,
    sb_03_user_message_is_held,
    sb_04_reasoning_block,
    sb_05_tool_call_and_output,
    sb_06_two_tool_calls,
    sb_07_item_error,
    sb_08_response_error,
    sb_09_batch_timeout,
    sb_09_batch_timeout_done_at_once,
    sb_10_gradient_detailed,
    sb_10_gradient_functional,
    sb_11_empty_content,
    sb_12_destroy_flushes_as_created,
    sb_12_destroy_with_nothing_unemitted,
);

#[test]
fn no_case_is_left_out() {
    let directories = process_fixtures();
    let names = directories.iter().filter_map(|path| path.file_name().unwrap().to_str());
    let names: Vec<_> = names.filter(|name| name.starts_with("sb_")).collect();
    assert_eq!(names, NAMES);
}

fn holds(name: &str) {
    let directory = process_fixtures().into_iter().find(|path| path.ends_with(name)).unwrap();
    let read = |file: &str| std::fs::read_to_string(directory.join(file)).unwrap();
    let redis = RedisServer::start(AppendOnly::No);
    let mut arguments = options(&serde_json::from_str(&read("case.json")).unwrap());
    arguments.extend(["--publish".to_owned(), redis.url()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(&arguments, &read("in.ndjson"));
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let expected: Vec<Value> = values(&read("out.ndjson")).collect();
    let turn = expected[0]["turnId"].as_str().unwrap();
    assert_eq!(consumer::messages(&redis.url(), turn), expected);
    let seconds: i64 = redis.ask(&["TTL", &consumer::key(turn)]);
    assert!((86_000..=86_400).contains(&seconds), "kept for a day, not {seconds} s");
}
