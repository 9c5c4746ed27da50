//! Plays a prepared stream in time: sends, waits, falls silent or cuts the connection.
//!
//! The only place that sleeps. It knows nothing of what the bytes mean.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use crate::writes::AnswerWrites;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Beat {
    Send(Bytes),
    /// A delta with this text.
    SendDelta {
        bytes: Bytes,
        text: String,
    },
    Wait(Duration),
    /// Nothing more comes, yet the connection stays open.
    Silence,
    /// The connection closes without the end mark of the body.
    Cut,
}

/// A response body that plays `beats` as fast as the client reads them, and records its deltas in `writes`.
pub(crate) fn play(beats: Vec<Beat>, writes: AnswerWrites) -> Body {
    Body::from_stream(stream::unfold((beats.into_iter(), writes), async |(mut beats, writes)| {
        let item = next_item(&mut beats, &writes).await?;
        Some((item, (beats, writes)))
    }))
}

/// The error that makes the HTTP layer close the connection.
#[derive(Debug, thiserror::Error)]
#[error("the script cuts the connection here")]
struct ConnectionCut;

async fn next_item(
    beats: &mut impl Iterator<Item = Beat>,
    writes: &AnswerWrites,
) -> Option<Result<Bytes, ConnectionCut>> {
    loop {
        match beats.next()? {
            Beat::Send(bytes) => return Some(Ok(bytes)),
            Beat::SendDelta { bytes, text } => {
                writes.record(text);
                return Some(Ok(bytes));
            }
            Beat::Wait(length) => wait(length).await,
            Beat::Silence => std::future::pending().await,
            Beat::Cut => {
                // The HTTP layer forgets what it has not flushed once the body fails, and it flushes
                // when the body has nothing ready.
                tokio::task::yield_now().await;
                return Some(Err(ConnectionCut));
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this module owns the pace of all streams")]
async fn wait(length: Duration) {
    tokio::time::sleep(length).await;
}
