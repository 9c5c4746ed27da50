//! What a server says that cannot use its Redis, and what it never says.

use std::io::Read;
use std::net::TcpListener;

use super::super::figures::Stopwatch;
use super::super::reader::{Reader, begin};
use super::super::world::PATIENCE;
use super::team::Team;
use crate::redis_server::RedisServer;
use crate::support::liminal;

#[test]
fn c31_a_server_whose_redis_is_not_there_says_so_and_ends() {
    let team = Team::new();
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let silent = taken.local_addr().unwrap().port();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    for port in [free, silent] {
        let begun = Stopwatch::start();
        let url = format!("redis://:hunter2@127.0.0.1:{port}");
        let output = team.command("one", &url).output().unwrap();
        assert!(begun.elapsed() < PATIENCE);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(said.contains("Redis") && said.contains("--redis"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn d26_the_password_of_redis_is_shown_nowhere() {
    let team = Team::new();
    let config = liminal(&["config", "--redis", "redis://:hunter2@127.0.0.1:1"]).output().unwrap();
    let shown = String::from_utf8(config.stdout).unwrap();
    assert!(
        shown.contains("redis.url") && shown.contains("(hidden)") && !shown.contains("hunter2"),
        "{shown}"
    );
    let redis = team.redis.borrow();
    let () = redis.ask(&["CONFIG", "SET", "requirepass", "hunter2"]);
    let mut command = team.command("one", &redis.url().replace("redis://", "redis://:hunter2@"));
    command.env("LIMINAL_LOGGING_LEVEL", "debug");
    let mut child = crate::support::Running(command.spawn().unwrap());
    let mut first = [0; 1];
    child.0.stdout.take().unwrap().read_exact(&mut first).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child.0), rustix::process::Signal::TERM)
        .unwrap();
    let mut said = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn d26_servers_share_a_redis_over_tls_whose_certificate_they_know() {
    let team = Team::new();
    team.redis.replace(RedisServer::start_with_tls());
    let (one, two) = (team.member("one"), team.member("two"));
    let session = team.create(&one);
    let mut reader = Reader::join(&two.client, &session, None);
    let turn = begin(&two.client, &session, "!say 5");
    reader.until_end(&turn);
    assert_eq!(reader.shown.end_of(&turn).as_deref(), Some("completed"));
    let url = team.redis.borrow().url();
    let empty = team.home().join("nobody.pem");
    std::fs::write(&empty, "").unwrap();
    for (url, trusted) in [(url.clone(), empty.as_path()), (url.replace("rediss", "redis"), empty.as_path())]
    {
        let mut command = team.command("stranger", &url);
        let output = command.env("SSL_CERT_FILE", trusted).output().unwrap();
        assert!(!output.status.success(), "{url}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--redis"), "{output:?}");
    }
}

#[test]
fn the_doctor_looks_at_the_redis_that_is_set() {
    let team = Team::new();
    let home = team.home();
    let doctor = |url: &str| {
        let mut command = liminal(&["doctor", "--json"]);
        command.env_clear().env("HOME", home).env("LIMINAL_REDIS_URL", url);
        let reports: Vec<serde_json::Value> =
            serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        reports.into_iter().find(|report| report["name"] == "redis").unwrap()
    };
    let url = team.redis.borrow().url();
    let good = doctor(&url);
    assert!(good["version"].is_string() && good["problem"].is_null(), "{good}");
    let () = team.redis.borrow().ask(&["CONFIG", "SET", "appendonly", "no"]);
    assert!(doctor(&url)["problem"].as_str().unwrap().contains("appendonly"));
    team.redis.borrow_mut().kill();
    assert!(doctor(&url)["problem"].as_str().unwrap().contains("--redis"));
}
