//! S50: a scripted session leaves every action in the audit log once, rejections included.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use super::world::{World, read};

/// A socket that says what it is told and hears the answers to it.
struct Socket(TcpStream);

impl Socket {
    fn open(world: &World) -> Self {
        let file = world.file();
        let mut stream = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], file.port))).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
        let head = format!(
            "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            file.port, file.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.extend(byte);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        Self(stream)
    }

    /// A mask of zeros leaves the bytes as they are.
    fn say(&mut self, message: &Value) {
        let text = message.to_string();
        let mut frame = vec![0x81, 0x80 | 126];
        frame.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame).unwrap();
    }

    /// The answer to a question, whatever else is told meanwhile.
    fn answer(&mut self, request: &str) -> Value {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).unwrap();
            let mut length = u64::from(head[1] & 0x7f);
            if length == 126 {
                let mut bytes = [0; 2];
                self.0.read_exact(&mut bytes).unwrap();
                length = u16::from_be_bytes(bytes).into();
            }
            let mut bytes = vec![0; usize::try_from(length).unwrap()];
            self.0.read_exact(&mut bytes).unwrap();
            let told: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            if told["requestId"] == request {
                return told;
            }
        }
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.say(message);
        self.answer(message["requestId"].as_str().unwrap())
    }
}

fn question(world: &World) -> Value {
    world.wait_for(|world| {
        let waiting: Value = serde_json::from_str(&world.ask("GET", "/api/approvals", "").1).unwrap();
        waiting["approvals"].get(0).cloned()
    })
}

fn is_idle(world: &World, session: &str) {
    world.wait_for(|world| {
        let (_, status) = world.ask("GET", &format!("/api/session/{session}/status"), "");
        status.contains("\"state\":\"idle\"").then_some(())
    });
}

/// Everything over HTTP; gives the session.
fn over_http(world: &World, project: &str) -> String {
    let create = json!({"cliType": "demo", "projectDir": world.project()}).to_string();
    let (status, opened) = world.ask("POST", "/api/session/create", &create);
    assert_eq!(status, 201, "{opened}");
    let opened: Value = serde_json::from_str(&opened).unwrap();
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let post = |what: &str, body: &str| world.ask("POST", &format!("/api/session/{session}/{what}"), body).0;
    assert_eq!(post("send", r#"{"message":"/permission"}"#), 202);
    let asked = question(world);
    let path = format!("/api/approvals/{}", asked["id"].as_str().unwrap());
    assert_eq!(world.ask("POST", &path, r#"{"optionId":"allow-once"}"#).0, 200);
    assert_eq!(world.ask("POST", &path, r#"{"optionId":"allow-once"}"#).0, 409);
    is_idle(world, &session);
    assert_eq!(post("configure", r#"{"model":"demo-slow"}"#), 200);
    assert_eq!(post("cancel", ""), 200);
    assert_eq!(post("kill", ""), 200);
    assert_eq!(post("load", ""), 200);
    assert_eq!(world.ask("POST", &format!("/api/projects/{project}/trust"), r#"{"trusted":true}"#).0, 200);
    session
}

/// What a socket can do.
fn over_a_socket(world: &World, session: &str) {
    let mut socket = Socket::open(world);
    let send =
        json!({"type": "session:send", "requestId": "1", "sessionId": session, "message": "/permission"});
    assert_eq!(socket.ask(&send)["type"], "ok");
    let asked = question(world);
    let answer = json!({
        "type": "session:permission", "requestId": "2", "sessionId": session,
        "itemId": asked["item"]["itemId"], "optionId": "reject-once",
    });
    assert_eq!(socket.ask(&answer)["type"], "ok");
    let cancel = json!({"type": "session:cancel", "requestId": "3", "sessionId": session});
    assert_eq!(socket.ask(&cancel)["type"], "ok");
    let nobody =
        json!({"type": "session:send", "requestId": "4", "sessionId": "demo:nobody", "message": "a"});
    assert_eq!(socket.ask(&nobody)["type"], "error");
}

fn summary(line: &Value) -> String {
    let word = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
    let actor = word("actor").split(':').next().unwrap().to_owned();
    format!("{actor} {} {}", word("action"), word("outcome"))
}

#[test]
fn s50_every_action_is_kept_once_rejections_included() {
    let mut world = World::served();
    let add = json!({"path": world.project()}).to_string();
    let (_, project) = world.ask("POST", "/api/projects", &add);
    let project: Value = serde_json::from_str(&project).unwrap();
    let project = project["id"].as_str().unwrap();
    assert_eq!(world.ask("POST", "/api/projects", &add).0, 409);
    assert_eq!(world.ask_as("GET", "/api/agents", "", &[]).0, 401);
    assert_eq!(world.ask_as("GET", "/healthz", "", &[("Host", "evil.example")]).0, 403);
    let origin = world.file().url;
    assert_eq!(world.ask_as("POST", "/auth/exchange", r#"{"code":"x"}"#, &[("Origin", &origin)]).0, 401);
    let (_, fresh) = world.ask("POST", "/auth/code", "");
    let fresh: Value = serde_json::from_str(&fresh).unwrap();
    let code = json!({"code": fresh["url"].as_str().unwrap().rsplit_once("#c=").unwrap().1}).to_string();
    assert_eq!(world.ask_as("POST", "/auth/exchange", &code, &[("Origin", &origin)]).0, 200);
    let session = over_http(&world, project);
    over_a_socket(&world, &session);
    assert_eq!(world.ask("DELETE", &format!("/api/session/{session}"), "").0, 204);
    assert_eq!(world.ask("DELETE", &format!("/api/projects/{project}"), "").0, 204);
    assert_eq!(world.ask("POST", "/auth/rotate", "").0, 204);
    world.stop();

    let lines: Vec<Value> = read(&world.data().join("audit.log"))
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let kept: Vec<String> = lines.iter().map(summary).collect();
    let expected = [
        "token project ok",
        "token project PROJECT_EXISTS",
        "anonymous rejected UNAUTHORIZED",
        "anonymous rejected HOST_NOT_ALLOWED",
        "anonymous auth CODE_INVALID",
        "anonymous auth ok",
        "token create ok",
        "token send ok",
        "token permission ok",
        "token permission ALREADY_ANSWERED",
        "token configure ok",
        "token cancel ok",
        "token kill ok",
        "token load ok",
        "token trust ok",
        "token send ok",
        "token permission ok",
        "token cancel ok",
        "token send SESSION_NOT_FOUND",
        "token delete ok",
        "token project ok",
        "token rotate ok",
    ];
    assert_eq!(kept, expected);
    assert!(lines.iter().all(|line| line["address"] == "127.0.0.1"), "{lines:?}");
    let targets = |action: &str| -> Vec<&str> {
        lines
            .iter()
            .filter(|line| line["action"] == action)
            .filter_map(|line| line["target"].as_str())
            .collect()
    };
    assert_eq!(targets("create"), [session.as_str()]);
    assert_eq!(targets("project"), [world.project().to_str().unwrap(), project]);
    let permissions = targets("permission");
    assert!(
        permissions[0].starts_with(&session) && permissions[0].ends_with(" allow-once"),
        "{permissions:?}"
    );
    assert!(permissions[2].ends_with(" reject-once"), "{permissions:?}");
}
