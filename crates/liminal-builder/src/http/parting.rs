//! How a connection is left. Owns that what was said last arrives, and a connection's place until its very end; what is
//! said is not known here.
//!
//! A system resets a connection that is closed before everything that came was read, and a client that is reset may
//! never see the answer that refused it, or why its socket was closed. So whoever is still speaking is heard out for a
//! moment, without listening.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::places::Place;

/// Long enough for the longest message on this machine, shorter than anything else that a place can be held with.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a connection's bytes come from and go to.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

/// A stream that hears its client out when it is dropped.
#[derive(Debug)]
pub(super) struct Parting<S: Stream> {
    /// Nothing while it is dropped.
    own: Option<(S, Place)>,
    /// The client has said everything.
    is_over: bool,
}

impl<S: Stream> Parting<S> {
    pub(super) const fn new(stream: S, place: Place) -> Self {
        Self { own: Some((stream, place)), is_over: false }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut S>> {
        let (stream, _) = self.own.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        Ok(Pin::new(stream))
    }
}

impl<S: Stream> Drop for Parting<S> {
    fn drop(&mut self) {
        if let (Some((stream, place)), false, Ok(runtime)) =
            (self.own.take(), self.is_over, Handle::try_current())
        {
            runtime.spawn(async move {
                let standing = place.standing();
                tokio::select! {
                    biased;
                    () = standing.dismissed() => {}
                    _ = timeout(PATIENCE, hear_out(stream)) => {}
                }
                drop(place);
            });
        }
    }
}

async fn hear_out(mut stream: impl Stream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut bytes = [0; 4096];
    while stream.read(&mut bytes).await? > 0 {}
    Ok(())
}

impl<S: Stream> AsyncRead for Parting<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.remaining();
        let read = ready!(self.stream()?.poll_read(context, buffer));
        self.is_over = read.is_err() || (before > 0 && buffer.remaining() == before);
        Poll::Ready(read)
    }
}

impl<S: Stream> AsyncWrite for Parting<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.own.as_ref().is_some_and(|(stream, _)| stream.is_write_vectored())
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::Instant;

    use super::super::limits::Limits;
    use super::super::places::Places;
    use super::*;

    /// One place.
    fn places() -> Places {
        Places::new(Limits { connections: 1, ..Limits::default() })
    }

    async fn is_free(places: &Places) -> bool {
        tokio::time::timeout_at(Instant::now(), places.take()).await.is_ok()
    }

    async fn pair(places: &Places) -> (TcpStream, Parting<TcpStream>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let place = places.take().await;
        (client, Parting::new(listener.accept().await.unwrap().0, place))
    }

    #[tokio::test]
    async fn whoever_is_still_speaking_hears_the_last_word() {
        let places = places();
        let (mut client, mut server) = pair(&places).await;
        client.write_all(&[0; 1000]).await.unwrap();
        server.write_all(b"no").await.unwrap();
        drop(server);
        assert!(!is_free(&places).await);
        client.write_all(&vec![0; 1 << 20]).await.unwrap();
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).await.unwrap();
        assert_eq!(heard, b"no");
        drop(client);
        drop(places.take().await);
    }

    #[tokio::test]
    async fn whoever_never_stops_is_left_after_a_moment() {
        let places = places();
        let (mut client, server) = pair(&places).await;
        drop(server);
        while client.write_all(&[0; 4096]).await.is_ok() {}
        drop(places.take().await);
    }

    #[tokio::test]
    async fn does_not_wait_for_a_client_that_has_to_leave() {
        let places = places();
        let (mut client, server) = pair(&places).await;
        let begun = Instant::now();
        drop(server);
        drop(places.take().await);
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
        assert_eq!(client.read(&mut [0; 8]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn nobody_waits_for_whoever_has_gone() {
        let places = places();
        let (client, mut server) = pair(&places).await;
        drop(client);
        assert_eq!(server.read(&mut [0; 8]).await.unwrap(), 0);
        drop(server);
        assert!(is_free(&places).await);
    }
}
