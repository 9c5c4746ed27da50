//! Taking connections. Owns every connection's task, how many there may be, and their end.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::limits::Limits;
use super::listener::{Arrival, Ends, Listener};
use super::parting::Parting;

/// After a failure to take a connection, such as when no file can be opened: soon enough to be unnoticed, rare enough
/// to cost nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// What every connection gets.
#[derive(Clone)]
struct Service {
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    stopping: watch::Receiver<bool>,
}

/// Takes connections until `shutdown`, then ends them all within the limit.
pub(super) async fn serve(
    listener: Listener,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let (stop, stopping) = watch::channel(false);
    let service = Service { tls, router, limits, stopping };
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = accept(&listener, &places) => if let Some((arrival, ends, place)) = accepted {
                let service = service.clone();
                connections.spawn(service.connection(arrival, ends, place));
            },
        }
    }
    drop(listener);
    stop.send_replace(true);
    drop(timeout(limits.stop_time, async { while connections.join_next().await.is_some() {} }).await);
    connections.shutdown().await;
}

impl Service {
    async fn connection(self, arrival: Arrival, ends: Ends, place: OwnedSemaphorePermit) {
        let Self { tls, router, limits, stopping } = self;
        match (arrival, tls) {
            (Arrival::Socket(stream), _) => {
                let stream = Parting::new(stream, place);
                connection::serve(stream, ends, router, limits, stopping).await;
            }
            (Arrival::Address(stream), None) => {
                quicken(&stream);
                let stream = Parting::new(stream, place);
                connection::serve(stream, ends, router, limits, stopping).await;
            }
            (Arrival::Address(stream), Some(tls)) => {
                quicken(&stream);
                let stream = Parting::new(stream, place);
                // Whoever dawdles or speaks no TLS is as one who never finishes a head.
                if let Ok(Ok(stream)) = timeout(limits.head_time, tls.accept(stream)).await {
                    connection::serve(stream, ends, router, limits, stopping).await;
                }
            }
        }
    }
}

/// Without it, answers wait for acknowledgements; a system that refuses it only serves slower.
fn quicken(stream: &TcpStream) {
    drop(stream.set_nodelay(true));
}

/// The next connection, once there is a place for it. Those that wait do so with the system.
async fn accept(
    listener: &Listener,
    places: &Arc<Semaphore>,
) -> Option<(Arrival, Ends, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((arrival, ends)) => Some((arrival, ends, place)),
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
