//! Who may use the server. Owns the token of programs, the sessions of browsers and the one-time codes that begin
//! them; knows nothing of requests beyond what [`Presented`] took out of one.
//!
//! A browser sends two halves: a cookie, which every other port of this machine also sees, and a key, which only pages
//! of our own origin can read. Neither alone opens anything.

mod code_book;
mod codes;
mod cookie_names;
mod logins;
mod presented;
mod secret;
mod sessions;
mod shared_logins;
mod throttle;
mod token;

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_core::time::Now;
use tokio::sync::watch;

use super::host::Authority;
use crate::cluster::Cluster;
use code_book::CodeBook;
use codes::CodeFault;
use throttle::Throttle;

pub use cookie_names::CookieNames;
pub use logins::BrowserLogins;
pub use presented::Presented;
pub use secret::{Digest, Secret};
pub use sessions::{BrowserSession, BrowserSessions, InMemory, Pending, StoreFault};
pub use shared_logins::SharedLogins;
pub use token::ProgramToken;

/// Who sent a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A program with the token.
    Token,
    /// A browser; the digest of its cookie tells which.
    Browser(Digest),
    /// Anybody on this machine, because the user wants no credentials.
    Anyone,
}

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub enum CredentialFault {
    /// Nothing was sent, or half of it.
    #[error("open the address that `liminal url` prints, or send the token from server.json")]
    Missing,
    /// What was sent is not valid, or not any more.
    #[error("these credentials are not valid; open the address that `liminal url` prints")]
    Wrong,
    /// Nobody made such a code, or its time is over.
    #[error("this code is not valid any more; `liminal url` prints a new address")]
    CodeInvalid,
    /// Somebody was let in with this code before.
    #[error(
        "this code was used before; if that was not you, close those sessions with `liminal auth rotate`"
    )]
    CodeUsed,
    /// Too many wrong attempts; how long to wait.
    #[error("too many wrong credentials were sent")]
    TooMany(Duration),
    /// Somebody may be let in by another server, or is to be logged out by it, and Redis does not answer.
    #[error("Redis does not answer; {0}")]
    Unreachable(&'static str),
    /// The sessions could not be read or written.
    #[error("the browser sessions cannot be read")]
    Store(#[source] Box<dyn Error + Send + Sync>),
}

/// Both halves of a new browser session, in the only moment in which they are known.
#[derive(Debug)]
pub struct NewBrowser {
    /// The value of the cookie.
    pub cookie: Secret,
    /// The key.
    pub key: Secret,
}

/// Everything that opens the server.
pub struct Credentials {
    token: Arc<ProgramToken>,
    cookie_names: CookieNames,
    sessions: Arc<dyn BrowserSessions>,
    codes: CodeBook,
    throttle: Mutex<Throttle>,
}

impl Credentials {
    /// Credentials of a server, which takes codes of `others` too.
    #[must_use]
    pub fn new(
        cookie_names: CookieNames,
        token: Arc<ProgramToken>,
        sessions: Arc<dyn BrowserSessions>,
        others: Option<Cluster>,
    ) -> Self {
        Self { token, cookie_names, sessions, codes: CodeBook::new(others), throttle: Mutex::default() }
    }

    /// The token of programs.
    #[must_use]
    pub fn token(&self) -> &ProgramToken {
        &self.token
    }

    /// The name of the cookie for those who came under a name of the server's.
    #[must_use]
    pub fn cookie_name(&self, under: &Authority) -> &str {
        self.cookie_names.under(under)
    }

    /// A new one-time code.
    pub async fn new_code(&self, now: Now) -> Secret {
        self.codes.issue(now.mono).await
    }

    /// Lets a browser in that shows a code, once.
    pub async fn exchange(&self, code: &str, peer: IpAddr, now: Now) -> Result<NewBrowser, CredentialFault> {
        let redeemed = self.codes.redeem(code, now.mono).await;
        redeemed.map_err(|fault| self.refuse(fault.into(), peer, now))?;
        let browser = NewBrowser { cookie: Secret::of_256_bits(), key: Secret::of_256_bits() };
        let (cookie, key) = (browser.cookie.digest(), browser.key.digest());
        self.sessions.add(BrowserSession { cookie, key, seen: now.wall }).await?;
        Ok(browser)
    }

    /// Tells who sent what was presented. Right credentials are never slowed down by somebody's wrong ones.
    pub async fn check(
        &self,
        presented: &Presented<'_>,
        peer: IpAddr,
        now: Now,
    ) -> Result<Caller, CredentialFault> {
        let caller = match presented {
            Presented::Nothing => return Err(CredentialFault::Missing),
            Presented::Unreadable => None,
            Presented::Bearer(token) => self.token.is(token).then_some(Caller::Token),
            Presented::Browser { cookies, key } => self.browser(cookies, key, now).await?,
        };
        caller.ok_or_else(|| self.refuse(CredentialFault::Wrong, peer, now))
    }

    /// Ends every browser's session, every code that waits, and the token of programs. If other servers cannot be told,
    /// all of it is done here before that is said.
    pub async fn rotate(&self) -> Result<(), CredentialFault> {
        self.codes.clear();
        let told = match self.sessions.remove_all().await {
            Err(StoreFault::Unreachable) => Err(CredentialFault::Unreachable(
                "everybody was logged out here, and will be at the other servers when it does",
            )),
            other => Ok(other?),
        };
        self.token.rotate().map_err(|error| CredentialFault::Store(Box::new(error)))?;
        told
    }

    /// Hears whether other servers have logged everybody out, and tells them whom this one has let in.
    pub async fn catch_up(&self) -> Result<(), StoreFault> {
        self.sessions.catch_up().await
    }

    /// How many browser sessions wait to be saved; none where nothing is saved.
    #[must_use]
    pub fn unsaved(&self) -> Option<watch::Receiver<usize>> {
        self.sessions.unsaved()
    }

    /// Saves the browser sessions that wait for it.
    pub async fn save(&self) -> Result<(), StoreFault> {
        self.sessions.save().await
    }

    /// Comes when another server has logged all browsers out.
    #[must_use]
    pub fn ended(&self) -> Option<watch::Receiver<()>> {
        self.sessions.ended()
    }

    async fn browser(
        &self,
        cookies: &[&str],
        key: &str,
        now: Now,
    ) -> Result<Option<Caller>, CredentialFault> {
        let (cookies, key) =
            (cookies.iter().map(|cookie| Digest::of(cookie)).collect::<Vec<_>>(), Digest::of(key));
        let mut strangers = Vec::new();
        for cookie in &cookies {
            match self.current(cookie, now) {
                Some(session) if session.key.matches(key) => return Ok(Some(self.seen(&session, now))),
                Some(_) => {}
                None => strangers.push(*cookie),
            }
        }
        if strangers.is_empty() {
            return Ok(None);
        }
        self.sessions.look(&strangers).await?;
        let known = strangers.iter().filter_map(|cookie| self.current(cookie, now));
        Ok(known.filter(|session| session.key.matches(key)).map(|session| self.seen(&session, now)).next())
    }

    fn current(&self, cookie: &Digest, now: Now) -> Option<BrowserSession> {
        self.sessions.find(cookie).filter(|session| session.is_current(now.wall))
    }

    fn seen(&self, session: &BrowserSession, now: Now) -> Caller {
        if session.is_stale(now.wall) {
            self.sessions.seen(&session.cookie, now.wall);
        }
        Caller::Browser(session.cookie)
    }

    fn refuse(&self, fault: CredentialFault, peer: IpAddr, now: Now) -> CredentialFault {
        // Nobody knows whether that was wrong.
        if matches!(fault, CredentialFault::Unreachable(_)) {
            return fault;
        }
        lock(&self.throttle).failed(peer, now.mono).map_or(fault, CredentialFault::TooMany)
    }
}

/// Shows nothing secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Credentials")
            .field("cookie_names", &self.cookie_names)
            .finish_non_exhaustive()
    }
}

impl From<CodeFault> for CredentialFault {
    fn from(fault: CodeFault) -> Self {
        match fault {
            CodeFault::Unknown => Self::CodeInvalid,
            CodeFault::Used => Self::CodeUsed,
            CodeFault::Unreachable => Self::Unreachable(
                "this code may be of another server; open the address again in a moment, or a new one that \
                 `liminal url` prints",
            ),
        }
    }
}

impl From<StoreFault> for CredentialFault {
    fn from(fault: StoreFault) -> Self {
        match fault {
            StoreFault::Failed(cause) => Self::Store(cause),
            StoreFault::LoggedOut => Self::CodeInvalid,
            StoreFault::Unreachable => {
                Self::Unreachable("another server may have let you in; try again in a moment")
            }
        }
    }
}

/// What is behind these locks is whole between any two statements, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
