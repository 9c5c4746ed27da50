//! `liminal serve`, `liminal url` and `liminal auth` as people run them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use liminal_builder::http::ServerFile;
use tempfile::TempDir;

use super::harness::{Call, send};
use crate::support::{Running, liminal, run};

struct Program {
    child: Running,
    data: TempDir,
    line: String,
}

impl Program {
    fn start(host: &str) -> Self {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("inner/data");
        let arguments =
            ["serve", "--no-open", "--host", host, "--port", "0", "--data-dir", folder.to_str().unwrap()];
        let mut child = Running(liminal(&arguments).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, data, line: line.trim_end().to_owned() }
    }

    fn folder(&self) -> std::path::PathBuf {
        self.data.path().join("inner/data")
    }

    fn file(&self) -> ServerFile {
        ServerFile::read(&self.folder()).unwrap()
    }

    fn ask(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let folder = self.folder();
        let output = run(&[arguments, &["--data-dir", folder.to_str().unwrap()]].concat(), "");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn exchange(&self, url: &str) -> u16 {
        let (server, code) = url.trim_end().rsplit_once("/#c=").expect(url);
        let address: SocketAddr = server.strip_prefix("http://").unwrap().parse().unwrap();
        let call = Call::new(address, "POST", "/auth/exchange").with("Host", &address.to_string());
        let call = call.with("Origin", server).with("Content-Type", "application/json");
        call.body(&format!("{{\"code\":\"{code}\"}}")).send().status
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn one_line_tells_where_a_browser_is_let_in() {
    let program = Program::start("127.0.0.1");
    let url = program.line.strip_prefix("Liminal Builder is at ").expect(&program.line);
    let (server, code) = url.rsplit_once("/#c=").expect(url);
    assert_eq!(server, program.file().url);
    assert!(code.len() == 32 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
    assert_eq!(program.exchange(url), 200);
    assert_eq!(program.exchange(url), 401);
}

#[test]
fn the_server_file_is_for_its_owner_alone_and_tells_the_token() {
    let mut program = Program::start("127.0.0.1");
    let (folder, file) = (program.folder(), program.file());
    assert_eq!((mode(&folder), mode(&folder.join("server.json"))), (0o700, 0o600));
    assert_eq!((file.pid, file.token.len()), (program.child.0.id(), 64));
    assert_eq!(file.url, format!("http://127.0.0.1:{}", file.port));
    let address = SocketAddr::from(([127, 0, 0, 1], file.port));
    let agents = Call::new(address, "GET", "/api/agents").with("Host", &address.to_string());
    let agents = agents.with("Authorization", &format!("Bearer {}", file.token)).send();
    assert_eq!(agents.status, 200);
    let agents: serde_json::Value = serde_json::from_str(&agents.body).unwrap();
    assert_eq!(agents[0]["name"], "claude-code");
    terminate(&program.child);
    assert_eq!(program.child.0.wait().unwrap().code(), Some(0));
    assert!(!folder.join("server.json").exists());
}

fn terminate(child: &Running) {
    let pid = rustix::process::Pid::from_child(&child.0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

#[test]
fn the_running_server_is_asked_for_a_new_address() {
    let program = Program::start("127.0.0.1");
    let (status, first, _) = program.ask(&["url"]);
    assert_eq!(status, Some(0));
    assert_eq!(program.exchange(&first), 200);
    let (_, second, _) = program.ask(&["url"]);
    let before = program.file();
    assert_eq!(program.ask(&["auth", "rotate"]).0, Some(0));
    assert_eq!(program.exchange(&second), 401);
    let after = program.file();
    assert_ne!(before.token, after.token);
    assert_eq!((before.url, before.pid), (after.url, after.pid));
    assert_eq!(program.ask(&["url"]).0, Some(0), "the new token is where programs look for it");
}

#[test]
fn without_a_server_there_is_no_address() {
    let program = Program::start("127.0.0.1");
    let file = program.file();
    let folder = program.folder();
    let Program { child, data, .. } = program;
    drop(child);
    let ask = || run(&["url", "--data-dir", folder.to_str().unwrap()], "");
    // Killed, it left its file behind.
    file.write(&folder).unwrap();
    for _ in 0..2 {
        let output = ask();
        assert_eq!(output.status.code(), Some(69));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("start one with `liminal serve`") && !told.contains(&file.token), "{told}");
        drop(fs::remove_file(folder.join("server.json")));
    }
    drop(data);
}

/// What the page asks for, by the attribute in front of it.
fn addresses(page: &str, start: &str) -> Vec<String> {
    page.split(start).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn the_page_is_whole_without_anything_inline() {
    let program = Program::start("127.0.0.1");
    let address = SocketAddr::from(([127, 0, 0, 1], program.file().port));
    let get = |path: &str| Call::new(address, "GET", path).with("Host", &address.to_string()).send();
    let page = get("/");
    assert!(page.body.contains("<title>Liminal Builder</title>"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    for inline in ["<style", " style=", " onload=", " onclick=", "<base", "http://", "https://"] {
        assert!(!page.body.contains(inline), "{inline}");
    }
    for script in page.body.split("<script").skip(1) {
        assert!(script.split('>').next().is_some_and(|tag| tag.contains(" src=\"./")), "{script}");
    }
    for path in addresses(&page.body, "=\"./") {
        let file = get(&format!("/{path}"));
        assert_eq!(file.status, 200, "{path}");
        let cache = if path.starts_with("assets/") { "immutable" } else { "no-cache" };
        assert!(file.header("cache-control").is_some_and(|found| found.contains(cache)), "{path}");
        let tag = file.header("etag").unwrap().to_owned();
        let again = Call::new(address, "GET", &format!("/{path}")).with("Host", &address.to_string());
        assert_eq!(again.with("If-None-Match", &tag).send().status, 304, "{path}");
    }
}

#[test]
fn a_link_to_a_session_shows_the_page() {
    let program = Program::start("127.0.0.1");
    let address = SocketAddr::from(([127, 0, 0, 1], program.file().port));
    let get = |path: &str| Call::new(address, "GET", path).with("Host", &address.to_string()).send();
    let (page, nested) = (get("/"), get("/s/claude-code%3A0b5e"));
    assert_eq!((nested.status, nested.header("content-type")), (200, page.header("content-type")));
    assert_eq!(addresses(&nested.body, "=\"../"), addresses(&page.body, "=\"./"));
    assert_eq!(get("/s/a/b").status, 404);
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let data = tempfile::tempdir().unwrap();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let output = run(&["serve", "--host", host, "--data-dir", data.path().to_str().unwrap()], "");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains("listen on 127.0.0.1"));
        assert!(!data.path().join("server.json").exists());
    }
}

#[test]
fn a_taken_port_is_told_with_what_to_do() {
    let program = Program::start("127.0.0.1");
    let data = tempfile::tempdir().unwrap();
    let port = program.file().port.to_string();
    let output = run(&["serve", "--port", &port, "--data-dir", data.path().to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("choose another port"));
}

/// Connections beyond what the system allows must not end the server, nor keep it from answering later.
#[cfg(target_os = "linux")]
#[test]
fn running_out_of_files_passes() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let program = Program::start("127.0.0.1");
    let few = Rlimit { current: Some(40), maximum: Some(40) };
    prlimit(Some(Pid::from_child(&program.child.0)), Resource::Nofile, few).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], program.file().port));
    let hogs: Vec<_> = (0..100).map(|_| TcpStream::connect(address).unwrap()).collect();
    drop(hogs);
    let alive = Call::new(address, "GET", "/healthz").with("Host", &address.to_string());
    assert_eq!(alive.send().status, 200);
}

#[test]
fn it_answers_on_ipv6_too_where_there_is_any() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let program = Program::start("::1");
    let file = program.file();
    assert_eq!(file.url, format!("http://[::1]:{}", file.port));
    assert_eq!(program.exchange(program.line.rsplit_once(' ').unwrap().1), 200);
    let address: SocketAddr = format!("[::1]:{}", file.port).parse().unwrap();
    let answer = send(
        address,
        format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", file.port).as_bytes(),
    );
    assert_eq!(answer.unwrap().status, 200);
}
