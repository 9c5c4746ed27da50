use tokio::time::timeout;

use super::*;
use crate::platform;
use crate::process::Exit;
use crate::process::testing::{Doomed, is_alive, shell};

const LATE: Duration = Duration::from_secs(20);

fn open(script: &str) -> StdioTransport {
    open_with(script, &StdioLimits::default())
}

fn open_with(script: &str, limits: &StdioLimits) -> StdioTransport {
    StdioTransport::new(AgentProcess::spawn(&shell(script)).unwrap(), limits).unwrap()
}

fn line(text: &str) -> Frame {
    Frame::Line(Bytes::copy_from_slice(text.as_bytes()))
}

async fn recv_all(transport: &mut StdioTransport) -> (Vec<Frame>, Closed) {
    let mut frames = Vec::new();
    loop {
        match timeout(LATE, transport.recv_ready()).await.expect("recv hangs") {
            Ok(batch) => frames.extend(batch),
            Err(closed) => return (frames, closed),
        }
    }
}

#[tokio::test]
async fn carries_frames_both_ways_and_tells_the_end() {
    let mut transport = open("while read -r word; do echo \"got $word\"; [ $word = end ] && exit 9; done");
    transport.send("one".into()).await.unwrap();
    assert_eq!(transport.recv_ready().await, Ok(vec![line("got one")]));
    transport.send("end".into()).await.unwrap();
    let (frames, closed) = recv_all(&mut transport).await;
    assert_eq!(frames, [line("got end")]);
    assert_eq!((closed.reason, closed.exit.as_ref().unwrap().exit), (CloseReason::Exited, Exit::Code(9)));
    assert_eq!(transport.recv_ready().await, Err(closed));
    assert_eq!(transport.send("more".into()).await, Err(SendError::Closed));
}

#[tokio::test]
async fn delivers_whatever_bytes_the_agent_writes() {
    let script = r"printf '\357\273\277bom\n\377\376\n\000\ncrlf\r\n\ntail'";
    let (frames, _) = recv_all(&mut open(script)).await;
    let expected: [&[u8]; 6] = [b"bom", b"\xff\xfe", b"\0", b"crlf", b"", b"tail"];
    assert_eq!(frames, expected.map(|bytes| Frame::Line(Bytes::from_static(bytes))));
}

#[tokio::test]
async fn takes_all_that_is_there_but_at_most_a_batch() {
    let mut transport = open("seq 1000; read -r word");
    let mut received = 0;
    while received < 1000 {
        let batch = transport.recv_ready().await.unwrap();
        assert!((1..=FRAMES_PER_BATCH).contains(&batch.len()), "{}", batch.len());
        received += batch.len();
    }
    assert_eq!(received, 1000);
}

#[tokio::test]
async fn drops_a_giant_line_and_goes_on() {
    let script = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo next";
    let mut transport = open(script);
    let (frames, closed) = recv_all(&mut transport).await;
    assert_eq!(frames, [Frame::TooLong { bytes: 100_000_000 }, line("next")]);
    assert_eq!(closed.exit.unwrap().exit, Exit::Code(0));
}

#[tokio::test]
async fn an_agent_that_does_not_read_is_told_from_a_dead_one_and_can_still_be_heard() {
    let limits = StdioLimits { send_patience: Duration::from_millis(100), ..StdioLimits::default() };
    let mut transport = open_with("echo hello; exec sleep 60", &limits);
    let sender = transport.sender();
    let (sent, heard) = tokio::join!(sender.send(vec![b'x'; 2 << 20]), transport.recv_ready());
    assert_eq!(sent, Err(SendError::AgentNotReading { begun: true }));
    assert_eq!(heard, Ok(vec![line("hello")]));
    let report = timeout(LATE, transport.close(&StopLadder::at_once())).await.unwrap();
    assert_eq!((report.step, report.exit), (StopStep::Killed, Exit::Signal(9)));
}

#[tokio::test]
async fn an_heir_of_the_output_neither_delays_the_end_nor_outlives_it() {
    let script = "setsid sh -c 'echo $$; exec sleep 60' & read -r word; echo last; exit 2";
    let mut transport = open(script);
    let heir = identity_in(&transport.recv_ready().await.unwrap());
    transport.send("go".into()).await.unwrap();
    let (frames, closed) = recv_all(&mut transport).await;
    assert_eq!(frames, [line("last")]);
    assert!(!is_alive(heir));
    let exit = closed.exit.unwrap();
    assert_eq!((closed.reason, exit.exit), (CloseReason::Exited, Exit::Code(2)));
    assert_eq!((exit.step, exit.leftovers_killed, exit.survivors), (StopStep::Itself, 1, vec![]));
}

#[tokio::test]
async fn a_stranger_that_holds_the_output_does_not_delay_the_end_for_ever() {
    let limits = StdioLimits { end_grace: Duration::from_millis(100), ..StdioLimits::default() };
    for habit in ["exec sleep 60", "exec yes"] {
        let stranger = format!("(env -i PATH=\"$PATH\" setsid sh -c 'echo $$; {habit}' &)");
        let mut transport = open_with(&format!("{stranger}; read -r word; exit 2"), &limits);
        let doomed = Doomed(vec![identity_in(&transport.recv_ready().await.unwrap())]);
        transport.send("go".into()).await.unwrap();
        let closed = recv_end(&mut transport).await;
        assert_eq!(closed.reason, CloseReason::ExitedWithOutputHeld, "{habit}");
        assert_eq!(closed.exit.unwrap().exit, Exit::Code(2), "{habit}");
        drop(doomed);
    }
}

#[tokio::test]
async fn an_agent_may_live_on_without_its_output() {
    let limits = StdioLimits { end_grace: Duration::from_millis(100), ..StdioLimits::default() };
    let mut transport = open_with("echo last; exec >&-; exec sleep 60", &limits);
    let (frames, closed) = recv_all(&mut transport).await;
    assert_eq!(frames, [line("last")]);
    assert_eq!(closed, Closed { reason: CloseReason::OutputEnded, exit: None });
    assert_eq!(transport.close(&StopLadder::at_once()).await.step, StopStep::Killed);
}

#[tokio::test]
async fn a_polite_end_may_take_more_output_than_the_pipe_holds() {
    let transport = open("cat >/dev/null; head -c 1000000 /dev/zero; echo bye >&2; exit 8");
    transport.send("hello".into()).await.unwrap();
    let patient = StopLadder { close_stdin: LATE, terminate: LATE, kill: LATE };
    let report = transport.close(&patient).await;
    assert_eq!((report.step, report.exit), (StopStep::StdinClosed, Exit::Code(8)));
    assert_eq!(report.stderr_tail, "bye\n");
}

async fn recv_end(transport: &mut StdioTransport) -> Closed {
    let end = async {
        loop {
            if let Err(closed) = transport.recv_ready().await {
                return closed;
            }
        }
    };
    timeout(LATE, end).await.expect("recv does not end")
}

fn identity_in(frames: &[Frame]) -> ProcessIdentity {
    let [Frame::Line(pid), ..] = frames else { panic!("no pid in {frames:?}") };
    let pid = std::str::from_utf8(pid).unwrap().parse().unwrap();
    platform::process_entry(pid).unwrap().identity
}
