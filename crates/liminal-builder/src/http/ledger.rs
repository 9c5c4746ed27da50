//! What of requests is kept in the audit log. Owns which routes act and in which words that is kept, and that strangers
//! cannot fill the disk with their refusals; the file is the audit log's business.

use std::future::Future;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use liminal_core::error::ErrorCode;

use super::credentials::Caller;
use super::forward;
use super::routes::Verb;
use crate::audit::{Action, Actor, Audit, AuditError, Entry};
use crate::clock::Clock;
use crate::sessions::{Failure, Witness};

/// So many refusals are told one by one in a minute; of the others only how many there were.
const MOST_REFUSALS: u32 = 60;
const MINUTE: Duration = Duration::from_secs(60);
/// What is kept of a request whose client went away before it was answered.
const ABANDONED: &str = "abandoned";

/// What a route does, for those that act.
pub(super) fn action(verb: Verb, path: &str) -> Option<Action> {
    Some(match (verb, path) {
        (Verb::Post, "/auth/exchange") => Action::Auth,
        (Verb::Post, "/auth/rotate") => Action::Rotate,
        (Verb::Post, "/api/projects") | (Verb::Delete, "/api/projects/{id}") => Action::Project,
        (Verb::Post, "/api/projects/{id}/trust") => Action::Trust,
        (Verb::Post, "/api/session/create" | "/api/session/{id}/fork") => Action::Create,
        (Verb::Delete, "/api/session/{id}") => Action::Delete,
        (Verb::Post, "/api/session/{id}/load") => Action::Load,
        (
            Verb::Post,
            "/api/session/{id}/send"
            | "/api/session/{id}/attachments"
            | "/api/session/{id}/queue/resume"
            | "/api/session/{id}/queue/{queued}/now"
            | "/api/session/{id}/queue/{queued}/steer",
        )
        | (Verb::Patch, "/api/session/{id}/queue/{queued}") => Action::Send,
        (Verb::Post, "/api/session/{id}/cancel" | "/api/session/{id}/background/stop")
        | (Verb::Delete, "/api/session/{id}/queue/{queued}" | "/api/session/{id}/attachments/{file}") => {
            Action::Cancel
        }
        (Verb::Post, "/api/session/{id}/kill") => Action::Kill,
        (Verb::Post, "/api/session/{id}/configure") => Action::Configure,
        _ => return None,
    })
}

/// Who asks, and from where.
#[derive(Debug, Clone)]
pub(super) struct Party {
    actor: Actor,
    address: IpAddr,
    word: String,
}

impl Party {
    pub(super) fn new(caller: Option<Caller>, address: IpAddr) -> Self {
        let actor = match caller {
            Some(Caller::Token) => Actor::Token,
            Some(Caller::Browser(digest)) => Actor::Browser(digest.to_text()),
            Some(Caller::Anyone) | None => Actor::Anonymous,
        };
        Self { actor, address, word: forward::word(caller) }
    }

    /// Who it is, for another server.
    pub(super) fn word(&self) -> String {
        self.word.clone()
    }

    pub(super) const fn address(&self) -> IpAddr {
        self.address
    }

    fn entry(&self, action: Action, target: Option<String>) -> Entry {
        let (actor, address) = (self.actor.clone(), Some(self.address));
        Entry { actor, address, action, target, outcome: "ok".into() }
    }
}

/// What an answer was about, where its request does not say it.
#[derive(Debug, Clone)]
pub(super) struct Target(pub(super) String);

/// Where requests are kept.
#[derive(Debug)]
pub(super) struct Ledger {
    audit: Audit,
    clock: Clock,
    refusals: Mutex<Refusals>,
}

impl Ledger {
    pub(super) fn new(audit: Audit, clock: Clock) -> Self {
        Self { audit, clock, refusals: Mutex::default() }
    }

    /// Something begins. What became of it must be told.
    pub(super) fn begin(&self, party: &Party, action: Action, target: Option<String>) -> Begun {
        Begun { audit: self.audit.clone(), entry: Some(party.entry(action, target)), kept: None }
    }

    /// A request was turned away before anything was done.
    pub(super) async fn refused(&self, party: &Party, path: &str, code: ErrorCode) {
        let Some(untold) = self.admit() else { return };
        let target = if untold == 0 { path.to_owned() } else { format!("{path} and {untold} more requests") };
        let entry = party.entry(Action::Rejected, Some(target));
        self.audit.note(Entry { outcome: code.as_str().into(), ..entry }).await;
    }

    /// How many refusals were not told since the last one, if this one may be.
    fn admit(&self) -> Option<u64> {
        let now = self.clock.now().mono;
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).admit(now)
    }

    /// Keeps an answer to an agent before the agent hears it.
    pub(super) fn witness<'a>(&'a self, begun: &'a mut Begun, option: Option<&'a str>) -> Witness<'a> {
        Box::new(move |session, item| {
            Box::pin(async move {
                let Some(entry) = begun.entry.take() else { return Ok(()) };
                let target = format!("{session} {item} {}", option.unwrap_or("answers"));
                let entry = Entry { target: Some(target), ..entry };
                begun.kept = Some(entry.clone());
                let settled = self.audit.settle(entry).await;
                settled.map_err(|error: AuditError| Failure::new(ErrorCode::Internal, error.to_string()))
            })
        })
    }
}

/// Something that was begun. If nobody tells how it ended, that is what is kept.
#[derive(Debug)]
pub(super) struct Begun {
    audit: Audit,
    entry: Option<Entry>,
    /// The entry of an answer that was kept before the agent heard it.
    kept: Option<Entry>,
}

impl Begun {
    /// It was answered.
    pub(super) fn answered(self, response: &Response) -> impl Future<Output = ()> + use<> {
        let target = response.extensions().get::<Target>().map(|target| target.0.clone());
        let code = response.extensions().get::<ErrorCode>().copied();
        self.ended(target, code)
    }

    /// It is over; the code tells what went wrong. An entry that was kept before stands, and a later failure is noted
    /// beside it.
    pub(super) async fn ended(mut self, target: Option<String>, code: Option<ErrorCode>) {
        let Some(entry) = self.entry.take().or_else(|| self.kept.take().filter(|_| code.is_some())) else {
            return;
        };
        let target = target.or(entry.target);
        let outcome = code.map_or(entry.outcome, |code| code.as_str().into());
        self.audit.note(Entry { target, outcome, ..entry }).await;
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            self.audit.note_at_once(&Entry { outcome: ABANDONED.into(), ..entry });
        }
    }
}

/// Whether a status says that somebody was turned away.
pub(super) fn is_refusal(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS)
}

/// How many refusals were told in this minute.
#[derive(Debug, Default)]
struct Refusals {
    minute: Option<Duration>,
    told: u32,
    untold: u64,
}

impl Refusals {
    fn admit(&mut self, now: Duration) -> Option<u64> {
        if self.minute.is_none_or(|minute| now.saturating_sub(minute) >= MINUTE) {
            (self.minute, self.told) = (Some(now), 0);
        }
        if self.told >= MOST_REFUSALS {
            self.untold += 1;
            return None;
        }
        self.told += 1;
        Some(std::mem::take(&mut self.untold))
    }
}

#[cfg(test)]
mod tests {
    use super::super::routes::ROUTES;
    use super::*;

    /// What only changes how things are shown, or is kept by its handler.
    const NOT_KEPT: [&str; 8] = [
        "/auth/code",
        "/api/agents/refresh",
        "/api/session/{id}/title",
        "/api/session/{id}/seen",
        "/api/session/{id}/archive",
        "/api/session/{id}/unarchive",
        "/api/approvals/{id}",
        "/api/ui-state",
    ];

    #[test]
    fn s50_every_route_that_acts_is_kept() {
        for route in ROUTES {
            let is_kept = action(route.verb, route.path).is_some();
            let acts = route.verb != Verb::Get && !NOT_KEPT.contains(&route.path);
            assert_eq!(is_kept, acts, "{:?} {}", route.verb, route.path);
        }
    }

    #[test]
    fn refusals_are_told_up_to_a_number_and_then_counted() {
        let mut refusals = Refusals::default();
        let second = Duration::from_secs(1);
        assert!((0..MOST_REFUSALS).all(|_| refusals.admit(second) == Some(0)));
        assert!((0..1000).all(|_| refusals.admit(second * 2).is_none()));
        assert_eq!(refusals.admit(second * 61), Some(1000));
        assert_eq!(refusals.admit(second * 61), Some(0));
    }
}
