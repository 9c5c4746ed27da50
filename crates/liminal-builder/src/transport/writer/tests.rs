use tokio::io::AsyncReadExt;

use super::*;

const PATIENCE: Duration = Duration::from_secs(10);

fn frame(length: usize) -> Vec<u8> {
    vec![b'x'; length]
}

#[tokio::test]
async fn sends_whole_lines_in_order() {
    let (pipe, mut agent) = tokio::io::duplex(7);
    let (mut writer, sender) = Writer::start(pipe, PATIENCE);
    let read = async {
        let mut text = String::new();
        agent.read_to_string(&mut text).await.unwrap();
        text
    };
    let send = async {
        for line in ["one", "two\n", "", "a longer one than fits"] {
            sender.send(line.into()).await.unwrap();
        }
        writer.finish();
    };
    assert_eq!(tokio::join!(read, send).0, "one\ntwo\n\na longer one than fits\n");
    assert_eq!(sender.send("late".into()).await, Err(SendError::Closed));
}

#[tokio::test]
async fn refuses_a_frame_of_two_lines() {
    let (pipe, _agent) = tokio::io::duplex(100);
    let (_writer, sender) = Writer::start(pipe, PATIENCE);
    for frame in ["a\nb", "\n\n", "a\n\n"] {
        assert_eq!(sender.send(frame.into()).await, Err(SendError::NotOneLine), "{frame:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn gives_up_on_an_agent_that_does_not_read() {
    let (pipe, mut agent) = tokio::io::duplex(1024);
    let (_writer, sender) = Writer::start(pipe, PATIENCE);
    let start = tokio::time::Instant::now();
    let begun = sender.send(frame(2 * QUEUE_BYTES)).await;
    assert_eq!(begun, Err(SendError::AgentNotReading { begun: true }));
    assert_eq!(start.elapsed(), PATIENCE);
    let waiting = sender.send("never".into()).await;
    assert_eq!(waiting, Err(SendError::AgentNotReading { begun: false }));

    // The agent wakes up: it finds the frame whose writing had begun, and not the other.
    let mut text = frame(2 * QUEUE_BYTES + 1);
    agent.read_exact(&mut text).await.unwrap();
    assert_eq!(text.iter().position(|byte| *byte == b'\n'), Some(2 * QUEUE_BYTES));
    let mut next = [0; 6];
    let (sent, _) = tokio::join!(sender.send("after".into()), agent.read_exact(&mut next));
    assert_eq!((sent, &next), (Ok(()), b"after\n"));
}

#[tokio::test(start_paused = true)]
async fn a_send_that_is_given_up_takes_its_frame_back() {
    let (pipe, mut agent) = tokio::io::duplex(1);
    let (mut writer, sender) = Writer::start(pipe, PATIENCE);
    let soon = Duration::from_millis(1);
    assert!(timeout(soon, sender.send("first".into())).await.is_err());
    assert!(timeout(soon, sender.send("second".into())).await.is_err());
    writer.finish();
    let mut text = String::new();
    agent.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "first\n");
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_bounded_in_frames_and_bytes() {
    let cases = [(1, QUEUE_FRAMES), (QUEUE_BYTES / 4, 4), (QUEUE_BYTES / 2 + 1, 1), (3 * QUEUE_BYTES, 1)];
    for (length, fit) in cases {
        let (pipe, _agent) = tokio::io::duplex(1);
        let (_writer, sender) = Writer::start(pipe, PATIENCE);
        let sends: Vec<_> = (0..20).map(|_| sender.clone()).collect();
        let mut tasks = JoinSet::new();
        for each in sends {
            tasks.spawn(async move { each.send(frame(length - 1)).await });
        }
        tokio::task::yield_now().await;
        let held = QUEUE_BYTES - sender.room.available_permits();
        assert_eq!(held / price(&frame(length)) as usize, fit, "{length}");
        tasks.shutdown().await;
    }
}

#[tokio::test]
async fn a_closed_pipe_is_told_at_once() {
    let (pipe, agent) = tokio::io::duplex(1);
    let (_writer, sender) = Writer::start(pipe, PATIENCE);
    let close = async { drop(agent) };
    let (sent, ()) = tokio::join!(sender.send("hello".into()), close);
    assert_eq!(sent, Err(SendError::Closed));
    assert_eq!(sender.send("hello".into()).await, Err(SendError::Closed));
}
