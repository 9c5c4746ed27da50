//! The table of routes, row by row, against every gate.

use liminal_builder::http::{Access, Body, ROUTES, Route, Verb};

use super::harness::{Answer, Call, TestServer, start};

const OTHER_METHODS: [&str; 8] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];

fn path(route: &Route) -> String {
    let part = |part: &str| if part.starts_with('{') { "x".to_owned() } else { part.to_owned() };
    route.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// A request that only lacks credentials.
fn anonymous(server: &TestServer, route: &Route) -> Call {
    match route.verb {
        Verb::Get => server.call("GET", &path(route)),
        verb => server.act(verb.allow(), &path(route), "{}"),
    }
}

/// A request that passes every gate.
fn good(server: &TestServer, route: &Route) -> Call {
    anonymous(server, route).with("Authorization", &server.token())
}

/// A program may be built without its page, and no page has a file called x: only the handler can say so.
fn is_missing_file(route: &Route, answer: &Answer) -> bool {
    ["/assets/{file}", "/theme.js", "/favicon.svg"].contains(&route.path)
        && answer.status == 404
        && answer.body.contains("this build has no such file")
}

fn is_closed(route: &Route) -> bool {
    matches!(route.access, Access::Credential | Access::Token)
}

fn each(check: fn(&TestServer, &Route)) {
    for route in ROUTES {
        check(&start(), route);
    }
}

fn assert_verdict(answer: &Answer, status: u16, code: &str, route: &Route) {
    assert_eq!(answer.verdict(), (status, code.to_owned()), "{} {answer:?}", route.path);
}

#[test]
fn a_good_request_reaches_its_handler() {
    each(|server, route| assert_handled(&good(server, route).send(), route));
}

/// An empty object says too little, and nothing is called `x`; only handlers can know.
fn assert_handled(answer: &Answer, route: &Route) {
    let (status, code) = answer.verdict();
    let is_told = matches!(code.as_str(), "INVALID_REQUEST" | "NOT_READY" | "PROJECT_ID_REQUIRED")
        || code.ends_with("_NOT_FOUND");
    assert!(
        status < 300 || is_missing_file(route, answer) || (is_told && code != "NOT_FOUND"),
        "{} {answer:?}",
        route.path
    );
}

#[test]
fn a_server_that_can_serve_nothing_says_why() {
    let answer = start().call("GET", "/readyz").send();
    assert_eq!(answer.verdict(), (503, "NOT_READY".to_owned()));
    assert!(answer.body.contains("no kind of agent is known"), "{answer:?}");
}

#[test]
fn names() {
    each(|server, route| {
        let port = server.address.port();
        for foreign in ["evil.example", &format!("evil.example:{port}"), "localhost", "127.0.0.1:1"] {
            assert_verdict(
                &good(server, route).changed("Host", foreign).send(),
                403,
                "HOST_NOT_ALLOWED",
                route,
            );
        }
        for bad in [
            good(server, route).without("Host"),
            good(server, route).with("Host", &server.host()),
            good(server, route).changed("Host", "a b"),
            good(server, route).changed("Host", ""),
        ] {
            assert_verdict(&bad.send(), 400, "INVALID_REQUEST", route);
        }
    });
}

#[test]
fn methods() {
    each(|server, route| {
        let same_path = ROUTES.iter().filter(|other| other.path == route.path);
        let allowed = same_path.map(|other| other.verb.allow()).collect::<Vec<_>>().join(", ");
        for method in OTHER_METHODS.iter().filter(|method| !allowed.contains(*method)) {
            let answer = server.call(method, &path(route)).send();
            assert_verdict(&answer, 405, "METHOD_NOT_ALLOWED", route);
            assert_eq!(answer.header("allow"), Some(allowed.as_str()), "{method} {}", route.path);
        }
    });
}

#[test]
fn media_types() {
    each(|server, route| {
        if route.body() == Body::None {
            return;
        }
        for wrong in [
            "text/plain",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
            "",
            "application/jsonp",
            "text/json",
        ] {
            let answer = good(server, route).changed("Content-Type", wrong).send();
            assert_verdict(&answer, 415, "UNSUPPORTED_MEDIA_TYPE", route);
        }
        let twice = good(server, route).with("Content-Type", "application/json");
        assert_verdict(&twice.send(), 415, "UNSUPPORTED_MEDIA_TYPE", route);
        assert_verdict(
            &good(server, route).without("Content-Type").send(),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            route,
        );
        let with_charset =
            good(server, route).changed("Content-Type", "Application/JSON; charset=utf-8").send();
        assert_ne!(with_charset.status, 415, "{}", route.path);
    });
}

#[test]
fn origins() {
    each(|server, route| {
        for foreign in ["null", "http://evil.example", "http://localhost:1", "http://127.0.0.1"] {
            let answer = good(server, route).changed("Origin", foreign).send();
            assert_verdict(&answer, 403, "ORIGIN_NOT_ALLOWED", route);
        }
        for site in ["cross-site", "same-site"] {
            let answer = good(server, route).with("Sec-Fetch-Site", site).send();
            if route.access == Access::Page {
                let is_reached = answer.status == 200 || is_missing_file(route, &answer);
                assert!(is_reached, "a link to {} {answer:?}", route.path);
            } else {
                assert_verdict(&answer, 403, "ORIGIN_NOT_ALLOWED", route);
            }
        }
    });
}

#[test]
fn what_acts_or_opens_a_socket_tells_its_origin_or_has_the_token() {
    each(|server, route| {
        let browser = server.browser();
        let socket = |call: Call| call.with("Upgrade", "websocket").with("Sec-WebSocket-Version", "13");
        let untold = match route.verb {
            Verb::Get => socket(anonymous(server, route)),
            _ => anonymous(server, route).without("Origin"),
        };
        assert_verdict(&untold.clone().send(), 403, "ORIGIN_NOT_ALLOWED", route);
        assert_verdict(&untold.clone().browser(&browser).send(), 403, "ORIGIN_NOT_ALLOWED", route);
        // A wrong token with a right session must not pass for a program.
        let disguised = untold.clone().browser(&browser).with("Authorization", "Bearer x");
        assert_verdict(&disguised.send(), 401, "UNAUTHORIZED", route);
        assert_handled(&untold.with("Authorization", &server.token()).send(), route);
        let foreign = socket(good(server, route)).changed("Origin", "http://evil.example");
        assert_verdict(&foreign.send(), 403, "ORIGIN_NOT_ALLOWED", route);
    });
}

#[test]
fn credentials() {
    each(|server, route| {
        let browser = server.browser();
        let anonymous = || anonymous(server, route);
        let token = &server.file.token;
        let lacking = [
            anonymous(),
            anonymous().with("Cookie", &browser.cookie),
            anonymous().with("X-Liminal-Key", &browser.key),
            anonymous().browser(&browser).changed("X-Liminal-Key", "wrong"),
            anonymous().browser(&browser).changed("Cookie", &format!("{}x", browser.cookie)),
            anonymous().browser(&browser).with("Authorization", "Bearer wrong"),
            anonymous().with("Authorization", &format!("Basic {token}")),
            anonymous().with("Authorization", token),
            anonymous().with("X-Liminal-Key", token),
        ];
        for call in lacking {
            let answer = call.send();
            if is_closed(route) {
                assert_verdict(&answer, 401, "UNAUTHORIZED", route);
                assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            } else {
                assert_ne!(answer.verdict().1, "UNAUTHORIZED", "{}", route.path);
            }
        }
        let by_browser = anonymous().browser(&browser).send();
        assert_eq!(by_browser.status == 401, route.access == Access::Token, "{} {by_browser:?}", route.path);
    });
}

#[test]
fn a_token_in_the_address_is_not_taken() {
    each(|server, route| {
        let token = &server.file.token;
        for query in [format!("?token={token}"), format!("?access_token={token}&key={token}")] {
            let path = format!("{}{query}", path(route));
            let answer = match route.verb {
                Verb::Get => server.call("GET", &path).send(),
                verb => server.act(verb.allow(), &path, "{}").send(),
            };
            assert_eq!(answer.status == 401, is_closed(route), "{path}");
        }
    });
}

#[test]
fn sizes() {
    each(|server, route| {
        if route.body() == Body::None {
            return;
        }
        let limit = if route.body() == Body::File { 8 << 20 } else { 1 << 20 };
        let large = format!("\"{}\"", "x".repeat(limit));
        assert_verdict(&good(server, route).body(&large).send(), 413, "BODY_TOO_LARGE", route);
        // Who may not come in is not listened to.
        if is_closed(route) {
            assert_verdict(&anonymous(server, route).body(&large).send(), 401, "UNAUTHORIZED", route);
        }
    });
}

#[test]
fn every_answer_has_the_headers_that_protect_the_page() {
    each(|server, route| {
        let host = server.host();
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
             connect-src 'self' ws://{host}; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; \
             form-action 'none'; object-src 'none'; require-trusted-types-for 'script'"
        );
        let answers = [
            good(server, route).send(),
            anonymous(server, route).send(),
            good(server, route).with("Origin", "null").send(),
            server.call("DELETE", &path(route)).send(),
            server.call("OPTIONS", &path(route)).with("Access-Control-Request-Method", "POST").send(),
            server.call("GET", &format!("{}/no/such/path", path(route))).send(),
        ];
        for answer in answers {
            assert_eq!(answer.header("content-security-policy"), Some(policy.as_str()), "{answer:?}");
            assert_protected(&answer, route);
        }
        let foreign = good(server, route).changed("Host", "evil.example").send();
        assert!(foreign.header("content-security-policy").is_some_and(|policy| !policy.contains("ws:")));
        assert_protected(&foreign, route);
    });
}

fn assert_protected(answer: &Answer, route: &Route) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{answer:?}");
    }
    let is_file = ["/theme.js", "/favicon.svg"].contains(&route.path) && answer.status == 200;
    let cache = if is_file { "no-cache" } else { "no-store" };
    assert_eq!(answer.header("cache-control"), Some(cache), "{answer:?}");
    assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{answer:?}");
}

#[test]
fn a_head_is_a_get_without_its_body() {
    each(|server, route| {
        // What is no socket is told with the reason, and that differs.
        if route.verb != Verb::Get || route.path == "/ws" {
            return;
        }
        let got = good(server, route).send();
        let head = server.call("HEAD", &path(route)).with("Authorization", &server.token()).send();
        assert_eq!((head.status, head.body.as_str()), (got.status, ""), "{}", route.path);
        assert_eq!(head.header("content-length"), got.header("content-length"), "{}", route.path);
        let closed = server.call("HEAD", &path(route)).send();
        assert_eq!(closed.status == 401, is_closed(route), "{}", route.path);
    });
}

#[test]
fn what_is_open_tells_no_secret() {
    let server = start();
    let browser = server.browser();
    let cookie = browser.cookie.split_once('=').unwrap().1.to_owned();
    for route in ROUTES.iter().filter(|route| !is_closed(route)) {
        let answer = format!("{:?}", anonymous(&server, route).send());
        for secret in [&server.file.token, &browser.key, &cookie, server.code()] {
            assert!(!answer.contains(secret), "{}", route.path);
        }
    }
}

#[test]
fn unknown_paths_are_problems_behind_the_gates() {
    let server = start();
    let code = |call: Call| call.send().verdict();
    let not_found = (404, "NOT_FOUND".to_owned());
    for path in [
        "/nothing",
        "/server.json",
        "/..%2fserver.json",
        "/%2e%2e/etc/passwd",
        "//",
        "/\\",
        "/theme.js/",
        "/index.html",
        "/theme.js::$DATA",
        "/%252e%252e%252f",
        "/%00",
        "/healthz/",
        "/THEME.JS",
    ] {
        assert_eq!(code(server.call("GET", path)), not_found, "{path}");
        assert_eq!(code(server.call("GET", path).changed("Host", "evil.example")).0, 403, "{path}");
        assert_eq!(code(server.call("POST", path)).0, 403, "{path}");
    }
    for path in
        ["/api", "/api/", "/api/nothing", "/api/meta/", "/auth/nothing", "/ws/", "/api/session/../../x"]
    {
        assert_eq!(code(server.call("GET", path)), (401, "UNAUTHORIZED".to_owned()), "{path}");
        let known = server.call("GET", path).with("Authorization", &server.token());
        assert_eq!(code(known), not_found, "{path}");
    }
}
