//! A socket that notes how old what it reads is, and waits for the end of some turns. It reads no JSON, so that it costs
//! the same for both servers.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// Longer silence is a fault.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of digits of microseconds since 1970, until the year 2286.
const DIGITS: usize = 16;

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// Reads until `turns` frames held the word that ends a turn.
pub(crate) async fn listen(mut socket: Socket, turns: usize, end: &'static str) -> Vec<Duration> {
    let (mut ages, mut ended, mut seen) = (Vec::new(), 0, BTreeSet::new());
    while ended < turns {
        let message = timeout(PATIENCE, socket.next()).await.expect("a frame in time").unwrap().unwrap();
        let now = jiff::Timestamp::now().as_microsecond();
        let Message::Text(text) = message else { continue };
        ended += usize::from(text.contains(end));
        // A finished message repeats what earlier frames had.
        if let Some(said) = newest(text.as_bytes()).filter(|said| seen.insert(*said)) {
            ages.push(Duration::from_micros((now - said).unsigned_abs()));
        }
    }
    ages
}

/// The last time in a text: digits, and a space behind them.
fn newest(text: &[u8]) -> Option<i64> {
    let is_time = |window: &&[u8]| window[DIGITS] == b' ' && window[..DIGITS].iter().all(u8::is_ascii_digit);
    let window = text.windows(DIGITS + 1).rev().find(is_time)?;
    std::str::from_utf8(&window[..DIGITS]).ok()?.parse().ok()
}
