//! A copy of the audit log for the machine's own. Owns the socket that leads there. What that one does not take is
//! missing only there: nothing here waits for it.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;

/// Of the facility for what concerns authorisation, and for information.
const PRIORITY: u8 = 10 * 8 + 6;

#[derive(Debug)]
pub(super) struct Syslog {
    path: PathBuf,
    socket: Option<UnixDatagram>,
    /// One line about a log that is gone is enough until it is back.
    is_told: bool,
}

impl Syslog {
    pub(super) const fn at(path: PathBuf) -> Self {
        Self { path, socket: None, is_told: false }
    }

    /// Passes a line on. The other side may have been started anew since the last one.
    pub(super) fn tell(&mut self, line: &str) {
        let message = format!("<{PRIORITY}>liminal-builder[{}]: {}", std::process::id(), line.trim_end());
        let is_taken = self.send(&message) || self.send(&message);
        if !is_taken && !self.is_told {
            tracing::warn!(path = %self.path.display(), "the system's log does not take entries of the audit log");
        }
        self.is_told = !is_taken;
    }

    fn send(&mut self, message: &str) -> bool {
        if self.socket.is_none() {
            self.socket = self.connect();
        }
        let is_sent = self.socket.as_ref().is_some_and(|socket| socket.send(message.as_bytes()).is_ok());
        if !is_sent {
            self.socket = None;
        }
        is_sent
    }

    fn connect(&self) -> Option<UnixDatagram> {
        let socket = UnixDatagram::unbound().ok()?;
        socket.set_nonblocking(true).ok()?;
        socket.connect(&self.path).ok()?;
        Some(socket)
    }
}
