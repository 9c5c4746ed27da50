//! How much a client may ask of the server. Owns the numbers and their reasons.

use std::time::Duration;

/// Limits of connections and requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once, sockets among them. Browsers open six each; a process may have 1,024 files open on many systems.
    pub connections: usize,
    /// From a connection, or the first byte of a further request, to the end of its head.
    pub head_time: Duration,
    /// Between a response and the first byte of the next request.
    pub idle_time: Duration,
    /// From the end of a head to the end of its body.
    pub body_time: Duration,
    /// What is given to requests that run when the server is stopped.
    pub stop_time: Duration,
    /// Bytes of a head. Cookies of all programs on this machine's ports come with every request.
    pub head_bytes: usize,
    /// Fields of a head.
    pub head_fields: usize,
    /// Bytes of a body. Prompts with pasted files fit.
    pub body_bytes: usize,
    /// Bytes of a body that carries a file.
    pub file_bytes: usize,
    /// Bytes of a message from a socket.
    pub message_bytes: usize,
    /// A socket that takes nothing for so long is closed; its client comes back with its cursor.
    pub stall_time: Duration,
}

/// Enough for the pages of several browsers at once.
const MOST_GUESTS: usize = 256;

impl Limits {
    /// Connections at once on which nothing was authenticated yet. The other places are for those with credentials.
    #[must_use]
    pub fn guests(&self) -> usize {
        (self.connections / 4).clamp(1, MOST_GUESTS)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            head_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(75),
            body_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(5),
            head_bytes: 16 * 1024,
            head_fields: 64,
            body_bytes: 1024 * 1024,
            file_bytes: 8 * 1024 * 1024,
            message_bytes: 1024 * 1024,
            stall_time: Duration::from_secs(30),
        }
    }
}
