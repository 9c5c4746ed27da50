//! What browsers and servers say to each other over the socket. Owns the frames' types; HTTP bodies are in
//! [`rest`]. How and when frames are sent is the shell's business.

pub mod abilities;
pub mod access;
pub mod agents;
pub mod approvals;
pub mod attachments;
pub mod guard;
pub mod projects;
pub mod rest;
pub mod view;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{ItemId, ProjectId, SessionId, TurnId};
use crate::upsert::{TurnEvent, Upsert};
use crate::wire_enum::wire_enum;
use agents::AgentReport;
use rest::{PermissionAnswer, Problem, QueuedMessage, SendMessage};
use view::SessionView;

/// From a browser to the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ClientFrame {
    /// Comes back in the answer.
    #[serde(default, rename = "requestId", skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
    /// What is asked.
    #[serde(flatten)]
    pub message: ClientMessage,
}

/// What a browser asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ClientMessage {
    /// Send me this session's states from now on, and what I missed.
    #[serde(rename = "session:subscribe")]
    Subscribe {
        /// The session.
        session_id: SessionId,
        /// The last frame applied, as `<epoch>.<seq>`; without it everything is sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        after: Option<String>,
        /// How growing texts are sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        encoding: Option<Encoding>,
        /// If everything has to be sent, only so many of the newest items; older ones are asked for by HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        window: Option<u32>,
    },
    /// Send me no more of this session.
    #[serde(rename = "session:unsubscribe")]
    Unsubscribe {
        /// The session.
        session_id: SessionId,
    },
    /// Tell the agent this.
    #[serde(rename = "session:send")]
    Send {
        /// The session.
        session_id: SessionId,
        /// What to tell.
        #[serde(flatten)]
        body: SendMessage,
    },
    /// Stop the running turn.
    #[serde(rename = "session:cancel")]
    Cancel {
        /// The session.
        session_id: SessionId,
    },
    /// Answer what the agent asked.
    #[serde(rename = "session:permission")]
    Permission {
        /// The session.
        session_id: SessionId,
        /// The permission item.
        item_id: ItemId,
        /// The answer.
        #[serde(flatten)]
        answer: PermissionAnswer,
    },
}

wire_enum! {
    /// How growing texts are sent.
    Encoding {
        /// As what was added.
        Append = "append",
    }
}

/// From the server to a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ServerMessage {
    /// The subscription stands; the first frame of it.
    #[serde(rename = "session:subscribed")]
    Subscribed {
        /// The session.
        session_id: SessionId,
        /// Whether the cursor could be used.
        resume: Resume,
        /// The life of the log that `seq` belongs to.
        epoch: String,
        /// The newest `seq`.
        #[ts(type = "number")]
        seq: u64,
        /// What the session is and does.
        #[serde(flatten)]
        view: Box<SessionView>,
    },
    /// Everything there is.
    #[serde(rename = "session:history")]
    History {
        /// The session.
        session_id: SessionId,
        /// The latest state of each item, in the order in which they first appeared.
        entries: Vec<Upsert>,
        /// The milestones of the turns.
        turns: Vec<TurnEvent>,
        /// The newest `seq` in it.
        #[ts(type = "number")]
        seq: u64,
        /// Items before this place were not sent, because a window was asked for: `before` of the next page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        before: Option<u64>,
    },
    /// An item's new state.
    #[serde(rename = "session:upsert")]
    Upsert {
        /// The session.
        session_id: SessionId,
        /// Its place in the session's log; absent where there is no log, and while the disk is full: the
        /// state is then sent again once it is stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        seq: Option<u64>,
        /// The `seq` of the item's first state, by which items are ordered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        first_seq: Option<u64>,
        /// The state.
        payload: Box<Upsert>,
    },
    /// A turn's milestone.
    #[serde(rename = "session:turn")]
    Turn {
        /// The session.
        session_id: SessionId,
        /// Its place in the session's log; absent where there is no log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        seq: Option<u64>,
        /// The milestone.
        payload: TurnEvent,
    },
    /// An item's text grew; only for clients that asked for it.
    #[serde(rename = "session:append")]
    Append {
        /// The session.
        session_id: SessionId,
        /// Its place in the session's log.
        #[ts(type = "number")]
        seq: u64,
        /// The item.
        item_id: ItemId,
        /// How many UTF-16 units of the text the client already holds.
        #[ts(type = "number")]
        base: u64,
        /// What follows them.
        text: String,
    },
    /// The session itself changed.
    #[serde(rename = "session:state")]
    State {
        /// The session.
        session_id: SessionId,
        /// What it is and does.
        #[serde(flatten)]
        view: Box<SessionView>,
    },
    /// The list of sessions changed.
    #[serde(rename = "sessions:changed")]
    SessionsChanged {
        /// The project whose list it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        project_id: Option<ProjectId>,
    },
    /// The agents of this machine changed: one was installed, or its version or login became known.
    #[serde(rename = "agents:changed")]
    AgentsChanged {
        /// All of them, as `GET /api/agents` lists them.
        agents: Vec<AgentReport>,
    },
    /// The server's disk became full, or has room again. Told at once to whoever comes while it is full.
    #[serde(rename = "server:storage")]
    Storage {
        /// Whether nothing can be stored: messages are refused, and what agents say is shown without a `seq`.
        is_full: bool,
    },
    /// What was asked is done.
    #[serde(rename = "ok")]
    Ok {
        /// Which question this answers.
        request_id: String,
        /// The turn that a message began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        turn_id: Option<TurnId>,
        /// Where a message waits, if a turn was running.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        queued: Option<QueuedMessage>,
    },
    /// What was asked cannot be done.
    #[serde(rename = "error")]
    Error {
        /// Which question this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        request_id: Option<String>,
        /// Why.
        problem: Problem,
    },
}

wire_enum! {
    /// What became of a cursor.
    Resume {
        /// What follows it is sent.
        Ok = "ok",
        /// It is of no use; everything is sent.
        Reset = "reset",
    }
}
