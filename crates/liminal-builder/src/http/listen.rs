//! Taking connections. Owns every connection's task and its end.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::limits::Limits;
use super::listener::{Arrival, Ends, Listener};
use super::parting::Parting;
use super::places::{Place, Places};

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
    let (places, mut connections) = (Places::new(limits), JoinSet::new());
    let mut waiting = None;
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            // One is taken from the system before there is a place for it, so that guests leave only for somebody.
            arrived = accept(&listener, &places), if waiting.is_none() => waiting = arrived,
            place = places.take(), if waiting.is_some() => if let Some((arrival, ends)) = waiting.take() {
                connections.spawn(service.clone().connection(arrival, ends, place));
            },
        }
    }
    drop(waiting);
    drop(listener);
    stop.send_replace(true);
    drop(timeout(limits.stop_time, async { while connections.join_next().await.is_some() {} }).await);
    connections.shutdown().await;
}

impl Service {
    async fn connection(self, arrival: Arrival, ends: Ends, place: Place) {
        let standing = place.standing();
        tokio::select! {
            // What the client has sent already is read first: it may be its credentials.
            biased;
            () = self.serve(arrival, ends, place) => {}
            () = standing.dismissed() => {}
        }
    }

    async fn serve(self, arrival: Arrival, ends: Ends, place: Place) {
        let Self { tls, router, limits, stopping } = self;
        let standing = place.standing();
        match (arrival, tls) {
            (Arrival::Socket(stream), _) => {
                let stream = Parting::new(stream, place);
                connection::serve(stream, (ends, standing), router, limits, stopping).await;
            }
            (Arrival::Address(stream), None) => {
                quicken(&stream);
                let stream = Parting::new(stream, place);
                connection::serve(stream, (ends, standing), router, limits, stopping).await;
            }
            (Arrival::Address(stream), Some(tls)) => {
                quicken(&stream);
                let stream = Parting::new(stream, place);
                // Whoever dawdles or speaks no TLS is as one who never finishes a head.
                if let Ok(Ok(stream)) = timeout(limits.head_time, tls.accept(stream)).await {
                    connection::serve(stream, (ends, standing), router, limits, stopping).await;
                }
            }
        }
    }
}

/// Without it, answers wait for acknowledgements; a system that refuses it only serves slower.
fn quicken(stream: &TcpStream) {
    drop(stream.set_nodelay(true));
}

/// The next connection. Cancel-safe.
async fn accept(listener: &Listener, places: &Places) -> Option<(Arrival, Ends)> {
    match listener.accept().await {
        Ok(arrived) => Some(arrived),
        Err(error) => {
            pause_after(&error, places).await;
            None
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the owner of the listener waits for the system")]
async fn pause_after(error: &io::Error, places: &Places) {
    // A client that went away before it was taken says nothing about the next.
    if !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) {
        // Each connection is a file.
        places.relieve();
        tokio::time::sleep(PAUSE).await;
    }
}
