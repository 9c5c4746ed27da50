//! One connection. Owns how long a client may take for the head of a request and between requests; knows nothing of
//! what is asked.
//!
//! The time that hyper gives to a head includes the silence before it. Here a head gets little time and silence much,
//! so the bytes that begin a head are watched for.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::timeout;

use super::gate::{Local, Peer};
use super::limits::Limits;
use super::listener::Ends;
use super::places::Standing;

/// Serves a connection to its end, or until `stopping` and what it has begun by then.
pub(super) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    (ends, standing): (Ends, Standing),
    router: Router,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) {
    let phase = Phase::new(standing);
    let service = service_fn(answering(router, ends, phase.clone()));
    let stream = TokioIo::new(Watched { stream, phase: phase.clone() });
    let mut connection = pin!(builder(limits).serve_connection(stream, service).with_upgrades());
    tokio::select! {
        // A connection fails by what its client does; there is nobody to tell.
        _ = connection.as_mut() => return,
        () = phase.late_head(limits) => return,
        _ = stopping.wait_for(|&stopping| stopping) => {}
    }
    if phase.get() == Step::Head {
        return;
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}

fn builder(limits: Limits) -> Builder {
    let mut builder = Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_time)
        .max_headers(limits.head_fields)
        .max_header_size(limits.head_bytes);
    builder
}

type Answer = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// Gives requests to the router, with the addresses they come from and to.
fn answering(router: Router, ends: Ends, phase: Phase) -> impl Fn(Request<Incoming>) -> Answer {
    let router = TowerToHyperService::new(router);
    move |mut request| {
        phase.set(Step::Busy);
        request.extensions_mut().insert(Peer(ends.peer));
        request.extensions_mut().insert(phase.standing.clone());
        if let Some(local) = ends.local {
            request.extensions_mut().insert(Local(local));
        }
        let (answer, phase) = (router.call(request), phase.clone());
        Box::pin(async move {
            let answer = answer.await;
            phase.set(Step::Between);
            answer
        })
    }
}

/// Where a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// New, or inside the head of a request.
    Head,
    /// Inside a request.
    Busy,
    /// A response was given; it may still be on its way.
    Between,
}

#[derive(Debug, Clone)]
struct Phase {
    step: Arc<watch::Sender<Step>>,
    standing: Standing,
}

impl Phase {
    fn new(standing: Standing) -> Self {
        Self { step: Arc::new(watch::Sender::new(Step::Head)), standing }
    }

    fn get(&self) -> Step {
        *self.step.borrow()
    }

    fn set(&self, step: Step) {
        self.step.send_replace(step);
        match step {
            Step::Busy => self.standing.busy(),
            Step::Head | Step::Between => self.standing.idle(),
        }
    }

    fn bytes_came(&self) {
        let begins_head = self.step.send_if_modified(|step| {
            let begins = *step == Step::Between;
            if begins {
                *step = Step::Head;
            }
            begins
        });
        if begins_head {
            self.standing.idle();
        }
    }

    /// Comes when a head took too long.
    async fn late_head(&self, limits: Limits) {
        let mut steps = self.step.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        while steps.wait_for(|step| *step == Step::Head).await.is_ok() {
            let ended = timeout(limits.head_time, steps.wait_for(|step| *step != Step::Head)).await;
            if ended.is_err() {
                return;
            }
        }
    }
}

/// A stream that notes when its client says or takes something.
#[derive(Debug)]
struct Watched<S> {
    stream: S,
    phase: Phase,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before {
            self.phase.bytes_came();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.phase.standing.advanced();
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, slices))?;
        self.phase.standing.advanced();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
