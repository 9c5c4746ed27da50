//! Pages of other origins, as browsers send their requests.

use super::harness::{Call, start};

#[test]
fn pages_of_other_origins_can_do_nothing_with_a_session() {
    let server = start();
    let browser = server.browser();
    let port = server.address.port();
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1:1".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{port}0"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
        format!("http://127.0.0.1:{port}/"),
        String::new(),
    ] {
        let reading = server.call("GET", "/api/meta").browser(&browser).with("Origin", &origin);
        assert_eq!(reading.send().status, 403, "{origin}");
        let letting_in = server.post("/auth/exchange", "{}").changed("Origin", &origin);
        assert_eq!(letting_in.send().status, 403, "{origin}");
        let socket = server.call("GET", "/ws").browser(&browser).with("Origin", &origin);
        assert_eq!(socket.with("Upgrade", "websocket").send().status, 403, "{origin}");
    }
}

#[test]
fn a_page_is_of_our_origin_under_the_name_it_was_asked_for() {
    let server = start();
    let name = format!("localhost:{}", server.address.port());
    let wrong_code = |origin: &str| {
        let call = server.post("/auth/exchange", "{\"code\":\"x\"}").changed("Host", &name);
        call.changed("Origin", origin).send().verdict().1
    };
    assert_eq!(wrong_code(&format!("http://{name}")), "CODE_INVALID");
    assert_eq!(wrong_code(&server.origin()), "ORIGIN_NOT_ALLOWED");
}

#[test]
fn no_preflight_is_ever_granted() {
    let server = start();
    let preflight = |path: &str, origin: &str| -> Call {
        let call = server.call("OPTIONS", path).with("Origin", origin);
        let call = call.with("Access-Control-Request-Method", "POST");
        call.with("Access-Control-Request-Headers", "content-type,x-liminal-key,authorization")
            .with("Access-Control-Request-Private-Network", "true")
    };
    for path in ["/", "/api/meta", "/auth/exchange", "/nothing", "*"] {
        for origin in [server.origin().as_str(), "http://evil.example", "null"] {
            let answer = preflight(path, origin).send();
            assert!((400..500).contains(&answer.status), "{path} {origin} {answer:?}");
            assert!(!format!("{answer:?}").to_lowercase().contains("access-control-allow"), "{answer:?}");
        }
    }
}

#[test]
fn a_form_of_another_site_is_refused_thrice() {
    let server = start();
    let form =
        server.call("POST", "/auth/exchange").with("Content-Type", "text/plain").body("{\"code\":\"x\"}");
    assert_eq!(form.clone().send().status, 415);
    let json = form.changed("Content-Type", "application/json");
    assert_eq!(json.clone().send().verdict().1, "ORIGIN_NOT_ALLOWED");
    let told = json.with("Origin", &server.origin()).with("Sec-Fetch-Site", "cross-site");
    assert_eq!(told.send().verdict().1, "ORIGIN_NOT_ALLOWED");
}
