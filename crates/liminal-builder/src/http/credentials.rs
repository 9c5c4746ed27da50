//! Who may use the server. Owns the token of programs, the sessions of browsers and the one-time codes that begin
//! them; knows nothing of requests beyond what [`Presented`] took out of one.
//!
//! A browser sends two halves: a cookie, which every other port of this machine also sees, and a key, which only pages
//! of our own origin can read. Neither alone opens anything.

mod codes;
mod logins;
mod presented;
mod secret;
mod sessions;
mod throttle;
mod token;

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_core::time::Now;

use codes::{CodeFault, Codes};
use throttle::Throttle;

pub use logins::BrowserLogins;
pub use presented::Presented;
pub use secret::{Digest, Secret};
pub use sessions::{BrowserSession, BrowserSessions, InMemory, Pending, StoreFault};
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
    cookie_name: String,
    secure_cookie_name: String,
    sessions: Arc<dyn BrowserSessions>,
    codes: Mutex<Codes>,
    throttle: Mutex<Throttle>,
}

impl Credentials {
    /// The cookie's name tells servers of one machine apart: by port, and by `instance` where a port is used by one
    /// after the other.
    #[must_use]
    pub fn new(
        port: u16,
        instance: &str,
        token: Arc<ProgramToken>,
        sessions: Arc<dyn BrowserSessions>,
    ) -> Self {
        Self {
            token,
            cookie_name: format!("liminal_{port}_{instance}"),
            secure_cookie_name: format!("__Host-liminal_{port}_{instance}"),
            sessions,
            codes: Mutex::default(),
            throttle: Mutex::default(),
        }
    }

    /// The token of programs.
    #[must_use]
    pub fn token(&self) -> &ProgramToken {
        &self.token
    }

    /// The name of the cookie. Over TLS it is one that browsers take from nobody but this very server.
    #[must_use]
    pub fn cookie_name(&self, is_secure: bool) -> &str {
        if is_secure { &self.secure_cookie_name } else { &self.cookie_name }
    }

    /// A new one-time code.
    #[must_use]
    pub fn new_code(&self, now: Now) -> Secret {
        lock(&self.codes).issue(now.mono)
    }

    /// Lets a browser in that shows a code, once.
    pub async fn exchange(&self, code: &str, peer: IpAddr, now: Now) -> Result<NewBrowser, CredentialFault> {
        // The lock is given back before anything else is asked for.
        let redeemed = lock(&self.codes).redeem(code, now.mono);
        redeemed.map_err(|fault| self.refuse(fault.into(), peer, now))?;
        let browser = NewBrowser { cookie: Secret::of_256_bits(), key: Secret::of_256_bits() };
        let (cookie, key) = (browser.cookie.digest(), browser.key.digest());
        self.sessions.add(BrowserSession { cookie, key, seen: now.wall }).await?;
        Ok(browser)
    }

    /// Tells who sent what was presented. Right credentials are never slowed down by somebody's wrong ones.
    pub fn check(
        &self,
        presented: &Presented<'_>,
        peer: IpAddr,
        now: Now,
    ) -> Result<Caller, CredentialFault> {
        let caller = match presented {
            Presented::Nothing => return Err(CredentialFault::Missing),
            Presented::Unreadable => None,
            Presented::Bearer(token) => self.token.is(token).then_some(Caller::Token),
            Presented::Browser { cookies, key } => self.browser(cookies, key, now),
        };
        caller.ok_or_else(|| self.refuse(CredentialFault::Wrong, peer, now))
    }

    /// Ends every browser's session, every code that waits, and the token of programs.
    pub async fn rotate(&self) -> Result<(), CredentialFault> {
        lock(&self.codes).clear();
        self.sessions.remove_all().await?;
        self.token.rotate().map_err(|error| CredentialFault::Store(Box::new(error)))
    }

    /// Another port may have planted a cookie of our name, so each that came is tried.
    fn browser(&self, cookies: &[&str], key: &str, now: Now) -> Option<Caller> {
        let key = Digest::of(key);
        for cookie in cookies {
            let cookie = Digest::of(cookie);
            let session = self.sessions.find(&cookie).filter(|session| session.is_current(now.wall));
            let Some(session) = session.filter(|session| session.key.matches(key)) else { continue };
            if session.is_stale(now.wall) {
                self.sessions.seen(&cookie, now.wall);
            }
            return Some(Caller::Browser(cookie));
        }
        None
    }

    fn refuse(&self, fault: CredentialFault, peer: IpAddr, now: Now) -> CredentialFault {
        lock(&self.throttle).failed(peer, now.mono).map_or(fault, CredentialFault::TooMany)
    }
}

/// Shows nothing secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Credentials").field("cookie_name", &self.cookie_name).finish_non_exhaustive()
    }
}

impl From<CodeFault> for CredentialFault {
    fn from(fault: CodeFault) -> Self {
        match fault {
            CodeFault::Unknown => Self::CodeInvalid,
            CodeFault::Used => Self::CodeUsed,
        }
    }
}

impl From<StoreFault> for CredentialFault {
    fn from(StoreFault(cause): StoreFault) -> Self {
        Self::Store(cause)
    }
}

/// What is behind these locks is whole between any two statements, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
