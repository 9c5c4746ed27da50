//! What a user may open or close deliberately: no credentials on this machine, pages of other origins, a command before
//! every agent. Each is off unless it is asked for.

use std::process::Output;

use liminal_builder::http::web_origin::WebOrigin;
use liminal_builder::http::{Limits, Reach};
use serde_json::Value;

use super::harness::{Call, TestServer, no_agents, start};
use crate::support::{liminal, run};

const PAGE: &str = "https://app.example";

fn open() -> TestServer {
    TestServer::reached(Limits::default(), no_agents(), Reach { insecure_no_auth: true, ..Reach::default() })
}

fn with_guest() -> TestServer {
    let cors_origins = vec![WebOrigin::parse(PAGE).unwrap()];
    TestServer::reached(Limits::default(), no_agents(), Reach { cors_origins, ..Reach::default() })
}

fn is_told_open(server: &TestServer) -> bool {
    let answer = server.call("GET", "/api/meta").with("Authorization", &server.token()).send();
    let meta: Value = serde_json::from_str(&answer.body).unwrap();
    meta["capabilities"]["insecureNoAuth"].as_bool().unwrap()
}

#[test]
fn d03_without_credentials_everything_is_open_to_this_machine_if_the_user_wants_it() {
    let (usual, open) = (start(), open());
    assert_eq!(usual.call("GET", "/api/meta").send().verdict(), (401, "UNAUTHORIZED".to_owned()));
    assert!(!is_told_open(&usual) && is_told_open(&open), "the page can show it");
    assert_eq!(open.call("GET", "/api/meta").send().status, 200);
    assert_eq!(open.call("GET", "/api/meta").with("Authorization", "Bearer old").send().status, 200);
    assert_eq!(open.act("PUT", "/api/ui-state", "{}").send().status, 204);
}

#[test]
fn d03_names_origins_and_the_token_of_programs_stay_gates_without_credentials() {
    let server = open();
    let foreign = server.call("GET", "/api/meta").changed("Host", "evil.example").send();
    assert_eq!(foreign.verdict().1, "HOST_NOT_ALLOWED");
    let act = server.act("PUT", "/api/ui-state", "{}");
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let answer = act.clone().changed("Origin", origin).send();
        assert_eq!(answer.verdict(), (403, "ORIGIN_NOT_ALLOWED".to_owned()), "{origin}");
    }
    assert_eq!(act.clone().without("Origin").send().verdict().1, "ORIGIN_NOT_ALLOWED");
    let crossed = act.with("Sec-Fetch-Site", "cross-site").send();
    assert_eq!(crossed.verdict().1, "ORIGIN_NOT_ALLOWED");
    let rotate = server.act("POST", "/auth/rotate", "{}").send();
    assert_eq!(rotate.status, 401, "what programs alone may do takes the token: {rotate:?}");
}

fn serve(arguments: &[&str]) -> Output {
    let data = tempfile::tempdir().unwrap();
    let own = ["serve", "--no-open", "--port", "0", "--data-dir", data.path().to_str().unwrap()];
    run(&[&own[..], arguments].concat(), "")
}

#[test]
fn d03_other_machines_are_never_let_in_without_credentials() {
    for more in [
        &["--host", "0.0.0.0", "--insecure-http"][..],
        &["--public-url", "https://builder.example"],
        &["--trusted-proxy", "127.0.0.1"],
    ] {
        let output = serve(&[&["--insecure-no-auth"], more].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{more:?} {told}");
        assert!(told.contains("only this machine may ask"), "{told}");
    }
    let mut command = liminal(&["config"]);
    let output = command.env("LIMINAL_SECURITY_INSECURE_NO_AUTH", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(78), "no variable opens it: {output:?}");
}

#[test]
fn d26_a_redis_elsewhere_without_tls_or_password_is_refused() {
    // Addresses of documentation: nobody is there, and nobody is asked.
    for (redis, why) in [
        ("redis://192.0.2.1", "asks for no password and is spoken to without TLS"),
        ("redis://u:hunter2@192.0.2.1", "is spoken to without TLS"),
        ("rediss://192.0.2.1", "asks for no password"),
    ] {
        let output = serve(&["--redis", redis]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{redis} {told}");
        assert!(told.contains(why) && told.contains("--insecure-redis"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
    let mut command = liminal(&["config"]);
    let output = command.env("LIMINAL_SECURITY_INSECURE_REDIS", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(78), "no variable allows it: {output:?}");
}

fn preflight(server: &TestServer, origin: &str) -> Call {
    let call = server.call("OPTIONS", "/api/session/create").with("Origin", origin);
    call.with("Access-Control-Request-Method", "POST").with("Sec-Fetch-Site", "cross-site")
}

#[test]
fn d08_pages_that_the_user_named_and_no_others_may_ask() {
    let (usual, server) = (start(), with_guest());
    assert!(preflight(&usual, PAGE).send().status >= 400);
    let granted = preflight(&server, PAGE).send();
    assert_eq!((granted.status, granted.header("access-control-allow-origin")), (204, Some(PAGE)));
    assert!(granted.header("access-control-allow-headers").unwrap().contains("authorization"));
    assert_eq!(granted.header("access-control-allow-credentials"), None);
    for stranger in ["https://app.example.evil", "http://app.example", "https://app.example:444", "null", "*"]
    {
        let answer = preflight(&server, stranger).send();
        assert!(answer.status >= 400, "{stranger} {answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{stranger}");
    }
    let elsewhere = preflight(&server, PAGE).changed("Host", "evil.example").send();
    assert_eq!(elsewhere.verdict().1, "HOST_NOT_ALLOWED");
}

#[test]
fn d08_pages_that_the_user_named_ask_with_the_token_and_never_with_a_cookie() {
    let (usual, server) = (start(), with_guest());
    let ask = |server: &TestServer| {
        let call = server.act("PUT", "/api/ui-state", "{}").changed("Origin", PAGE);
        call.with("Sec-Fetch-Site", "cross-site")
    };
    let refused = ask(&usual).with("Authorization", &usual.token()).send();
    assert_eq!(refused.verdict(), (403, "ORIGIN_NOT_ALLOWED".to_owned()), "by default");
    let met = ask(&server).with("Authorization", &server.token()).send();
    assert_eq!((met.status, met.header("access-control-allow-origin")), (204, Some(PAGE)));
    assert_eq!(met.header("vary"), Some("origin"));
    assert_eq!(ask(&server).with("Authorization", "Bearer wrong").send().status, 401);
    let browser = server.browser();
    let by_cookie = ask(&server).browser(&browser).send();
    assert_eq!(by_cookie.verdict(), (403, "ORIGIN_NOT_ALLOWED".to_owned()));
    let both = ask(&server).browser(&browser).with("Authorization", "Bearer wrong").send();
    assert_eq!(both.status, 401, "a cookie does not help a wrong token");
}

#[test]
fn d08_only_whole_origins_can_be_named() {
    for wrong in ["*", "https://*.example", "app.example", "https://app.example/path", "null"] {
        let output = serve(&["--cors-origin", wrong]);
        assert_eq!(output.status.code(), Some(78), "{wrong} {output:?}");
    }
}

#[test]
fn d19_a_command_that_is_not_there_is_told_before_anything_starts() {
    for missing in ["no-such-sandbox --strict", "/no/such/sandbox"] {
        let output = serve(&["--agent-wrapper", missing]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{told}");
        assert!(told.contains("cannot find") && told.contains("agent-wrapper"), "{told}");
    }
}
