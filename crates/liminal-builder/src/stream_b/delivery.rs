//! The one that empties the outbox. Owns the task that delivers, and how its failures are told: once when they begin and
//! once when they are over.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Letter, Outbox};
use crate::emitter::{Emitter, Publisher};
use crate::metrics::Metrics;

/// How long what waits may take when the server stops.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

/// Delivers what the outbox holds, in order, for as long as it lives.
#[derive(Debug)]
pub struct Delivery {
    outbox: Outbox,
    metrics: Metrics,
    task: JoinSet<()>,
}

impl Delivery {
    /// Begins to deliver.
    #[must_use]
    pub fn start<P>(outbox: Outbox, emitter: Emitter<P>, metrics: Metrics) -> Self
    where
        P: Publisher + Send + 'static,
        P::Error: Send,
    {
        let mut task = JoinSet::new();
        let courier = Courier { outbox: outbox.clone(), emitter, metrics: metrics.clone(), lost: 0 };
        task.spawn(courier.run());
        Self { outbox, metrics, task }
    }

    /// Delivers what waits, as far as that is possible in a short time. Nothing may be put into the outbox any more.
    pub async fn close(mut self) {
        self.outbox.close();
        if timeout(CLOSE_PATIENCE, self.task.join_next()).await.is_ok() {
            return;
        }
        self.task.shutdown().await;
        // The one at hand counts too.
        let lost = self.outbox.len() as u64 + 1;
        self.metrics.stream_b_given_up(lost);
        tracing::error!(messages = lost, "Stream B messages were given up, because the server stops");
    }
}

struct Courier<P> {
    outbox: Outbox,
    emitter: Emitter<P>,
    metrics: Metrics,
    /// Given up since the Redis took something.
    lost: u64,
}

impl<P: Publisher> Courier<P> {
    async fn run(mut self) {
        while let Some(letter) = self.outbox.next().await {
            self.deliver(&letter).await;
            self.lose(self.outbox.given_up());
            self.metrics.stream_b_waiting(self.outbox.len());
        }
    }

    async fn deliver(&mut self, letter: &Letter) {
        match self.emitter.emit(&letter.message).await {
            Ok(()) => {
                self.metrics.stream_b_published();
                if self.lost > 0 {
                    tracing::warn!(
                        messages = self.lost,
                        "Stream B messages go out again; so many were given up"
                    );
                }
                self.lost = 0;
            }
            Err(error) => {
                if self.lost == 0 {
                    tracing::error!(%error, "a Stream B message was given up");
                }
                self.lose(1);
            }
        }
    }

    fn lose(&mut self, count: u64) {
        self.lost += count;
        self.metrics.stream_b_given_up(count);
    }
}
