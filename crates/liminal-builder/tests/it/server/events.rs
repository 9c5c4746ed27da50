//! A stream of server-sent events, read from its bytes.

use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::chat::PATIENCE;

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) event: String,
    pub(super) id: Option<String>,
    pub(super) data: String,
    pub(super) retry: Option<String>,
}

impl Event {
    pub(super) fn read<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

pub(super) struct Events {
    pub(super) head: String,
    stream: BufReader<TcpStream>,
    /// What has come and is not taken yet.
    text: String,
}

impl Events {
    pub(super) async fn open(stream: TcpStream) -> Self {
        let mut events = Self { head: String::new(), stream: BufReader::new(stream), text: String::new() };
        loop {
            let line = events.line().await;
            if line.is_empty() {
                return events;
            }
            events.head += &format!("{line}\n");
        }
    }

    pub(super) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap()
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.stream.read_line(&mut line)).await;
        assert!(read.expect("the stream goes on").unwrap() > 0, "the stream ended");
        line.trim_end_matches("\r\n").to_owned()
    }

    /// The next event, or none when the stream ends.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let event = parse(event);
                self.text = rest.to_owned();
                match event {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let more = self.chunk().await?;
            self.text += &more;
        }
    }

    pub(super) async fn until(&mut self, wanted: impl Fn(&Event) -> bool) -> Event {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if wanted(&event) {
                return event;
            }
        }
    }

    /// One piece of the body, as the transfer encoding cuts it.
    async fn chunk(&mut self) -> Option<String> {
        let size = usize::from_str_radix(&self.line().await, 16).unwrap();
        let mut bytes = vec![0; size + 2];
        timeout(PATIENCE, self.stream.read_exact(&mut bytes)).await.expect("the chunk is whole").unwrap();
        bytes.truncate(size);
        (size > 0).then(|| String::from_utf8(bytes).unwrap())
    }
}

/// Nothing, if it is a comment.
fn parse(text: &str) -> Option<Event> {
    let mut event = Event::default();
    for line in text.lines() {
        let (name, value) = line.split_once(':')?;
        let value = value.trim_start().to_owned();
        match name {
            "event" => event.event = value,
            "id" => event.id = Some(value),
            "retry" => event.retry = Some(value),
            "data" => event.data += &value,
            "" => {}
            other => panic!("unknown field {other}"),
        }
    }
    (!event.event.is_empty()).then_some(event)
}
