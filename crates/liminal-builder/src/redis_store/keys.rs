//! What is called how in Redis. Owns every key and channel and the prefix before them; what is stored under them is
//! told beside each.
//!
//! A session's keys have its id as hash tag, so that a cluster keeps them in one place and a script may use them
//! together.

use std::fmt::Display;
use std::sync::Arc;

use liminal_core::ids::SessionId;

/// The names, all behind one prefix.
#[derive(Debug, Clone)]
pub struct Keys {
    prefix: Arc<str>,
}

impl Keys {
    /// Names behind a prefix, which keeps several installations apart.
    #[must_use]
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.into() }
    }

    /// Hash: where the session's log stands and who may write it.
    ///
    /// - `epoch` the life of the log; as long as it is missing there is none
    /// - `seq` the newest place, `floor` the one after which changes are kept
    /// - `count` how many entries there are; another number of them means that somebody else deleted some
    /// - `event` the number of the newest canonical event
    /// - `token` grows with every owner; whoever writes with a smaller one is refused. To grow also over a flush it
    ///   begins at the clock and not at 1
    /// - `owner` the server that has the session
    #[must_use]
    pub fn meta(&self, session: &SessionId) -> String {
        self.of_session(session, "meta")
    }

    /// Hash: the latest state by key, with its places.
    #[must_use]
    pub fn items(&self, session: &SessionId) -> String {
        self.of_session(session, "items")
    }

    /// Sorted set: keys by the place of their latest state.
    #[must_use]
    pub fn seqs(&self, session: &SessionId) -> String {
        self.of_session(session, "seqs")
    }

    /// Sorted set: keys by the place of their first state.
    #[must_use]
    pub fn firsts(&self, session: &SessionId) -> String {
        self.of_session(session, "firsts")
    }

    /// Stream of states, for other programs: id `<seq>-0`, fields `key`, `first`, `open` and `body`.
    #[must_use]
    pub fn out(&self, session: &SessionId) -> String {
        self.of_session(session, "out")
    }

    /// Stream of canonical events: id `<number>-0`, field `event` with the JSON of the envelope.
    #[must_use]
    pub fn events(&self, session: &SessionId) -> String {
        self.of_session(session, "events")
    }

    /// Channel: `<epoch> <seq> <floor>` whenever the log has changed, `events` whenever there are more events.
    #[must_use]
    pub fn news(&self, session: &SessionId) -> String {
        self.of_session(session, "head")
    }

    /// The session whose [`news`](Self::news) a channel carries.
    #[must_use]
    pub fn session_of_news(&self, channel: &str) -> Option<SessionId> {
        let rest = channel.strip_prefix(&*self.prefix)?.strip_prefix(":{")?;
        Some(rest.strip_suffix("}:head")?.into())
    }

    /// String: this life of the whole store. Another one than before means that everything was lost meanwhile.
    #[must_use]
    pub fn life(&self) -> String {
        self.global("life")
    }

    /// String: the JSON of what other servers must know of a session.
    #[must_use]
    pub fn record(&self, session: &SessionId) -> String {
        self.of_session(session, "record")
    }

    /// Hash: messages on their way to the agent, by their turn.
    #[must_use]
    pub fn deliveries(&self, session: &SessionId) -> String {
        self.of_session(session, "deliveries")
    }

    /// Hash: the receipts of one day, by their key.
    #[must_use]
    pub fn receipts(&self, session: &SessionId, day: i64) -> String {
        self.of_session(session, &format!("receipts:{day}"))
    }

    /// String: the receipt of a request that belongs to no session.
    #[must_use]
    pub fn receipt(&self, scope: &str, key: &str) -> String {
        self.global(&format!("receipt:{scope}:{key}"))
    }

    /// Set: every session that has a record.
    #[must_use]
    pub fn sessions(&self) -> String {
        self.global("sessions")
    }

    /// Channel: the names of sessions whose record changed, and two words for what is no session.
    #[must_use]
    pub fn changes(&self) -> String {
        self.global("changes")
    }

    /// Hash: browsers that were let in. The digest of a cookie, and when it was seen with the digest of its key.
    #[must_use]
    pub fn logins(&self) -> String {
        self.global("logins")
    }

    /// String: which life of the logins it is; a greater one ended all before it.
    #[must_use]
    pub fn logins_life(&self) -> String {
        self.global("logins:life")
    }

    /// Sorted set: digests of one-time codes by when they are over.
    #[must_use]
    pub fn codes(&self) -> String {
        self.global("codes")
    }

    /// Hash: the JSON of projects by their id.
    #[must_use]
    pub fn projects(&self) -> String {
        self.global("projects")
    }

    /// Hash: which project a directory is.
    #[must_use]
    pub fn paths(&self) -> String {
        self.global("paths")
    }

    /// Set: every server that did not take leave.
    #[must_use]
    pub fn servers(&self) -> String {
        self.global("servers")
    }

    /// What a server's key begins with.
    #[must_use]
    pub fn server_prefix(&self) -> String {
        self.global("server:")
    }

    /// String: there as long as the server is.
    #[must_use]
    pub fn server(&self, server: impl Display) -> String {
        format!("{}{server}", self.server_prefix())
    }

    /// Stream: what other servers ask of a server.
    #[must_use]
    pub fn inbox(&self, server: impl Display) -> String {
        format!("{}{server}:inbox", self.server_prefix())
    }

    /// Stream: what other servers answer to a server.
    #[must_use]
    pub fn replies(&self, server: impl Display) -> String {
        format!("{}{server}:replies", self.server_prefix())
    }

    /// What the key of a server's sessions begins with.
    #[must_use]
    pub fn owned_prefix(&self) -> String {
        self.global("owned:")
    }

    /// Set: the sessions of a server; it stays when the server goes.
    #[must_use]
    pub fn owned(&self, server: impl Display) -> String {
        format!("{}{server}", self.owned_prefix())
    }

    fn of_session(&self, session: &SessionId, part: &str) -> String {
        format!("{}:{{{session}}}:{part}", self.prefix)
    }

    fn global(&self, part: &str) -> String {
        format!("{}:{part}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_by_its_channel() {
        let keys = Keys::new("liminal");
        for id in ["codex:1", "a}:head", "{", ""] {
            assert_eq!(keys.session_of_news(&keys.news(&id.into())), Some(id.into()));
        }
        assert_eq!(keys.session_of_news("other:{codex:1}:head"), None);
        assert_eq!(keys.session_of_news(&keys.meta(&"codex:1".into())), None);
    }
}
