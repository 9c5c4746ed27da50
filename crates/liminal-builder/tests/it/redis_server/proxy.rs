//! A wire that can be made bad: slow, stuck, cut, or cut in the middle of an answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// What is wrong with the wire now.
#[derive(Debug, Clone)]
struct Faults {
    target: u16,
    /// Connections made before this number are cut.
    generation: u64,
    /// New connections are closed at once.
    is_refusing: bool,
    /// Nothing passes, in either direction.
    is_stalled: bool,
    /// How long an answer is under way.
    latency: Duration,
    /// Answers arrive in pieces of at most so many bytes.
    piece: usize,
}

struct Wire {
    faults: watch::Sender<Faults>,
    /// How many more bytes of answers pass before connections are cut; the largest number is for ever.
    allowance: AtomicU64,
    opened: AtomicU64,
}

/// Passes connections on to a server on this machine. Its tasks end with it.
pub(crate) struct Proxy {
    address: SocketAddr,
    wire: Arc<Wire>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    pub(crate) async fn start(target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let faults = Faults {
            target,
            generation: 0,
            is_refusing: false,
            is_stalled: false,
            latency: Duration::ZERO,
            piece: usize::MAX,
        };
        let wire = Arc::new(Wire {
            faults: watch::Sender::new(faults),
            allowance: AtomicU64::new(u64::MAX),
            opened: AtomicU64::new(0),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&wire)));
        Self { address, wire, _tasks: tasks }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}/", self.address)
    }

    /// How many connections were asked for so far.
    pub(crate) fn opened(&self) -> u64 {
        self.wire.opened.load(Ordering::Relaxed)
    }

    /// Ends every connection there is.
    pub(crate) fn cut(&self) {
        self.wire.cut();
    }

    /// Ends every connection and lets no new one through.
    pub(crate) fn refuse(&self) {
        self.change(|faults| faults.is_refusing = true);
        self.cut();
    }

    /// Holds back everything without ending a connection.
    pub(crate) fn stall(&self) {
        self.change(|faults| faults.is_stalled = true);
    }

    /// Lets everything through again, at once and whole.
    pub(crate) fn heal(&self) {
        self.wire.allowance.store(u64::MAX, Ordering::Relaxed);
        self.change(|faults| {
            (faults.is_refusing, faults.is_stalled) = (false, false);
            (faults.latency, faults.piece) = (Duration::ZERO, usize::MAX);
        });
    }

    /// Every answer takes so much longer; those behind it do not wait for it.
    pub(crate) fn delay(&self, latency: Duration) {
        self.change(|faults| faults.latency = latency);
    }

    /// Answers arrive in pieces of so many bytes.
    pub(crate) fn split(&self, piece: usize) {
        self.change(|faults| faults.piece = piece.max(1));
    }

    /// So many bytes of answers pass, then the connection they were on is cut, wherever that is. No further answer
    /// passes until the wire is healed.
    pub(crate) fn cut_answers_after(&self, bytes: u64) {
        self.wire.allowance.store(bytes, Ordering::Relaxed);
    }

    /// New connections lead elsewhere, and those there are end.
    pub(crate) fn lead_to(&self, target: u16) {
        self.change(|faults| faults.target = target);
        self.cut();
    }

    fn change(&self, change: impl FnOnce(&mut Faults)) {
        self.wire.faults.send_modify(change);
    }
}

impl Wire {
    fn cut(&self) {
        self.faults.send_modify(|faults| faults.generation += 1);
    }

    /// How many of so many bytes pass. Fewer than asked for is the end of the connection.
    fn allow(&self, bytes: u64) -> u64 {
        let take = |left: u64| (left != u64::MAX).then(|| left.saturating_sub(bytes));
        let before = self.allowance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.map_or(bytes, |left| left.min(bytes))
    }
}

async fn accept(listener: TcpListener, wire: Arc<Wire>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { return };
        while connections.try_join_next().is_some() {}
        wire.opened.fetch_add(1, Ordering::Relaxed);
        let faults = wire.faults.subscribe();
        if !faults.borrow().is_refusing {
            connections.spawn(connect(client, faults, Arc::clone(&wire)));
        }
    }
}

async fn connect(client: TcpStream, mut faults: watch::Receiver<Faults>, wire: Arc<Wire>) {
    let (target, generation) = {
        let faults = faults.borrow_and_update();
        (faults.target, faults.generation)
    };
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else { return };
    client.set_nodelay(true).ok();
    server.set_nodelay(true).ok();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (sender, receiver) = mpsc::channel(1024);
    tokio::select! {
        () = ask(from_client, to_server, faults.clone()) => {}
        () = collect(from_server, sender, faults.clone()) => {}
        () = answer(to_client, receiver, faults.clone(), &wire) => {}
        _ = faults.wait_for(|faults| faults.generation > generation) => {}
    }
}

async fn ask(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut faults: watch::Receiver<Faults>,
) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        open(&mut faults).await;
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

type Due = (tokio::time::Instant, Vec<u8>);

async fn collect(mut from: impl AsyncRead + Unpin, to: mpsc::Sender<Due>, faults: watch::Receiver<Faults>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let due = tokio::time::Instant::now() + faults.borrow().latency;
        if to.send((due, buffer[..count].to_vec())).await.is_err() {
            return;
        }
    }
    // What is under way still arrives; then whoever answers ends the connection.
    drop(to);
    std::future::pending::<()>().await;
}

async fn answer(
    mut to: impl AsyncWrite + Unpin,
    mut answers: mpsc::Receiver<Due>,
    mut faults: watch::Receiver<Faults>,
    wire: &Wire,
) {
    while let Some((due, bytes)) = answers.recv().await {
        tokio::time::sleep_until(due).await;
        open(&mut faults).await;
        let passing = usize::try_from(wire.allow(bytes.len() as u64)).unwrap_or(usize::MAX);
        let piece = faults.borrow().piece;
        for part in bytes[..passing].chunks(piece) {
            if to.write_all(part).await.is_err() || to.flush().await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
        if passing < bytes.len() {
            return;
        }
    }
}

/// Waits while nothing passes.
async fn open(faults: &mut watch::Receiver<Faults>) {
    faults.wait_for(|faults| !faults.is_stalled).await.ok();
}
