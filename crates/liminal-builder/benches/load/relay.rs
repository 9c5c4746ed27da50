//! The floor: a process that starts agents and forwards each of their lines to a WebSocket client. It parses nothing and
//! stores nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;

use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, client_async};

use crate::ears::{self, Socket};
use crate::figure::CpuTime;
use crate::{Cost, Pattern};

/// Lines that wait for a client.
const WAITING: usize = 1_024;

/// Is the relay: prints its port, then serves clients until it is ended.
pub(crate) async fn serve() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let mut clients = JoinSet::new();
    loop {
        let (connection, _) = listener.accept().await.unwrap();
        connection.set_nodelay(true).unwrap();
        clients.spawn(async move { forward(accept_async(connection).await.unwrap()).await });
    }
}

/// The first message is how many agents there are to be, the second one what they are told.
async fn forward(mut client: Socket) {
    let count: usize = text(&mut client).await.parse().unwrap();
    let mut agents: Vec<Child> = (0..count).map(|_| agent()).collect();
    client.send(Message::text("ready")).await.unwrap();
    let prompt = text(&mut client).await + "\n";
    let (sender, mut lines) = mpsc::channel(WAITING);
    let mut readers = JoinSet::new();
    for agent in &mut agents {
        readers.spawn(read(agent.stdout.take().unwrap(), sender.clone()));
        agent.stdin.as_mut().unwrap().write_all(prompt.as_bytes()).await.unwrap();
    }
    drop(sender);
    let mut waiting = Vec::new();
    while lines.recv_many(&mut waiting, WAITING).await > 0 {
        for line in waiting.drain(..) {
            client.feed(Message::text(line)).await.unwrap();
        }
        if client.flush().await.is_err() {
            return;
        }
    }
}

async fn read(output: tokio::process::ChildStdout, sender: mpsc::Sender<String>) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if sender.send(line).await.is_err() {
            return;
        }
    }
}

fn agent() -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    command.spawn().unwrap()
}

async fn text(socket: &mut Socket) -> String {
    loop {
        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
            return text.to_string();
        }
    }
}

/// Runs a pattern through a relay of its own.
pub(crate) async fn run(pattern: Pattern) -> Cost {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--relay").stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut relay = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(relay.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, line.trim().parse().expect("a port")));
    let mut sockets = Vec::new();
    for share in shares(pattern.agents) {
        sockets.push((ready(address, share).await, share));
    }
    let pid = relay.id().unwrap();
    let before = CpuTime::of(pid);
    let prompt = json!({ "type": "user", "message": { "role": "user", "content": pattern.prompt() } });
    let mut listening = JoinSet::new();
    for (mut socket, share) in sockets {
        socket.send(Message::text(prompt.to_string())).await.unwrap();
        listening.spawn(ears::listen(socket, share, "\"type\":\"result\""));
    }
    let ages = listening.join_all().await.concat();
    Cost { cpu: CpuTime::of(pid).since(before), ages }
}

async fn ready(address: SocketAddr, agents: usize) -> Socket {
    let connection = TcpStream::connect(address).await.unwrap();
    connection.set_nodelay(true).unwrap();
    let (mut socket, _) = client_async(format!("ws://{address}/"), connection).await.unwrap();
    socket.send(Message::text(agents.to_string())).await.unwrap();
    assert_eq!(text(&mut socket).await, "ready");
    socket
}

/// How many agents each socket has: no more than a socket of ours may subscribe to in a second.
pub(crate) fn shares(agents: usize) -> impl Iterator<Item = usize> {
    const MOST: usize = 40;
    (0..agents).step_by(MOST).map(move |first| (agents - first).min(MOST))
}
