//! The same agents behind `liminal serve`, with everything that it does: parsing, batches, storage, delivery.

use futures_util::{SinkExt, StreamExt};
use liminal_builder::http::ServerFile;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::ears::{self, Socket};
use crate::figure::CpuTime;
use crate::relay::shares;
use crate::world::{Server, World};
use crate::{Cost, Pattern};

const MOST_AGENTS: &str = "1000";

pub(crate) fn run(runtime: &Runtime, pattern: Pattern) -> Cost {
    let world = World::new().with("LIMINAL_SESSIONS_MAX_AGENTS", MOST_AGENTS);
    let server = world.begin();
    let sessions: Vec<String> = (0..pattern.agents).map(|_| world.create(&server.client)).collect();
    let sockets = runtime.block_on(subscribed(&world, &server, &sessions));
    let pid = server.pid().as_raw_nonzero().get().unsigned_abs();
    let before = CpuTime::of(pid);
    let listening = runtime.spawn(async move {
        let mut listening = JoinSet::new();
        for (socket, share) in sockets {
            listening.spawn(ears::listen(socket, share, "turn_complete"));
        }
        listening.join_all().await.concat()
    });
    for session in &sessions {
        assert_eq!(server.client.send(session, &pattern.prompt()).status, 202);
    }
    let ages = runtime.block_on(listening).unwrap();
    let cost = Cost { cpu: CpuTime::of(pid).since(before), ages };
    server.kill();
    cost
}

/// Sockets that follow all sessions, as the page does it, each with how many it follows.
async fn subscribed(world: &World, server: &Server, sessions: &[String]) -> Vec<(Socket, usize)> {
    let token = ServerFile::read(&world.data()).unwrap().token;
    let (mut rest, mut sockets) = (sessions, Vec::new());
    for share in shares(sessions.len()) {
        let (own, others) = rest.split_at(share);
        rest = others;
        sockets.push((follow(server, &token, own).await, share));
    }
    sockets
}

async fn follow(server: &Server, token: &str, sessions: &[String]) -> Socket {
    let address = server.client.address;
    let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let connection = TcpStream::connect(address).await.unwrap();
    connection.set_nodelay(true).unwrap();
    let (mut socket, _) = client_async(request, connection).await.unwrap();
    for session in sessions {
        let frame = json!({ "type": "session:subscribe", "sessionId": session, "encoding": "append" });
        socket.send(Message::text(frame.to_string())).await.unwrap();
    }
    let mut histories = 0;
    while histories < sessions.len() {
        let message = socket.next().await.unwrap().unwrap();
        histories += usize::from(message.is_text() && message.to_text().unwrap().contains("session:history"));
    }
    socket
}
