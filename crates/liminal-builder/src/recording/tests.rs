use std::os::unix::fs::PermissionsExt;

use bytes::Bytes;
use liminal_core::replay::{Direction, Recording};

use super::*;
use crate::process::StopStep;

fn report() -> ExitReport {
    ExitReport {
        exit: Exit::Signal(9),
        step: StopStep::Killed,
        stderr_tail: Bytes::from_static(b"one\ntwo\n"),
        leftovers_killed: 0,
        survivors: Vec::new(),
    }
}

#[tokio::test]
async fn what_was_noted_is_read_back_by_the_core() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session.ndjson");
    let mut recorder = Recorder::create(&path).unwrap();
    let at = Duration::from_micros;
    recorder.note(at(1), &Said::Sent(br#"{"type":"user"}"#));
    recorder.note(at(1500), &Said::Heard(br#"{"b":1,"a":1.0}"#));
    recorder.note(at(1500), &Said::Heard(b"no \xff JSON"));
    recorder.note(at(1501), &Said::TooLong(7));
    recorder.note(at(2000), &Said::Ended { report: &report() });
    recorder.finish().await;

    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(r#"{"t":1.5,"dir":"out","line":{"b":1,"a":1.0}}"#), "as it was said: {text}");
    let recording = Recording::read(&text).unwrap();
    let lines: Vec<_> =
        recording.lines().iter().map(|line| (line.direction, line.line.to_string())).collect();
    assert_eq!(
        lines,
        [
            (Direction::In, r#"{"type":"user"}"#.to_owned()),
            (Direction::Out, r#"{"a":1.0,"b":1}"#.to_owned()),
            (Direction::Out, "\"no \u{fffd} JSON\"".to_owned()),
            (Direction::Meta, r#"{"lineTooLong":7}"#.to_owned()),
            (Direction::Err, "\"one\"".to_owned()),
            (Direction::Err, "\"two\"".to_owned()),
            (Direction::Meta, r#"{"exit":-9}"#.to_owned()),
        ]
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(Recorder::create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn a_queue_that_is_full_leaves_lines_out_and_says_so() {
    let (queue, lines) = channel();
    let (_done, written) = oneshot::channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let mut recorder = Recorder { queue, waiting: Arc::clone(&waiting), left_out: 0, written };
    let long = vec![b'x'; QUEUE_BYTES - 1000];
    for _ in 0..3 {
        recorder.note(Duration::ZERO, &Said::Heard(&long));
    }
    assert_eq!(recorder.left_out, 2);
    waiting.store(0, Ordering::Relaxed);
    recorder.note(Duration::from_secs(1), &Said::Heard(b"after"));
    let written: Vec<Vec<u8>> = lines.try_iter().collect();
    assert_eq!(written.len(), 3);
    assert_eq!(written[1], b"{\"t\":1000.0,\"dir\":\"meta\",\"line\":{\"linesLeftOut\":2}}\n");
}
