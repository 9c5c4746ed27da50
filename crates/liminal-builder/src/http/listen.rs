//! Taking connections. Owns every connection's task, how many there may be, and their end.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::connection;
use super::limits::Limits;

/// After a failure to take a connection, such as when no file can be opened: soon enough to be unnoticed, rare enough
/// to cost nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes connections until `shutdown`, then ends them all within the limit.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let (stop, stopping) = watch::channel(false);
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = accept(&listener, &places) => if let Some((stream, peer, place)) = accepted {
                let (router, stopping) = (router.clone(), stopping.clone());
                connections.spawn(async move {
                    connection::serve(stream, peer.ip(), router, limits, stopping).await;
                    drop(place);
                });
            },
        }
    }
    drop(listener);
    stop.send_replace(true);
    drop(timeout(limits.stop_time, async { while connections.join_next().await.is_some() {} }).await);
    connections.shutdown().await;
}

/// The next connection, once there is a place for it. Those that wait do so with the system.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, place)),
        Err(error) => {
            pause_after(&error).await;
            None
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the owner of the listener waits for the system")]
async fn pause_after(error: &io::Error) {
    // A client that went away before it was taken says nothing about the next.
    if !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) {
        tokio::time::sleep(PAUSE).await;
    }
}
