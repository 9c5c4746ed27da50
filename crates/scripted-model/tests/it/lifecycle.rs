//! Start, end, and what the server remembers.

use std::net::SocketAddr;

use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use scripted_model::{Options, ScriptedModel, StartError};

use crate::client::{ask, open, request, send, start};

#[tokio::test]
async fn only_loopback_addresses_are_served() {
    for address in ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"] {
        let address: SocketAddr = address.parse().unwrap();
        let error = ScriptedModel::start(Options { address, ..Options::default() }).await.unwrap_err();
        assert!(matches!(error, StartError::NotLoopback(refused) if refused == address), "{error}");
    }
}

#[tokio::test]
async fn a_taken_port_is_an_error_with_advice() {
    let model = start().await;
    let address: SocketAddr = model.url().strip_prefix("http://").unwrap().parse().unwrap();
    let error = ScriptedModel::start(Options { address, ..Options::default() }).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot listen on {address}: choose another port, or 0 for a free one")
    );
}

#[tokio::test]
async fn requests_are_remembered_in_order() {
    let model = start().await;
    send(&model, "HEAD", "/", "").await.unwrap();
    ask(&model, "say:one").await;
    send(&model, "GET", "/else", "").await.unwrap();
    let requests = model.requests();
    let seen: Vec<_> = requests
        .iter()
        .map(|request| {
            (request.method.as_str(), request.path.as_str(), request.model.as_str(), request.stream)
        })
        .collect();
    let expected = [
        ("HEAD", "/", "", false),
        ("POST", "/v1/messages?beta=true", "claude-test", true),
        ("GET", "/else", "", false),
    ];
    assert_eq!(seen, expected);
    assert_eq!(requests[1].prompt, "say:one");
    assert!(requests[1].body_bytes > 50);
}

#[tokio::test]
async fn shutdown_ends_a_stalled_connection() {
    let model = start().await;
    let mut stream = stalled(&model).await;
    let address = model.url().strip_prefix("http://").unwrap().to_owned();
    model.shutdown().await;
    read_to_the_end(&mut stream).await;
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn dropping_the_handle_ends_the_server() {
    let model = start().await;
    let mut stream = stalled(&model).await;
    drop(model);
    read_to_the_end(&mut stream).await;
}

async fn stalled(model: &scripted_model::Running) -> TcpStream {
    let body = request(&json!([{ "role": "user", "content": "stall" }]), true).to_string();
    let mut stream = open(model, "POST", "/v1/messages", &body).await;
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains("text_delta") {
        stream.read_buf(&mut received).await.unwrap();
    }
    stream
}

/// A connection that was closed or reset has ended; the test hangs when neither happens.
async fn read_to_the_end(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    while stream.read_buf(&mut rest).await.is_ok_and(|count| count > 0) {}
}
