//! One address before several servers, as a reverse proxy shows them: every connection leads to the next server, and to
//! the one after it if that one is gone.

use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::json;

use super::super::client::{Answer, Client, answer};
use super::super::world::PATIENCE;

pub(super) struct Front {
    address: SocketAddr,
    servers: Arc<Mutex<Vec<SocketAddr>>>,
    /// Which server each connection was led to.
    led: Arc<Mutex<Vec<SocketAddr>>>,
    accepting: Option<JoinHandle<()>>,
}

impl Front {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (servers, led) = (Arc::default(), Arc::default());
        let address = listener.local_addr().unwrap();
        let (to, noted) = (Arc::clone(&servers), Arc::clone(&led));
        let accepting = Some(std::thread::spawn(move || accept(&listener, &to, &noted)));
        Self { address, servers, led, accepting }
    }

    /// How browsers call it.
    pub(super) fn url(&self) -> String {
        format!("http://builder.localhost:{}", self.address.port())
    }

    pub(super) fn leads_to(&self, client: &Client) {
        self.servers.lock().unwrap().push(client.address);
    }

    /// How many connections were led to a server.
    pub(super) fn led_to(&self, client: &Client) -> usize {
        self.led.lock().unwrap().iter().filter(|address| **address == client.address).count()
    }

    /// What a page sends that was not let in.
    pub(super) fn stranger(&self) -> Client {
        let url = self.url();
        let host = url.trim_start_matches("http://");
        Client { address: self.address, headers: format!("Host: {host}\r\nOrigin: {url}\r\n") }
    }

    /// Opens an address with a one-time code, as a browser does.
    pub(super) fn let_in(&self, code: &str) -> Client {
        let (answer, cookie) = self.exchange(code);
        assert_eq!(answer.status, 200, "{answer:?}");
        let key = answer.json()["key"].as_str().unwrap().to_owned();
        let stranger = self.stranger();
        let headers = format!("{}Cookie: {}\r\nX-Liminal-Key: {key}\r\n", stranger.headers, cookie.unwrap());
        Client { headers, ..stranger }
    }

    /// The answer to a code, and the cookie that came with it.
    pub(super) fn exchange(&self, code: &str) -> (Answer, Option<String>) {
        let stranger = self.stranger();
        let mut stream = stranger.connect().unwrap();
        let request = stranger.request("POST", "/auth/exchange", Some(&json!({ "code": code })));
        stream.write_all(request.as_bytes()).unwrap();
        let answer = answer(&mut stream).unwrap();
        let cookie = answer.head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_cookie = name.eq_ignore_ascii_case("set-cookie");
            is_cookie.then(|| value.trim().split(';').next().unwrap_or_default().to_owned())
        });
        (answer, cookie)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.servers.lock().unwrap().clear();
        // The last connection finds nobody, and ends it.
        drop(TcpStream::connect(self.address));
        self.accepting.take().map(JoinHandle::join);
    }
}

fn accept(listener: &TcpListener, servers: &Mutex<Vec<SocketAddr>>, led: &Mutex<Vec<SocketAddr>>) {
    for (number, client) in listener.incoming().enumerate() {
        let servers = servers.lock().unwrap().clone();
        if servers.is_empty() {
            return;
        }
        let turns = servers.iter().cycle().skip(number % servers.len()).take(servers.len());
        let found = turns.into_iter().find_map(|address| Some((address, TcpStream::connect(address).ok()?)));
        let (Ok(client), Some((address, server))) = (client, found) else { continue };
        led.lock().unwrap().push(*address);
        let pass = |from: &TcpStream, to: &TcpStream| {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            std::thread::spawn(move || pass_on(from, to));
        };
        pass(&client, &server);
        pass(&server, &client);
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    from.set_nodelay(true).ok();
    io::copy(&mut from, &mut to).ok();
    to.shutdown(Shutdown::Write).ok();
    // Nobody waits for ever for whoever does not close its half.
    to.set_read_timeout(Some(PATIENCE)).ok();
}
