//! What is called how in Redis. Owns every key and channel and the prefix before them; what is stored under them is
//! told beside each.
//!
//! A session's keys have its id as hash tag, so that a cluster keeps them in one place and a script may use them
//! together.

use std::sync::Arc;

use liminal_core::ids::SessionId;

/// Fields of [`Keys::meta`].
pub mod field {
    /// The life of the log; as long as it is missing there is none.
    pub const EPOCH: &str = "epoch";
    /// The newest place.
    pub const SEQ: &str = "seq";
    /// What changed after this place is kept.
    pub const FLOOR: &str = "floor";
    /// How many entries there are. Another number of them means that somebody else deleted some.
    pub const COUNT: &str = "count";
    /// The number of the newest canonical event.
    pub const EVENT: &str = "event";
    /// Grows with every owner; whoever writes with a smaller one is refused. To grow also over a flush it begins at the
    /// server's clock in milliseconds and not at 1.
    pub const TOKEN: &str = "token";
    /// The id of the server that owns the session.
    pub const OWNER: &str = "owner";
}

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

    /// Hash: where the session's log stands and who owns it, see [`field`].
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

    /// String: what other servers must know of a session, as JSON.
    #[must_use]
    pub fn record(&self, session: &SessionId) -> String {
        self.of_session(session, "record")
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

    /// String that lapses: a server is alive.
    #[must_use]
    pub fn server(&self, id: &str) -> String {
        self.global(&format!("server:{id}"))
    }

    /// Set: the ids of all servers.
    #[must_use]
    pub fn servers(&self) -> String {
        self.global("servers")
    }

    /// Stream: commands for a server.
    #[must_use]
    pub fn inbox(&self, id: &str) -> String {
        self.global(&format!("server:{id}:inbox"))
    }

    /// Stream: answers to a server's commands.
    #[must_use]
    pub fn replies(&self, id: &str) -> String {
        self.global(&format!("server:{id}:replies"))
    }

    /// Channel: something about sessions or projects has changed.
    #[must_use]
    pub fn changes(&self) -> String {
        self.global("changes")
    }

    /// Hash: projects by id.
    #[must_use]
    pub fn projects(&self) -> String {
        self.global("projects")
    }

    /// Sessions of a project.
    #[must_use]
    pub fn project_sessions(&self, project: &str) -> String {
        self.global(&format!("project:{project}:sessions"))
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
