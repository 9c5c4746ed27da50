//! The direct path: a process that spawns an agent and forwards each of its lines, unparsed, to a WebSocket client.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use crate::deltas::Shown;
use crate::dialect::Dialect;
use crate::listener::Listener;
use crate::spawned::Spawned;

/// Is the relay: prints its port, then serves one client to its end.
pub(crate) async fn serve(program: PathBuf, arguments: Vec<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let (connection, _) = listener.accept().await.unwrap();
    connection.set_nodelay(true).unwrap();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    forward(accept_async(connection).await.unwrap(), command.kill_on_drop(true).spawn().unwrap()).await;
}

async fn forward(mut client: WebSocketStream<TcpStream>, mut agent: Child) {
    let mut input = agent.stdin.take().unwrap();
    let mut lines = BufReader::new(agent.stdout.take().unwrap()).lines();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { break };
                client.send(Message::text(line)).await.unwrap();
            }
            message = client.next() => {
                let Some(Ok(Message::Text(text))) = message else { break };
                input.write_all(format!("{text}\n").as_bytes()).await.unwrap();
            }
        }
    }
    agent.kill().await.unwrap();
}

/// A running relay and its client.
pub(crate) struct Relay {
    dialect: Dialect,
    listener: Listener,
    session: String,
    process: Child,
}

impl Relay {
    pub(crate) async fn start(dialect: Dialect, spawned: &Spawned) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("relay").arg(&spawned.program).arg("--").args(&spawned.arguments);
        command.env_clear().envs(spawned.variables.iter().cloned()).current_dir(&spawned.directory);
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, line.trim().parse().expect("a port")));
        let mut listener = Listener::connect(address, "/", None).await;
        let mut session = String::new();
        for request in dialect.beginning(&spawned.directory) {
            listener.send(&request).await;
            session = dialect.session(&listener.until(|line| dialect.is_answer(line)).await);
        }
        Self { dialect, listener, session, process }
    }

    /// One prompt; gives what its client had of the answer, and when.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Vec<Shown> {
        self.listener.send(&self.dialect.prompt(&self.session, prompt)).await;
        let (mut shown, mut bytes) = (Vec::new(), 0);
        loop {
            let (at, line) = self.listener.next().await;
            if self.dialect.is_end(&line) {
                return shown;
            }
            if let Some(text) = self.dialect.delta(&line) {
                bytes += text.len();
                shown.push(Shown { at, bytes });
            }
        }
    }

    /// Its agent ends with the connection.
    pub(crate) async fn end(mut self) {
        drop(self.listener);
        self.process.wait().await.unwrap();
    }
}
