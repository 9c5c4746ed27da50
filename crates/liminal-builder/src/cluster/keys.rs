//! The names of what servers share. Owns their form; all keys of one session have its id in braces, so that they lie
//! together.

use liminal_core::ids::SessionId;

use super::ServerId;

#[derive(Debug, Clone)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    fn of(&self, session: &SessionId, what: &str) -> String {
        format!("{}:{{{session}}}:{what}", self.prefix)
    }

    /// Who has a session, and the life of its log.
    pub(super) fn meta(&self, session: &SessionId) -> String {
        self.of(session, "meta")
    }

    /// Where news of its log's head are told.
    pub(super) fn head(&self, session: &SessionId) -> String {
        self.of(session, "head")
    }

    pub(super) fn record(&self, session: &SessionId) -> String {
        self.of(session, "record")
    }

    pub(super) fn deliveries(&self, session: &SessionId) -> String {
        self.of(session, "deliveries")
    }

    /// The receipts of one day.
    pub(super) fn receipts(&self, session: &SessionId, day: i64) -> String {
        self.of(session, &format!("receipts:{day}"))
    }

    /// A request that belongs to no session.
    pub(super) fn receipt(&self, scope: &str, key: &str) -> String {
        format!("{}:receipt:{scope}:{key}", self.prefix)
    }

    /// Every session that has a record.
    pub(super) fn sessions(&self) -> String {
        format!("{}:sessions", self.prefix)
    }

    /// Where changed records are told.
    pub(super) fn changes(&self) -> String {
        format!("{}:changes", self.prefix)
    }

    /// The life of the whole store; the logs' copier writes it.
    pub(super) fn life(&self) -> String {
        format!("{}:life", self.prefix)
    }

    /// Browsers that were let in: the digest of a cookie, and when it was seen with the digest of its key.
    pub(super) fn logins(&self) -> String {
        format!("{}:logins", self.prefix)
    }

    /// Which life of the logins it is; a greater one ended all before it.
    pub(super) fn logins_life(&self) -> String {
        format!("{}:logins:life", self.prefix)
    }

    /// Digests of one-time codes by when they are over.
    pub(super) fn codes(&self) -> String {
        format!("{}:codes", self.prefix)
    }

    pub(super) fn projects(&self) -> String {
        format!("{}:projects", self.prefix)
    }

    /// Which project a directory is.
    pub(super) fn paths(&self) -> String {
        format!("{}:paths", self.prefix)
    }

    pub(super) fn servers(&self) -> String {
        format!("{}:servers", self.prefix)
    }

    /// What a server's key begins with.
    pub(super) fn server_prefix(&self) -> String {
        format!("{}:server:", self.prefix)
    }

    /// There as long as the server is.
    pub(super) fn server(&self, server: &ServerId) -> String {
        format!("{}{server}", self.server_prefix())
    }

    pub(super) fn inbox(&self, server: &ServerId) -> String {
        format!("{}{server}:inbox", self.server_prefix())
    }

    pub(super) fn replies(&self, server: &ServerId) -> String {
        format!("{}{server}:replies", self.server_prefix())
    }

    /// What the key of a server's sessions begins with.
    pub(super) fn owned_prefix(&self) -> String {
        format!("{}:owned:", self.prefix)
    }

    /// The sessions of a server; it stays when the server goes.
    pub(super) fn owned(&self, server: &ServerId) -> String {
        format!("{}{server}", self.owned_prefix())
    }
}
