//! The pure part of `benches/agents`: benches themselves run no tests.

#[path = "../../benches/agents/deltas.rs"]
mod deltas;

use std::time::{Duration, Instant};

use deltas::{Delta, Shown, latency, of_answer, triggers};

fn start() -> Instant {
    tokio::time::Instant::now().into_std()
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// "one ", "two " and "three", 10 ms after each other.
fn answer(start: Instant) -> Vec<Delta> {
    of_answer([("one ", start), ("two ", start + ms(10)), ("three", start + ms(20))])
}

#[test]
fn the_trigger_is_the_last_delta_of_an_emission() {
    let start = start();
    let emissions = ["one", "one two", "one two thr", "one two three"];
    let emissions = emissions.map(|text| Shown { at: start, bytes: text.len() });
    assert_eq!(triggers(&answer(start), &emissions), [0, 1, 2]);
}

#[test]
fn white_space_at_the_end_makes_no_difference() {
    let start = start();
    for text in ["one two", "one two "] {
        let emission = Shown { at: start + ms(13), bytes: text.len() };
        assert_eq!(triggers(&answer(start), &[emission]), [1], "{text:?}");
        assert_eq!(latency(&answer(start)[1], &[emission]), Some(ms(3)), "{text:?}");
    }
}

#[test]
fn an_emission_before_the_first_delta_has_no_trigger() {
    let start = start();
    assert_eq!(triggers(&answer(start), &[Shown { at: start, bytes: 0 }]), [0; 0]);
}

#[test]
fn latency_ends_with_the_first_frame_that_has_the_delta() {
    let start = start();
    let shown = [(4, 3), (15, 7), (31, 13)].map(|(at, bytes)| Shown { at: start + ms(at), bytes });
    let latencies: Vec<_> = answer(start).iter().map(|delta| latency(delta, &shown)).collect();
    assert_eq!(latencies, [Some(ms(4)), Some(ms(5)), Some(ms(11))]);
    assert_eq!(latency(&answer(start)[2], &shown[..2]), None);
}
