//! Who can reach the server beyond a browser on this machine: sockets in the file system, TLS, proxies.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use liminal_builder::clock::Clock;
use liminal_builder::http::ServerFile;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

use super::harness::Call;
use crate::support::{Running, liminal, run};

struct Program {
    child: Running,
    home: TempDir,
    greeting: String,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    /// The same with settings by their variables.
    fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        let own = ["serve", "--no-open", "--data-dir", data.to_str().unwrap()];
        let mut command = liminal(&[&own[..], arguments].concat());
        command.env("HOME", home.path()).env("PATH", "/usr/bin:/bin").current_dir(home.path());
        command.envs(variables.iter().copied());
        let mut child = Running(command.spawn().unwrap());
        let mut greeting = String::new();
        BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
        Self { child, home, greeting }
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    fn file(&self) -> ServerFile {
        ServerFile::read(&self.data()).unwrap()
    }

    fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.file().port))
    }

    /// What a command of ours prints that asks the server.
    fn ask(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let data = self.data();
        let output = run(&[arguments, &["--data-dir", data.to_str().unwrap()]].concat(), "");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// The addresses at which it listens.
    fn listening(&self) -> Vec<String> {
        let folder = format!("/proc/{}/fd", self.child.0.id());
        let links = fs::read_dir(folder).unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        let inodes: BTreeSet<String> = links
            .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
            .collect();
        let tables =
            ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
        let lines = tables.iter().flat_map(|table| table.lines());
        let fields = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        // 0A is the state of a socket that listens; the tenth field is its inode.
        let own = fields.filter(|fields| fields.get(3) == Some(&"0A") && inodes.contains(fields[9]));
        own.map(|fields| fields[1].to_owned()).collect()
    }
}

/// Sends a request without a body to whatever takes it; gives status line, headers and body.
fn talk(
    mut stream: impl Read + Write,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A server that hangs up without a word of farewell has still said what it said.
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

#[test]
fn s12_by_default_only_this_machine_can_reach_it() {
    let program = Program::start(&["--port", "0"]);
    let listening = program.listening();
    assert_eq!(listening.len(), 1, "{listening:?}");
    assert!(listening[0].starts_with("0100007F:"), "{listening:?}");
}

#[test]
fn s11_other_machines_are_let_in_only_by_two_flags() {
    let data = tempfile::tempdir().unwrap();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let output = run(
            &[
                "serve",
                "--no-open",
                "--host",
                host,
                "--port",
                "0",
                "--data-dir",
                data.path().to_str().unwrap(),
            ],
            "",
        );
        let told = String::from_utf8(output.stderr).unwrap();
        assert_ne!(output.status.code(), Some(0), "{told}");
        assert!(told.contains("--tls-cert") && told.contains("--insecure-http"), "{told}");
    }
}

#[test]
fn d23_a_socket_serves_its_owner_and_no_address_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own/socket");
    let program = Program::start(&["--socket", path.to_str().unwrap()]);
    assert_eq!(program.greeting.trim_end(), format!("Liminal Builder is at unix:{}", path.display()));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(program.listening(), Vec::<String>::new());
    let file = program.file();
    assert_eq!((file.url, file.port), (format!("unix:{}", path.display()), 0));
    let bearer = format!("Bearer {}", file.token);
    for (host, expected) in [("localhost", 200), ("evil.example", 403), ("localhost:4747", 403)] {
        let stream = UnixStream::connect(&path).unwrap();
        let answer = talk(stream, "GET", "/api/meta", &[("Host", host), ("Authorization", &bearer)], "");
        assert_eq!(status(&answer), expected, "{host}: {answer}");
    }
    let anonymous =
        talk(UnixStream::connect(&path).unwrap(), "GET", "/api/meta", &[("Host", "localhost")], "");
    assert_eq!(status(&anonymous), 401, "{anonymous}");
    let (code, out, err) = program.ask(&["ls", "--json"]);
    assert_eq!((code, out.trim()), (Some(0), "[]"), "{err}");
    let pid = rustix::process::Pid::from_child(&program.child.0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let Program { mut child, .. } = program;
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
    assert!(!path.exists(), "the socket goes with its server");
}

#[test]
fn c43_d23_idle_connections_without_credentials_do_not_keep_the_owner_out_of_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own/socket");
    let limits = [("LIMINAL_LIMITS_CONNECTIONS", "64"), ("LIMINAL_LIMITS_HEADER_SECONDS", "600")];
    let program = Program::start_with(&["--socket", path.to_str().unwrap()], &limits);
    let _idle: Vec<_> = (0..100).map(|_| UnixStream::connect(&path).unwrap()).collect();
    let bearer = format!("Bearer {}", program.file().token);
    let stream = UnixStream::connect(&path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let answer = talk(stream, "GET", "/api/meta", &[("Host", "localhost"), ("Authorization", &bearer)], "");
    assert_eq!(status(&answer), 200, "{answer}");
}

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A connection as a browser makes it that trusts the certificate.
fn secure(address: SocketAddr) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(fixture("certificate.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(client, TcpStream::connect(address).unwrap())
}

#[test]
fn d24_d06_with_a_certificate_everything_goes_over_tls() {
    let (certificate, key) = (fixture("certificate.pem"), fixture("key.pem"));
    let program = Program::start(&["--port", "0", "--tls-cert", &certificate, "--tls-key", &key]);
    let (address, file) = (program.address(), program.file());
    assert_eq!(file.url, format!("https://{address}"));
    let (host, bearer) = (address.to_string(), format!("Bearer {}", file.token));
    let plain = talk(TcpStream::connect(address).unwrap(), "GET", "/", &[("Host", &host)], "");
    assert!(!plain.contains("200 OK"), "{plain}");
    let page = talk(secure(address), "GET", "/", &[("Host", &host)], "");
    assert!(status(&page) == 200 && page.contains(&format!("wss://{address}")), "{page}");
    let meta = talk(secure(address), "GET", "/api/meta", &[("Host", &host), ("Authorization", &bearer)], "");
    assert_eq!(status(&meta), 200, "{meta}");

    let (code, url, err) = program.ask(&["url"]);
    assert_eq!(code, Some(0), "{err}");
    let (origin, one_time) = url.trim_end().rsplit_once("/#c=").unwrap();
    assert_eq!(origin, file.url);
    let body = format!("{{\"code\":\"{one_time}\"}}");
    let exchange = |origin: &str| {
        talk(secure(address), "POST", "/auth/exchange", &[("Host", &host), ("Origin", origin)], &body)
    };
    assert_eq!(status(&exchange(&format!("http://{address}"))), 403, "an origin has a scheme");
    let answer = exchange(origin).to_ascii_lowercase();
    assert_eq!(status(&answer), 200, "{answer}");
    let cookie = answer.lines().find(|line| line.starts_with("set-cookie: ")).unwrap();
    assert!(cookie.starts_with("set-cookie: __host-liminal_") && cookie.ends_with("; secure"), "{cookie}");

    ServerFile { certificate: Some("0".repeat(64)), ..file }.write(&program.data()).unwrap();
    assert_eq!(program.ask(&["url"]).0, Some(69), "a server with another certificate is another server");
}

#[test]
fn d24_a_certificate_that_cannot_be_used_is_told() {
    let data = tempfile::tempdir().unwrap();
    let (certificate, key) = (fixture("certificate.pem"), fixture("key.pem"));
    let serve = |more: &[&str]| {
        let own = ["serve", "--no-open", "--port", "0", "--data-dir", data.path().to_str().unwrap()];
        let output = run(&[&own[..], more].concat(), "");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (flags, told) in [
        (vec!["--tls-cert", &certificate], "--tls-key"),
        (vec!["--tls-cert", &key, "--tls-key", &key], "cannot read a certificate from"),
        (vec!["--tls-cert", &certificate, "--tls-key", &certificate], "cannot read a private key from"),
        (
            vec!["--tls-cert", "/nowhere.pem", "--tls-key", &key],
            "cannot read a certificate from /nowhere.pem",
        ),
    ] {
        let (code, err) = serve(&flags);
        assert!(code.is_some_and(|code| code != 0) && err.contains(told), "{flags:?}: {code:?} {err}");
    }
}

/// Waits for something in the audit log, which is written beside the answers.
fn assert_audited(data: &Path, what: &str) {
    let clock = Clock::start();
    let log = || fs::read_to_string(data.join("audit.log")).unwrap_or_default();
    while !log().contains(what) {
        assert!(clock.now().mono < Duration::from_secs(30), "{}", log());
        std::thread::yield_now();
    }
}

#[test]
fn d24_s18_behind_a_proxy_its_name_and_its_word_count_once_they_are_set() {
    let flags = ["--port", "0", "--public-url", "https://builder.example", "--trusted-proxy", "127.0.0.1"];
    let program = Program::start(&flags);
    let url = program.greeting.trim_end().strip_prefix("Liminal Builder is at ").unwrap();
    let (origin, code) = url.rsplit_once("/#c=").unwrap();
    assert_eq!(origin, "https://builder.example");
    let call = |method: &str, path: &str| {
        let call = Call::new(program.address(), method, path).with("Host", "builder.example");
        call.with("X-Forwarded-For", "192.0.2.1, 203.0.113.7")
    };
    let page = call("GET", "/").send();
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.header("content-security-policy").unwrap().contains("wss://builder.example;"), "{page:?}");
    assert_eq!(call("GET", "/api/meta").send().status, 401);
    assert_audited(&program.data(), r#""address":"203.0.113.7""#);
    let exchange = |origin: &str| {
        let call =
            call("POST", "/auth/exchange").with("Origin", origin).with("Content-Type", "application/json");
        call.body(&format!("{{\"code\":\"{code}\"}}")).send()
    };
    assert_eq!(exchange("http://builder.example").status, 403);
    let answer = exchange(origin);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.header("set-cookie").unwrap().starts_with("__Host-"), "{answer:?}");

    let program = Program::start(&["--port", "0"]);
    let call = Call::new(program.address(), "GET", "/api/meta").with("Host", &program.address().to_string());
    assert_eq!(call.with("X-Forwarded-For", "203.0.113.7").send().status, 401);
    assert_audited(&program.data(), r#""address":"127.0.0.1""#);
    let foreign = Call::new(program.address(), "GET", "/").with("Host", "builder.example");
    assert_eq!(foreign.send().status, 403);
}
