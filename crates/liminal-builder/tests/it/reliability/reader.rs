//! A client that follows one session and shows it.

use liminal_core::wire::ServerMessage;

use super::client::Client;
use super::figures::Stopwatch;
use super::shown::Shown;
use super::socket::{Heard, Socket};
use super::world::PATIENCE;

pub(super) struct Reader {
    pub(super) socket: Socket,
    pub(super) shown: Shown,
}

impl Reader {
    pub(super) fn join(client: &Client, session: &str, encoding: Option<&str>) -> Self {
        Self::rejoin(client, session, Shown::default(), encoding)
    }

    /// One that has all there is now.
    pub(super) fn caught_up(client: &Client, session: &str) -> Self {
        let mut reader = Self::join(client, session, None);
        reader.hear(|message| matches!(message, ServerMessage::History { .. }));
        reader
    }

    /// Comes back to where it was, and has heard how that is answered.
    pub(super) fn rejoin(client: &Client, session: &str, shown: Shown, encoding: Option<&str>) -> Self {
        let mut socket = Socket::open(client);
        socket.subscribe(session, shown.cursor().as_deref(), encoding);
        let mut reader = Self { socket, shown };
        reader.hear(|message| matches!(message, ServerMessage::Subscribed { .. }));
        reader
    }

    /// Reads until a frame of this kind was applied.
    pub(super) fn hear(&mut self, mut is_it: impl FnMut(&ServerMessage) -> bool) {
        loop {
            let message = self.socket.message();
            let found = is_it(&message);
            self.shown.apply(message);
            if found {
                return;
            }
        }
    }

    /// Reads until what is shown is what is looked for.
    pub(super) fn until(&mut self, what: &str, holds: impl Fn(&Shown) -> bool) {
        let begun = Stopwatch::start();
        while !holds(&self.shown) {
            assert!(begun.elapsed() < PATIENCE, "waited too long until {what}: {:?}", self.shown);
            let message = self.socket.message();
            self.shown.apply(message);
        }
    }

    /// Reads what it did not read until the server has closed it; counts those that are told why.
    pub(super) fn until_closed(&mut self, told: &mut usize) {
        loop {
            match self.socket.next() {
                Heard::Message(message) => self.shown.apply(*message),
                Heard::Closed(code) => {
                    assert_eq!(code, 1013);
                    *told += 1;
                    return;
                }
                Heard::Gone | Heard::Nothing => return,
            }
        }
    }

    pub(super) fn until_end(&mut self, turn: &str) {
        self.until("the turn ends", |shown| shown.has_ended(turn));
    }

    /// Applies what comes until nothing does for a while, or the socket ends.
    pub(super) fn for_now(&mut self, patience: std::time::Duration) {
        while let Heard::Message(message) = self.socket.next_within(patience) {
            self.shown.apply(*message);
        }
    }

    /// Reads for so long of what does not end, and keeps none of it.
    pub(super) fn along(&mut self, time: std::time::Duration) {
        let begun = Stopwatch::start();
        while begun.elapsed() < time {
            let message = self.socket.message();
            self.shown.apply(message);
            self.shown.forget_finished();
        }
    }
}

/// Sends a message, which must be taken; gives the turn.
pub(super) fn begin(client: &Client, session: &str, message: &str) -> String {
    let sent = client.send(session, message);
    assert_eq!(sent.status, 202, "{sent:?}");
    sent.json()["turnId"].as_str().unwrap().to_owned()
}

/// Sends a message and waits for its turn's end.
pub(super) fn turn(client: &Client, session: &str, message: &str) -> String {
    let mut reader = Reader::join(client, session, None);
    let turn = begin(client, session, message);
    reader.until_end(&turn);
    reader.shown.end_of(&turn).unwrap()
}
