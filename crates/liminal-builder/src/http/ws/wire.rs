//! The frames of a socket. Owns what they cost: how much of a socket waits inside, and that it does not grow with what
//! is said; what that is is not known here.

use std::future::{Future, poll_fn};
use std::pin::pin;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// There may be a thousand sockets.
const READ_BUFFER: usize = 8 * 1024;
/// Of a long message so much is written at once. What was written stays reserved for the next message, and what was not
/// taken yet is moved to its front, so a message in one piece would cost its size for as long as the socket lives,
/// and more than that while it is sent.
const PIECE: usize = 16 * 1024;
/// A piece, and answers to pings. Each piece is flushed before the next one is taken, so more than this never waits.
const WRITE_BUFFER: usize = 8 * PIECE;

#[derive(Debug)]
pub(super) struct Wire<S>(WebSocketStream<S>);

/// How a message was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// There was room for it.
    AtOnce,
    /// There was none until the client read something.
    AfterWaiting,
}

impl Wire<TokioIo<Upgraded>> {
    /// What a connection has become; nothing if its client has gone.
    pub(super) async fn over(connection: OnUpgrade, largest: usize) -> Option<Self> {
        Some(Self::around(TokioIo::new(connection.await.ok()?), largest).await)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) async fn around(stream: S, largest: usize) -> Self {
        let config = WebSocketConfig::default()
            .max_message_size(Some(largest))
            // Browsers send a message as one frame.
            .max_frame_size(Some(largest))
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_write_buffer_size(WRITE_BUFFER);
        Self(WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await)
    }

    pub(super) async fn hear(&mut self) -> Option<Result<Message, Error>> {
        self.0.next().await
    }

    pub(super) async fn say(&mut self, message: Message) -> Result<Taken, Error> {
        let (mut saying, mut taken) = (pin!(self.0.send(message)), Taken::AtOnce);
        poll_fn(|context| {
            let said = saying.as_mut().poll(context);
            if said.is_pending() {
                taken = Taken::AfterWaiting;
            }
            said
        })
        .await?;
        Ok(taken)
    }

    /// Sends what is an answer by itself, such as that to the client's farewell.
    pub(super) async fn settle(&mut self) -> Result<(), Error> {
        self.0.flush().await
    }
}

/// A text in pieces, each to be sent by itself.
pub(super) fn pieces(text: Bytes) -> impl Iterator<Item = Message> {
    let mut rest = Some((text, Data::Text));
    std::iter::from_fn(move || {
        let (mut text, kind) = rest.take()?;
        let piece = text.split_to(PIECE.min(text.len()));
        let is_last = text.is_empty();
        if !is_last {
            rest = Some((text, Data::Continue));
        }
        Some(Message::Frame(Frame::message(piece, OpCode::Data(kind), is_last)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text_and_only_the_last_one_ends_it() {
        for (length, count) in [(0, 1), (1, 1), (PIECE, 1), (PIECE + 1, 2), (3 * PIECE, 3)] {
            let text: Vec<u8> = (b'a'..=b'z').cycle().take(length).collect();
            let frames: Vec<Frame> = pieces(text.clone().into())
                .map(|piece| if let Message::Frame(frame) = piece { frame } else { panic!("{piece:?}") })
                .collect();
            assert_eq!(frames.len(), count);
            for (number, frame) in frames.iter().enumerate() {
                assert_eq!(frame.header().is_final, number + 1 == count);
                let kind = if number == 0 { Data::Text } else { Data::Continue };
                assert_eq!(frame.header().opcode, OpCode::Data(kind));
            }
            assert_eq!(frames.iter().flat_map(|frame| frame.payload().to_vec()).collect::<Vec<u8>>(), text);
        }
    }
}
