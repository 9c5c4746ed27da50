//! What an agent remembers of its sessions, as it last told. Owns when it is asked again: no list waits for an agent,
//! and none is started for a list alone more often than that is worth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::list::ListedSession;
use crate::discovery::{Listing, SessionSummary};

/// Starting an agent takes seconds and hundreds of megabytes.
const WHILE_IT_RESTS: Duration = Duration::from_secs(900);
/// One that runs anyway reads a few files. Longer than a process lives on after a list, or lists would keep it alive.
const WHILE_IT_RUNS: Duration = Duration::from_secs(15);

/// What is known of each directory.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    directories: BTreeMap<PathBuf, Told>,
    /// After a failure no directory is asked for: the next one would fail as well.
    failed_at: Option<Instant>,
    has_no_list: bool,
}

#[derive(Debug)]
struct Told {
    asked_at: Instant,
    is_asking: bool,
    sessions: Vec<SessionSummary>,
}

impl Remembered {
    /// The sessions of a directory, as they were last told.
    pub(super) fn listing(&self, directory: &Path) -> Listing {
        let told = self.state().directories.get(directory).map(|told| told.sessions.clone());
        Listing { sessions: told.unwrap_or_default(), ..Listing::default() }
    }

    /// Whether the agent should be asked again.
    pub(super) fn is_stale(&self, directory: &Path, is_running: bool) -> bool {
        self.state().is_stale(directory, is_running)
    }

    /// Notes that the agent is asked now, whatever comes of it; not if it need not be.
    pub(super) fn begin(&self, directory: &Path, is_running: bool) -> Option<Asking<'_>> {
        let mut state = self.state();
        if !state.is_stale(directory, is_running) {
            return None;
        }
        let told = state.directories.entry(directory.to_owned()).or_insert_with(Told::nothing);
        (told.asked_at, told.is_asking) = (Instant::now(), true);
        Some(Asking { remembered: self, directory: directory.to_owned() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_stale(&self, directory: &Path, is_running: bool) -> bool {
        let every = if is_running { WHILE_IT_RUNS } else { WHILE_IT_RESTS };
        let is_old = |told: &Told| !told.is_asking && told.asked_at.elapsed() >= every;
        !self.is_in_vain() && self.directories.get(directory).is_none_or(is_old)
    }

    fn is_in_vain(&self) -> bool {
        self.has_no_list || self.failed_at.is_some_and(|at| at.elapsed() < WHILE_IT_RESTS)
    }
}

impl Told {
    fn nothing() -> Self {
        Self { asked_at: Instant::now(), is_asking: false, sessions: Vec::new() }
    }
}

/// A question that is on its way.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    remembered: &'a Remembered,
    directory: PathBuf,
}

impl Asking<'_> {
    /// Whether another directory's question has shown meanwhile that there is no answer.
    pub(super) fn is_in_vain(&self) -> bool {
        self.remembered.state().is_in_vain()
    }

    /// The agent gave no answer.
    pub(super) fn failed(&self) {
        self.remembered.state().failed_at = Some(Instant::now());
    }

    /// The agent has no list, and will have none.
    pub(super) fn has_no_list(&self) {
        self.remembered.state().has_no_list = true;
    }

    /// Keeps what was told; tells whether it is news.
    pub(super) fn told(&self, listed: &[ListedSession], now: jiff::Timestamp) -> bool {
        let mut state = self.remembered.state();
        let Some(told) = state.directories.get_mut(&self.directory) else { return false };
        let first_seen = |id: &str| {
            let known = told.sessions.iter().find(|session| session.id == id);
            known.map_or(now, |known| known.last_activity)
        };
        let sessions = listed.iter().map(|listed| summary(listed, first_seen(&listed.session_id))).collect();
        let before = std::mem::replace(&mut told.sessions, sessions);
        before != told.sessions
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if let Some(told) = self.remembered.state().directories.get_mut(&self.directory) {
            told.is_asking = false;
        }
    }
}

/// A session of which the agent does not say when it was used stands where it was first seen.
fn summary(listed: &ListedSession, first_seen: jiff::Timestamp) -> SessionSummary {
    let told = listed.updated_at.as_deref().and_then(|told| told.parse().ok());
    SessionSummary {
        id: listed.session_id.clone(),
        title: listed.title.clone().filter(|title| !title.trim().is_empty()),
        first_prompt: None,
        model: None,
        model_provider: None,
        last_activity: told.unwrap_or(first_seen),
        bytes: 0,
        is_archived: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, updated_at: Option<&str>) -> ListedSession {
        let updated_at = updated_at.map(str::to_owned);
        ListedSession { session_id: id.to_owned(), cwd: None, title: Some(" ".to_owned()), updated_at }
    }

    #[tokio::test(start_paused = true)]
    async fn an_agent_is_asked_seldom_while_it_rests_and_not_twice_at_once() {
        let (remembered, here) = (Remembered::default(), Path::new("/p"));
        let asking = remembered.begin(here, false).unwrap();
        tokio::time::advance(WHILE_IT_RESTS).await;
        assert!(!remembered.is_stale(here, true), "it is being asked");
        drop(asking);
        drop(remembered.begin(here, true).unwrap());
        for (after, is_running, is_stale) in
            [(Duration::ZERO, true, false), (WHILE_IT_RUNS, true, true), (Duration::ZERO, false, false)]
        {
            tokio::time::advance(after).await;
            assert_eq!(remembered.is_stale(here, is_running), is_stale);
        }
        tokio::time::advance(WHILE_IT_RESTS).await;
        assert!(remembered.is_stale(here, false));
    }

    #[tokio::test(start_paused = true)]
    async fn an_agent_that_fails_is_left_alone_for_a_while_and_one_without_a_list_for_ever() {
        let (remembered, here, there) = (Remembered::default(), Path::new("/p"), Path::new("/q"));
        let (one, other) = (remembered.begin(here, true).unwrap(), remembered.begin(there, true).unwrap());
        one.failed();
        assert!(other.is_in_vain());
        drop((one, other));
        tokio::time::advance(WHILE_IT_RUNS).await;
        assert!(!remembered.is_stale(there, true));
        tokio::time::advance(WHILE_IT_RESTS).await;
        remembered.begin(there, true).unwrap().has_no_list();
        tokio::time::advance(WHILE_IT_RESTS).await;
        assert!(!remembered.is_stale(here, true));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_told_stays_until_something_else_is_told() {
        let (remembered, here) = (Remembered::default(), Path::new("/p"));
        let [first, later] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]
            .map(|text| text.parse::<jiff::Timestamp>().unwrap());
        let told = [listed("a", None), listed("b", Some("2026-03-01T10:00:00+01:00"))];
        let cases = [(first, &told[..], true), (later, &told[..], false), (later, &[][..], true)];
        for (now, told, is_news) in cases {
            assert_eq!(remembered.begin(here, true).unwrap().told(told, now), is_news);
            let sessions = remembered.listing(here).sessions;
            assert_eq!(sessions.len(), told.len());
            if let [one, other] = &*sessions {
                assert_eq!((one.last_activity, one.title.as_deref()), (first, None));
                assert_eq!(other.last_activity.to_string(), "2026-03-01T09:00:00Z");
            }
            tokio::time::advance(WHILE_IT_RUNS).await;
        }
    }
}
