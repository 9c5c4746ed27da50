//! A browser tab that does whatever chance tells it, by the rules of the wire: one socket, several sessions.

use std::collections::BTreeSet;
use std::time::Duration;

use liminal_core::wire::ServerMessage;
use serde_json::json;

use super::client::Client;
use super::figures::Chance;
use super::shown::Shown;
use super::socket::{Heard, Socket};

pub(super) struct Tab {
    client: Client,
    sessions: Vec<String>,
    shown: Vec<Shown>,
    socket: Socket,
    /// Frames of these count.
    followed: BTreeSet<usize>,
    /// These were asked for; whatever comes before the answer belongs to an earlier wish.
    asked: BTreeSet<usize>,
    chance: Chance,
}

impl Tab {
    pub(super) fn new(client: &Client, sessions: &[String], chance: Chance) -> Self {
        Self {
            client: client.clone(),
            sessions: sessions.to_vec(),
            shown: sessions.iter().map(|_| Shown::default()).collect(),
            socket: Socket::open(client),
            followed: BTreeSet::new(),
            asked: BTreeSet::new(),
            chance,
        }
    }

    pub(super) fn act(&mut self) {
        let session = self.chance.below(self.sessions.len() as u64);
        let session = usize::try_from(session).unwrap();
        match self.chance.below(8) {
            0 => self.reconnect(),
            1..=3 if !self.asked.contains(&session) => self.subscribe(session),
            4 => self.unsubscribe(session),
            _ => self.read_some(),
        }
    }

    /// Follows everything from here on.
    pub(super) fn settle(mut self) -> Self {
        self.reconnect();
        (0..self.sessions.len()).for_each(|session| self.subscribe(session));
        self
    }

    pub(super) fn catch_up(&mut self, heads: &[u64]) {
        let is_behind = |tab: &Self| tab.shown.iter().zip(heads).any(|(shown, head)| shown.seq < *head);
        while !self.asked.is_empty() || is_behind(self) {
            let message = self.socket.message();
            self.apply(message);
        }
    }

    pub(super) fn shown(&self) -> &[Shown] {
        &self.shown
    }

    fn reconnect(&mut self) {
        self.socket = Socket::open(&self.client);
        self.followed.clear();
        self.asked.clear();
        self.shown.iter_mut().for_each(Shown::cut);
    }

    fn subscribe(&mut self, session: usize) {
        self.shown[session].cut();
        let encoding = (self.chance.below(2) == 0).then_some("append");
        let cursor = self.shown[session].cursor();
        self.socket.subscribe(&self.sessions[session], cursor.as_deref(), encoding);
        self.followed.remove(&session);
        self.asked.insert(session);
    }

    fn unsubscribe(&mut self, session: usize) {
        let name = &self.sessions[session];
        self.socket.say(&json!({ "type": "session:unsubscribe", "sessionId": name })).unwrap();
        self.followed.remove(&session);
        // Its answer may be on its way, or never come.
        if self.asked.remove(&session) {
            self.reconnect();
        }
    }

    fn read_some(&mut self) {
        for _ in 0..self.chance.below(20) {
            match self.socket.next_within(Duration::from_millis(self.chance.below(30))) {
                Heard::Message(message) => self.apply(*message),
                Heard::Nothing => return,
                // It asked more often than a page may, and comes back.
                Heard::Closed(1008) => return self.reconnect(),
                other => panic!("{other:?}"),
            }
        }
    }

    fn apply(&mut self, message: ServerMessage) {
        let Some(name) = session_of(&message) else { return };
        let session = self.sessions.iter().position(|session| *session == name).unwrap();
        if matches!(message, ServerMessage::Subscribed { .. }) && self.asked.remove(&session) {
            self.followed.insert(session);
        }
        if self.followed.contains(&session) {
            self.shown[session].apply(message);
        }
    }
}

fn session_of(message: &ServerMessage) -> Option<String> {
    let id = match message {
        ServerMessage::Subscribed { session_id, .. }
        | ServerMessage::History { session_id, .. }
        | ServerMessage::Upsert { session_id, .. }
        | ServerMessage::Turn { session_id, .. }
        | ServerMessage::Append { session_id, .. }
        | ServerMessage::State { session_id, .. } => session_id,
        ServerMessage::SessionsChanged { .. }
        | ServerMessage::AgentsChanged { .. }
        | ServerMessage::Storage { .. }
        | ServerMessage::Ok { .. } => return None,
        ServerMessage::Error { problem, .. } => panic!("{problem:?}"),
    };
    Some(id.to_string())
}
