//! The settings by section, with their defaults. Owns what each is called in code, and its form for whoever uses it.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use liminal_core::processor::{self, Profile};
use liminal_core::session::Patience;

use super::confining::{VariableNames, WrapperWords};
use super::reading::{Filter, HostName};
use crate::http;
use crate::http::web_origin::WebOrigin;
use crate::log::Durability;

/// `[listen]`: where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// The address.
    pub host: IpAddr,
    /// The port; 0 takes any free one.
    pub port: u16,
    /// A socket in the file system, instead of an address.
    pub socket: Option<PathBuf>,
    /// The certificate of the server.
    pub tls_cert: Option<PathBuf>,
    /// Its private key.
    pub tls_key: Option<PathBuf>,
}

/// `[storage]`: what is kept on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    /// Canonical events of one session.
    pub event_rows: u64,
    /// Their size in MiB.
    pub event_mib: u64,
    /// MiB at which the database counts as full; 0 leaves that to the disk.
    pub database_mib: u64,
    /// Where data lies, if not at the usual place.
    pub data_dir: Option<PathBuf>,
}

/// `[sessions]`: how sessions are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    /// Minutes after which an agent that nobody asks anything is ended; its session goes on when it is used again.
    pub idle_minutes: u64,
    /// Seconds more than those minutes.
    pub idle_seconds: u64,
    /// Agents that run at once.
    pub max_agents: u64,
    /// Minutes after which an unanswered permission request is rejected automatically. 0, with 0 seconds: never.
    pub permission_minutes: u64,
    /// Seconds more than those minutes.
    pub permission_seconds: u64,
    /// Seconds of silence in a turn after which that is told.
    pub stall_seconds: u64,
    /// Messages that wait for a turn's end, for each session.
    pub queue_length: u64,
    /// What a session's outputs have survived when they are seen.
    pub durability: Durability,
}

/// `[batch]`: how what agents say is gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Tokens that must be exceeded for the 1st, 2nd, … state of an item; the last repeats.
    pub gradient: Vec<u64>,
    /// Milliseconds of silence after which what an item has gathered goes out.
    pub idle_ms: u64,
    /// Milliseconds within which an item's first words go out.
    pub first_emission_ms: u64,
}

/// `[limits]`: how much clients may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once.
    pub connections: u64,
    /// Seconds for the head of a request.
    pub header_seconds: u64,
    /// Seconds for the body of a request.
    pub body_seconds: u64,
    /// Seconds that a connection may wait for its next request.
    pub idle_seconds: u64,
    /// Seconds given to requests that run when the server is stopped.
    pub stop_seconds: u64,
    /// KiB of a head.
    pub header_kib: u64,
    /// Fields of a head.
    pub header_fields: u64,
    /// KiB of a body.
    pub body_kib: u64,
    /// KiB of a body that carries a file.
    pub file_kib: u64,
    /// KiB of a message from a WebSocket.
    pub message_kib: u64,
    /// Seconds after which a socket that takes nothing is closed.
    pub stall_seconds: u64,
}

/// `[security]`: what is let through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line of the file that stands for itself")]
pub struct Security {
    /// The variables that agents get, beside the few without which nothing runs; without it, nearly all.
    pub agent_env: VariableNames,
    /// A command that every agent is started through.
    pub agent_wrapper: WrapperWords,
    /// Whether a session may run without asking at all.
    pub allow_bypass: bool,
    /// More names by which the server may be addressed.
    pub allowed_hosts: Vec<HostName>,
    /// Origins of other pages that may ask with the token.
    pub cors_origins: Vec<WebOrigin>,
    /// Whether other machines may ask without TLS.
    pub insecure_http: bool,
    /// Whether everybody on this machine may ask, without credentials.
    pub insecure_no_auth: bool,
    /// Whether a Redis of another machine may be shared without TLS or a password.
    pub insecure_redis: bool,
    /// Where browsers reach the server through a proxy.
    pub public_url: Option<WebOrigin>,
    /// Proxies whose word on the client's address counts.
    pub trusted_proxies: Vec<IpAddr>,
}

/// `[logging]`: what the server tells of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Logging {
    /// How much.
    pub level: Filter,
    /// Where to, if not standard error or the data directory.
    pub file: Option<PathBuf>,
    /// The socket of the system's log, if the audit log is to be there too.
    pub syslog: Option<PathBuf>,
}

impl Default for Listen {
    fn default() -> Self {
        Self { host: Ipv4Addr::LOCALHOST.into(), port: 4747, socket: None, tls_cert: None, tls_key: None }
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self { event_rows: 100_000, event_mib: 32, database_mib: 0, data_dir: None }
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            idle_minutes: 10,
            idle_seconds: 0,
            max_agents: 20,
            permission_minutes: 0,
            permission_seconds: 0,
            stall_seconds: 60,
            queue_length: 50,
            durability: Durability::Grouped,
        }
    }
}

impl Default for Batch {
    fn default() -> Self {
        // Slow models must show their first words within 200 ms, however few they are.
        Self { gradient: vec![10, 20, 40, 80, 120], idle_ms: 1000, first_emission_ms: 150 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            header_seconds: 10,
            body_seconds: 30,
            idle_seconds: 75,
            stop_seconds: 5,
            header_kib: 16,
            header_fields: 64,
            body_kib: 1024,
            file_kib: 8192,
            message_kib: 1024,
            stall_seconds: 30,
        }
    }
}

impl Storage {
    /// The size that the events of one session may take.
    #[must_use]
    pub fn event_bytes(&self) -> usize {
        mib(self.event_mib)
    }

    /// The size at which the database counts as full, if not the disk decides.
    #[must_use]
    pub fn database_bytes(&self) -> Option<u64> {
        (self.database_mib > 0).then_some(self.database_mib << 20)
    }
}

impl Sessions {
    /// How long an agent may be idle.
    #[must_use]
    pub const fn idle(&self) -> Duration {
        let seconds = self.idle_minutes * 60 + self.idle_seconds;
        // Without any patience an agent would be ended before its first message has reached it.
        Duration::from_secs(if seconds == 0 { 1 } else { seconds })
    }

    /// When an unanswered permission request is rejected automatically, if ever.
    #[must_use]
    pub const fn permission(&self) -> Option<Duration> {
        let seconds = self.permission_minutes * 60 + self.permission_seconds;
        if seconds == 0 { None } else { Some(Duration::from_secs(seconds)) }
    }

    /// How patient a session is with a turn.
    #[must_use]
    pub fn patience(&self) -> Patience {
        Patience { stall: Duration::from_secs(self.stall_seconds), ..Patience::default() }
    }
}

impl Batch {
    /// The settings of a session's processor.
    #[must_use]
    pub fn processor(&self) -> processor::Config {
        processor::Config::new(Profile::UpsertV1)
            .with_gradient(&self.gradient)
            .with_idle_timeout(Duration::from_millis(self.idle_ms))
            .with_first_emission(Duration::from_millis(self.first_emission_ms))
            .announcing_arguments()
    }
}

impl Security {
    /// More names by which the server may be addressed.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.allowed_hosts.iter().map(HostName::to_string).collect()
    }
}

impl Limits {
    /// The limits of the HTTP server.
    #[must_use]
    pub fn http(&self) -> http::Limits {
        http::Limits {
            connections: size(self.connections),
            head_time: Duration::from_secs(self.header_seconds),
            idle_time: Duration::from_secs(self.idle_seconds),
            body_time: Duration::from_secs(self.body_seconds),
            stop_time: Duration::from_secs(self.stop_seconds),
            head_bytes: kib(self.header_kib),
            head_fields: size(self.header_fields),
            body_bytes: kib(self.body_kib),
            file_bytes: kib(self.file_kib),
            message_bytes: kib(self.message_kib),
            stall_time: Duration::from_secs(self.stall_seconds),
        }
    }
}

/// Every number is checked against a bound far below this when it is read.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn kib(number: u64) -> usize {
    size(number).saturating_mul(1 << 10)
}

fn mib(number: u64) -> usize {
    size(number).saturating_mul(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_their_owners() {
        assert_eq!(Limits::default().http(), http::Limits::default());
        assert_eq!(Sessions::default().patience(), Patience::default());
        let log = crate::log::sqlite::Settings::default();
        assert_eq!((log.event_rows, log.event_bytes), (100_000, Storage::default().event_bytes()));
    }
}
