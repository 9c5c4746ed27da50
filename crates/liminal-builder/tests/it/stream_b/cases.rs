//! Stream A events in, Stream B messages in a Redis: the acceptance cases through the binary.

use super::{Case, consumer};
use crate::filter::options;
use crate::redis_server::{AppendOnly, RedisServer};
use crate::support::run;

one_test_for_each_case!(holds);

fn holds(name: &str) {
    let case = Case::read(name);
    let redis = RedisServer::start(AppendOnly::No);
    let mut arguments = options(&case.options);
    arguments.extend(["--publish".to_owned(), redis.url()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(&arguments, &case.input);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert_eq!(consumer::messages(&redis.url(), case.turn()), case.expected);
    let seconds: i64 = redis.ask(&["TTL", &consumer::key(case.turn())]);
    assert!((86_000..=86_400).contains(&seconds), "kept for a day, not {seconds} s");
}
