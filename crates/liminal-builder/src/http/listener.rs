//! Where connections come in: an address, with or without TLS, or a socket in the file system. Owns that a socket is for
//! its owner alone; what is said over a connection is not known here.

use std::fs::{self, Permissions};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// At an address.
    Address(SocketAddr),
    /// At a place in the file system.
    Socket(PathBuf),
}

/// What takes connections.
#[derive(Debug)]
pub(super) enum Listener {
    Address(TcpListener),
    Socket(UnixListener, SocketFile),
}

/// A connection that came.
#[derive(Debug)]
pub(super) enum Arrival {
    Address(TcpStream),
    Socket(UnixStream),
}

/// Both ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    /// Who asks. A socket's clients are this machine's own.
    pub(super) peer: IpAddr,
    /// By which of our addresses, if it was one.
    pub(super) local: Option<SocketAddr>,
}

impl Listener {
    pub(super) async fn bind(endpoint: &Endpoint) -> io::Result<Self> {
        Ok(match endpoint {
            Endpoint::Address(address) => Self::Address(TcpListener::bind(address).await?),
            Endpoint::Socket(path) => {
                let (listener, file) = bind_socket(path).await?;
                Self::Socket(listener, file)
            }
        })
    }

    /// Where it listens; the port is known now.
    pub(super) fn endpoint(&self) -> io::Result<Endpoint> {
        Ok(match self {
            Self::Address(listener) => Endpoint::Address(listener.local_addr()?),
            Self::Socket(_, SocketFile(path)) => Endpoint::Socket(path.clone()),
        })
    }

    /// The next connection.
    pub(super) async fn accept(&self) -> io::Result<(Arrival, Ends)> {
        match self {
            Self::Address(listener) => {
                let (stream, peer) = listener.accept().await?;
                let ends = Ends { peer: peer.ip(), local: stream.local_addr().ok() };
                Ok((Arrival::Address(stream), ends))
            }
            Self::Socket(listener, _) => {
                let (stream, _) = listener.accept().await?;
                // The file's mode keeps others out; on some systems it does not count.
                if !is_own(stream.peer_cred()?.uid()) {
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
                Ok((Arrival::Socket(stream), Ends { peer, local: None }))
            }
        }
    }
}

fn is_own(user: u32) -> bool {
    user == rustix::process::geteuid().as_raw()
}

/// A socket's file, which goes with the socket.
#[derive(Debug)]
pub(super) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

async fn bind_socket(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    crate::private_file::make_directory(folder)?;
    // Between the socket's making and the change of its mode, only the directory keeps others out.
    let metadata = fs::metadata(folder)?;
    if !is_own(metadata.uid()) || metadata.mode() & 0o077 != 0 {
        let problem =
            format!("others can look into {}; use a directory of mode 700 that is yours", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    remove_leftover(path).await?;
    let listener = UnixListener::bind(path)?;
    let file = SocketFile(path.to_owned());
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok((listener, file))
}

/// A server that was killed leaves its socket; one that answers is somebody's.
async fn remove_leftover(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    if !metadata.file_type().is_socket() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "there is a file that is no socket; move it away",
        ));
    }
    if UnixStream::connect(path).await.is_ok() {
        return Err(io::ErrorKind::AddrInUse.into());
    }
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn d23_a_socket_is_for_its_owner_and_replaces_only_a_dead_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own/socket");
        let endpoint = Endpoint::Socket(path.clone());
        let first = Listener::bind(&endpoint).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
        let taken = Listener::bind(&endpoint).await.unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        let Listener::Socket(listener, file) = first else { panic!("it is a socket") };
        drop(listener);
        // As a kill leaves it.
        std::mem::forget(file);
        let second = Listener::bind(&endpoint).await.unwrap();
        drop(second);
        assert!(!path.exists(), "it goes with its server");
        fs::write(&path, "precious").unwrap();
        assert!(Listener::bind(&endpoint).await.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }

    #[tokio::test]
    async fn d23_a_directory_that_others_see_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let refused = Listener::bind(&Endpoint::Socket(folder.path().join("socket"))).await.unwrap_err();
        assert!(refused.to_string().contains("mode 700"), "{refused}");
        assert!(is_own(rustix::process::geteuid().as_raw()) && !is_own(u32::MAX));
    }
}
