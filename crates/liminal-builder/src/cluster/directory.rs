//! Who has a session. Owns claiming and giving back; a token that only grows tells the newest claim from all before it.

use liminal_core::ids::SessionId;
use redis::Script;

use super::scripts::{CLAIM, REASSERT, RELEASE};
use super::{Cluster, ClusterError, ServerId};
use crate::clock;

/// Under which conditions a session is claimed.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// The token under which this server had it last.
    pub mine: u64,
    /// Whether this server could run it.
    pub is_capable: bool,
    /// Whether it may be unknown to everybody: it was just made, or found here.
    pub begins: bool,
    /// Only if nobody has written a newer copy than this server's.
    pub is_newest: bool,
    /// Only if it is this one's, which is gone.
    pub from: Option<ServerId>,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// It is this server's.
    Ours {
        /// What tells this claim from those before.
        token: u64,
        /// Whoever had it is gone without having given it back.
        was_abandoned: bool,
        /// What this server has of it is the newest.
        goes_on: bool,
    },
    /// It is another's.
    Theirs(ServerId),
    /// It is another's that was not heard of; it is too early to say that it is gone.
    Unsure,
    /// Nobody has it, and this server could not run it.
    Unable,
    /// Nobody has written anything of it.
    Absent,
}

impl Cluster {
    /// Makes a session this server's, if nobody else has it.
    pub async fn claim(&self, session: &SessionId, claim: Claim) -> Result<Claimed, ClusterError> {
        let keys = &self.0.keys;
        let script = Script::new(CLAIM);
        let mut call = script.key(keys.meta(session));
        call.arg(self.0.me.as_str())
            .arg(keys.server_prefix())
            .arg(keys.owned_prefix())
            .arg(claim.mine)
            .arg(u8::from(claim.is_capable))
            .arg(u8::from(self.can_judge()))
            .arg(u8::from(claim.begins))
            .arg(claim.from.as_ref().map_or("", ServerId::as_str))
            .arg(new_epoch())
            .arg(session.as_str())
            .arg(keys.news(session))
            .arg(u8::from(claim.is_newest));
        let answer: Vec<String> = self.0.link.query(&call).await?;
        let claimed = read(&answer).ok_or_else(|| ClusterError::Unreadable(answer.join(" ")))?;
        if let Claimed::Ours { token, .. } = claimed {
            self.held().insert(session.clone(), token);
        }
        Ok(claimed)
    }

    /// Has a session that nobody else can have while Redis does not answer: it is told later.
    pub fn hold_untold(&self, session: &SessionId) -> u64 {
        let now = self.0.clock.now().wall.as_millisecond().unsigned_abs();
        *self.held().entry(session.clone()).or_insert(now)
    }

    /// Says again that a session is this server's; `false` if it is not any more.
    pub async fn reassert(&self, session: &SessionId) -> Result<bool, ClusterError> {
        let Some(token) = self.token(session) else { return Ok(false) };
        let script = Script::new(REASSERT);
        let answer: i64 = self.with_token(&script, session, token).await?;
        Ok(answer == 1)
    }

    /// Gives a session back, so that others may claim it.
    pub async fn release(&self, session: &SessionId) -> Result<(), ClusterError> {
        let Some(token) = self.drop_claim(session) else { return Ok(()) };
        let script = Script::new(RELEASE);
        let _: i64 = self.with_token(&script, session, token).await?;
        Ok(())
    }

    /// It is not this server's any more, whatever Redis says.
    pub fn drop_claim(&self, session: &SessionId) -> Option<u64> {
        self.held().remove(session)
    }

    /// The sessions that a server had.
    pub async fn sessions_of(&self, server: &ServerId) -> Result<Vec<SessionId>, ClusterError> {
        let members = redis::Cmd::smembers(self.0.keys.owned(server));
        let names: Vec<String> = self.0.link.query(&members).await?;
        Ok(names.into_iter().map(SessionId::from).collect())
    }

    /// A session is not to be looked for among those of a server that is gone.
    pub async fn unlist(&self, server: &ServerId, session: &SessionId) -> Result<(), ClusterError> {
        let removing = redis::Cmd::srem(self.0.keys.owned(server), session.as_str());
        Ok(self.0.link.query(&removing).await?)
    }

    async fn with_token(
        &self,
        script: &Script,
        session: &SessionId,
        token: u64,
    ) -> Result<i64, ClusterError> {
        let keys = &self.0.keys;
        let mut call = script.key(keys.meta(session));
        call.arg(self.0.me.as_str()).arg(keys.owned_prefix()).arg(token).arg(session.as_str());
        Ok(self.0.link.query(&call).await?)
    }
}

fn new_epoch() -> String {
    let chance = clock::new_session_uuid();
    chance.split('-').next().unwrap_or(&chance).to_owned()
}

fn read(answer: &[String]) -> Option<Claimed> {
    let mut words = answer.iter().map(String::as_str);
    Some(match words.next()? {
        "ours" => Claimed::Ours {
            token: words.next()?.parse().ok()?,
            was_abandoned: words.next()? == "1",
            goes_on: words.next()? == "1",
        },
        "theirs" => Claimed::Theirs(ServerId(words.next()?.to_owned())),
        "unsure" => Claimed::Unsure,
        "unable" => Claimed::Unable,
        "absent" => Claimed::Absent,
        _ => return None,
    })
}
