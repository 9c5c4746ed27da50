//! News of the sessions that are watched. Owns the one connection they come on: which channels it is joined to, and
//! that nothing is missed when it breaks.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use liminal_core::ids::SessionId;
use redis::Msg;
use redis::aio::{PubSubSink, PubSubStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{interval, timeout};

use super::super::{Head, LogError};
use super::Shared;
use super::backoff::Backoff;

/// Sessions asked about at once after a reconnect.
const ASKED_AT_ONCE: usize = 64;

/// A session to be joined; answered once its news come and its head is known.
#[derive(Debug)]
pub(super) struct Join {
    pub(super) session: SessionId,
    pub(super) joined: Option<oneshot::Sender<()>>,
}

pub(super) struct Listener {
    shared: Arc<Shared>,
    joins: mpsc::UnboundedReceiver<Join>,
}

/// Why a connection is served no longer.
enum Ended {
    /// It broke; there may be another.
    Broken,
    /// Nobody is left who could ask.
    Closed,
}

impl Listener {
    pub(super) const fn new(shared: Arc<Shared>, joins: mpsc::UnboundedReceiver<Join>) -> Self {
        Self { shared, joins }
    }

    /// Listens until nobody is left who could ask for more.
    pub(super) async fn run(mut self) {
        let mut backoff = Backoff::default();
        loop {
            if let Ok((sink, stream)) = self.connect().await {
                backoff.reset();
                if let Ended::Closed = self.serve(sink, stream).await {
                    return;
                }
            }
            backoff.pause().await;
        }
    }

    /// Joins the channels first and asks afterwards, so that nothing falls between the two.
    async fn connect(&self) -> Result<(PubSubSink, PubSubStream), LogError> {
        let (mut sink, stream) = self.shared.link.listen().await?.split();
        let sessions = self.shared.watches.sessions();
        for some in sessions.chunks(ASKED_AT_ONCE) {
            self.subscribe(&mut sink, some).await?;
        }
        self.refresh(sessions).await?;
        Ok((sink, stream))
    }

    async fn refresh(&self, sessions: Vec<SessionId>) -> Result<(), LogError> {
        let asking = sessions.into_iter().map(|session| async move {
            let asked = self.shared.refresh(&session).await;
            self.shared.watches.hear_events(&session);
            asked
        });
        let answers: Vec<_> = stream::iter(asking).buffer_unordered(ASKED_AT_ONCE).collect().await;
        answers.into_iter().try_for_each(|answer| answer.map(drop))
    }

    async fn subscribe(&self, sink: &mut PubSubSink, sessions: &[SessionId]) -> Result<(), LogError> {
        let channels: Vec<_> = sessions.iter().map(|session| self.shared.keys.news(session)).collect();
        let joining = timeout(self.shared.link.patience(), sink.subscribe(&channels)).await;
        joining.ok().and_then(Result::ok).ok_or_else(broken)
    }

    async fn serve(&mut self, mut sink: PubSubSink, mut stream: PubSubStream) -> Ended {
        // A wire that was cut far away says nothing, and neither does one with no news.
        let mut alive = interval(self.shared.link.patience());
        loop {
            let is_served = tokio::select! {
                message = stream.next() => match message {
                    Some(message) => self.hear(&message).await,
                    None => Err(broken()),
                },
                join = self.joins.recv() => match join {
                    Some(join) => self.join(&mut sink, join).await,
                    None => return Ended::Closed,
                },
                _ = alive.tick() => self.ping(&mut sink).await,
            };
            if is_served.is_err() {
                return Ended::Broken;
            }
        }
    }

    async fn ping(&self, sink: &mut PubSubSink) -> Result<(), LogError> {
        let answer = timeout(self.shared.link.patience(), sink.ping::<redis::Value>()).await;
        answer.ok().and_then(Result::ok).map(drop).ok_or_else(broken)
    }

    async fn join(&self, sink: &mut PubSubSink, join: Join) -> Result<(), LogError> {
        self.leave_idle(sink).await?;
        self.subscribe(sink, std::slice::from_ref(&join.session)).await?;
        self.refresh(vec![join.session]).await?;
        // Whoever asked may have stopped waiting.
        join.joined.map(|joined| joined.send(()));
        Ok(())
    }

    async fn leave_idle(&self, sink: &mut PubSubSink) -> Result<(), LogError> {
        let idle = self.shared.watches.forget_idle();
        if idle.is_empty() {
            return Ok(());
        }
        let channels: Vec<_> = idle.iter().map(|session| self.shared.keys.news(session)).collect();
        let leaving = timeout(self.shared.link.patience(), sink.unsubscribe(&channels)).await;
        leaving.ok().and_then(Result::ok).ok_or_else(broken)
    }

    async fn hear(&self, message: &Msg) -> Result<(), LogError> {
        let Some(session) = self.shared.keys.session_of_news(message.get_channel_name()) else {
            return Ok(());
        };
        let payload = String::from_utf8_lossy(message.get_payload_bytes());
        if payload == "events" {
            self.shared.watches.hear_events(&session);
            return Ok(());
        }
        let is_clear = head(&payload).is_some_and(|head| self.shared.watches.hear(&session, head));
        if is_clear { Ok(()) } else { self.refresh(vec![session]).await }
    }
}

fn broken() -> LogError {
    LogError::Unreachable("the connection for news broke".to_owned())
}

fn head(payload: &str) -> Option<Head> {
    let mut words = payload.split(' ');
    let epoch = words.next()?.into();
    Some(Head { epoch, seq: words.next()?.parse().ok()?, floor: words.next()?.parse().ok()? })
}
