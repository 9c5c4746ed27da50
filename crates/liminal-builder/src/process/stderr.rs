//! Owns the draining of an agent's stderr and the tail of it that is kept.
//! May not know what the text means.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt};

const KEPT: usize = 64 * 1024;

/// The last 64 KiB of a stream, readable while it is still written.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
}

impl Tail {
    /// Reads the stream to its end, so that its writer never has to wait.
    pub(super) async fn follow(self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = stream.read(&mut chunk).await {
            self.push(chunk.get(..length).unwrap_or_default());
        }
    }

    pub(super) fn bytes(&self) -> Bytes {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Bytes::copy_from_slice(kept.make_contiguous())
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let excess = (kept.len() + bytes.len()).saturating_sub(KEPT).min(kept.len());
        kept.drain(..excess);
        kept.extend(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_end_of_a_long_stream() {
        let stream: Vec<u8> = (0..1_000_003_u32).map(|at| at.to_le_bytes()[0]).collect();
        let tail = Tail::default();
        tail.clone().follow(stream.as_slice()).await;
        assert_eq!(tail.bytes(), stream[stream.len() - KEPT..]);
    }

    #[tokio::test]
    async fn keeps_a_short_stream_whole() {
        let tail = Tail::default();
        assert_eq!(tail.bytes(), "");
        tail.clone().follow(b"no such model\n".as_slice()).await;
        assert_eq!(tail.bytes(), "no such model\n");
    }
}
