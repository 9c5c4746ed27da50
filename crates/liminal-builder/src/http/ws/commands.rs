//! What a browser asks over its socket. Owns that each question with an id is answered, and that a slow answer holds
//! up nothing else.

use std::future::pending;

use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::read;
use liminal_core::wire::rest::MessageAccepted;
use liminal_core::wire::{ClientFrame, ClientMessage, ServerMessage};
use tokio::task::JoinSet;

use super::super::app::App;
use super::super::forward::{self, Subject};
use super::super::frames;
use super::super::ledger::Party;
use super::super::problem::ApiError;
use super::feeders::Feeders;
use super::opening::{Opened, RequestId, Wish};
use crate::audit::Action;
use crate::cluster::ServerId;
use crate::sessions::{Failure, approval_id};

/// Questions whose answers are on their way; more than a page can have.
const MOST_AT_ONCE: usize = 64;

pub(super) struct Commands {
    app: App,
    party: Party,
    running: JoinSet<Option<ServerMessage>>,
}

/// A frame, or the answer to one that is none.
pub(super) fn read(text: &[u8]) -> Result<ClientFrame, Box<ServerMessage>> {
    read::body(text).map_err(|error| {
        let request_id = serde_json::from_slice::<serde_json::Value>(text)
            .ok()
            .and_then(|value| value.get("requestId")?.as_str().map(str::to_owned));
        Box::new(ServerMessage::Error { request_id, problem: ApiError::from(error).problem() })
    })
}

impl Commands {
    pub(super) fn new(app: App, party: Party) -> Self {
        Self { app, party, running: JoinSet::new() }
    }

    /// The next answer. Cancel-safe; waits for ever while nothing is asked.
    pub(super) async fn next(&mut self) -> ServerMessage {
        loop {
            match self.running.join_next().await {
                Some(Ok(Some(answer))) => return answer,
                // Nobody wanted an answer, or the answer broke.
                Some(Ok(None) | Err(_)) => {}
                None => pending().await,
            }
        }
    }

    /// Does what is asked at once, or begins to. Returns what can be answered now.
    pub(super) async fn take(&mut self, frame: ClientFrame, feeders: &mut Feeders) -> Vec<ServerMessage> {
        let ClientFrame { request_id, message } = frame;
        match message {
            ClientMessage::Subscribe { session_id, after, encoding, window } => {
                let wish = Wish { session: session_id, after, encoding, window };
                subscribe(wish, request_id, feeders)
            }
            ClientMessage::Unsubscribe { session_id } => {
                let replaced = feeders.remove(&session_id).await;
                replaced_by(replaced).into_iter().chain(answer(request_id, Ok(None))).collect()
            }
            ClientMessage::Send { .. } | ClientMessage::Cancel { .. } | ClientMessage::Permission { .. } => {
                self.begin(request_id, message).into_iter().collect()
            }
        }
    }

    fn begin(&mut self, request_id: Option<String>, message: ClientMessage) -> Option<ServerMessage> {
        if self.running.len() >= MOST_AT_ONCE {
            return answer(request_id, Err(too_many()));
        }
        let (app, party) = (self.app.clone(), self.party.clone());
        self.running.spawn(async move { answer(request_id, act(&app, &party, message).await) });
        None
    }
}

fn subscribe(wish: Wish, request_id: RequestId, feeders: &mut Feeders) -> Vec<ServerMessage> {
    if feeders.is_full() {
        return answer(request_id, Err(too_many())).into_iter().collect();
    }
    replaced_by(feeders.open(wish, request_id)).into_iter().collect()
}

/// A subscription that a later command replaced was not refused: it has ended before it began.
fn replaced_by(replaced: Option<RequestId>) -> Option<ServerMessage> {
    answer(replaced?, Ok(None))
}

/// Follows a session whose subscription was opened. Its answer precedes its first frame.
pub(super) async fn follow(opened: Opened, feeders: &mut Feeders) -> Option<ServerMessage> {
    let Opened { session, request, feed } = opened;
    answer(request, feeders.start(session, feed).await.map(|()| None))
}

fn too_many() -> Failure {
    Failure::new(ErrorCode::TooManyAttempts, "too many questions at once; wait for their answers")
}

async fn act(app: &App, party: &Party, message: ClientMessage) -> Result<Option<MessageAccepted>, Failure> {
    match asked_session(&message) {
        Some(session) => match forward::elsewhere(app, Subject::Session, Some(session.as_str())).await? {
            Some(server) => hand_on(app, party, &server, message).await,
            None => act_here(app, party, message).await,
        },
        None => Ok(None),
    }
}

const fn asked_session(message: &ClientMessage) -> Option<&SessionId> {
    match message {
        ClientMessage::Send { session_id, .. }
        | ClientMessage::Cancel { session_id }
        | ClientMessage::Permission { session_id, .. } => Some(session_id),
        ClientMessage::Subscribe { .. } | ClientMessage::Unsubscribe { .. } => None,
    }
}

/// Has the server do it that has the session, by the route that does the same.
async fn hand_on(
    app: &App,
    party: &Party,
    server: &ServerId,
    message: ClientMessage,
) -> Result<Option<MessageAccepted>, Failure> {
    let (path, body) = match &message {
        ClientMessage::Send { session_id, body } => {
            (format!("/api/session/{session_id}/send"), frames::json(body))
        }
        ClientMessage::Cancel { session_id } => (format!("/api/session/{session_id}/cancel"), Vec::new()),
        ClientMessage::Permission { session_id, item_id, answer } => {
            (format!("/api/approvals/{}", approval_id(session_id, item_id)), frames::json(answer))
        }
        ClientMessage::Subscribe { .. } | ClientMessage::Unsubscribe { .. } => return Ok(None),
    };
    let body = String::from_utf8_lossy(&body).into_owned();
    let answer = forward::command(app, server, party, path, body).await?;
    Ok(match message {
        ClientMessage::Send { .. } => serde_json::from_slice(&answer).ok(),
        ClientMessage::Subscribe { .. }
        | ClientMessage::Unsubscribe { .. }
        | ClientMessage::Cancel { .. }
        | ClientMessage::Permission { .. } => None,
    })
}

async fn act_here(
    app: &App,
    party: &Party,
    message: ClientMessage,
) -> Result<Option<MessageAccepted>, Failure> {
    let ledger = app.ledger();
    let begin = |action, id: &SessionId| ledger.begin(party, action, Some(id.to_string()));
    let (begun, result) = match message {
        ClientMessage::Send { session_id, body } => {
            let begun = begin(Action::Send, &session_id);
            (begun, app.sessions().send(&session_id, body).await.map(Some))
        }
        ClientMessage::Cancel { session_id } => {
            let begun = begin(Action::Cancel, &session_id);
            (begun, app.sessions().cancel(&session_id).await.map(|_| None))
        }
        ClientMessage::Permission { session_id, item_id, answer } => {
            let mut begun = begin(Action::Permission, &session_id);
            let option = answer.option_id.clone();
            let witness = ledger.witness(&mut begun, option.as_deref());
            let result = app.sessions().answer(&session_id, &item_id, answer, witness).await;
            (begun, result.map(|()| None))
        }
        ClientMessage::Subscribe { .. } | ClientMessage::Unsubscribe { .. } => return Ok(None),
    };
    begun.ended(None, result.as_ref().err().map(|failure| failure.code)).await;
    result
}

/// An error is told also to those who gave no id: nothing fails silently.
fn answer(
    request_id: Option<String>,
    result: Result<Option<MessageAccepted>, Failure>,
) -> Option<ServerMessage> {
    match (request_id, result) {
        (Some(request_id), Ok(accepted)) => {
            let (turn_id, queued) =
                accepted.map(|accepted| (accepted.turn_id, accepted.queued)).unwrap_or_default();
            Some(ServerMessage::Ok { request_id, turn_id, queued })
        }
        (None, Ok(_)) => None,
        (request_id, Err(failure)) => {
            Some(ServerMessage::Error { request_id, problem: ApiError::from(failure).problem() })
        }
    }
}
