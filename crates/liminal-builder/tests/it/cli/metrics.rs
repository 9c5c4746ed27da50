//! What a server counts and tells of itself.

use serde_json::Value;

use super::world::World;

fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find(|line| line.rsplit_once(' ').is_some_and(|(name, _)| name == series));
    line.unwrap_or_else(|| panic!("{series} in\n{text}")).rsplit_once(' ').unwrap().1.parse().unwrap()
}

fn metrics(world: &World) -> String {
    let (status, text) = world.ask("GET", "/metrics", "");
    assert_eq!(status, 200, "{text}");
    text
}

#[test]
fn what_happens_is_counted() {
    let world = World::served();
    let session = world.session("/words 200");
    assert_eq!(world.run(&["run", "--agent", "demo", "/fail"]).code, Some(1));
    assert_eq!(world.run(&["send", "demo:nobody", "hello"]).code, Some(1));
    assert_eq!(world.ask_as("GET", "/api/meta", "", &[]).0, 401);
    assert_eq!(world.ask_as("GET", "/metrics", "", &[]).0, 401);
    let text = metrics(&world);
    let is = |series: &str, expected: f64| {
        assert!((value(&text, series) - expected).abs() < 0.5, "{series} in\n{text}");
    };
    is("liminal_turns_started_total{cli_type=\"demo\"}", 2.0);
    is("liminal_turns_ended_total{cli_type=\"demo\",status=\"completed\"}", 1.0);
    is("liminal_turns_ended_total{cli_type=\"demo\",status=\"error\"}", 1.0);
    is("liminal_first_upsert_seconds_count", 2.0);
    is("liminal_requests_rejected_total{code=\"SESSION_NOT_FOUND\"}", 1.0);
    is("liminal_requests_rejected_total{code=\"UNAUTHORIZED\"}", 2.0);
    is("liminal_agents", 2.0);
    is("liminal_queued_messages", 0.0);
    assert!(value(&text, "liminal_upserts_appended_total") >= 4.0, "{text}");
    assert!(value(&text, "liminal_log_append_seconds_count") >= 2.0, "{text}");

    world.run(&["send", &session, "/hang"]);
    world.run(&["send", "--queue", &session, "then this"]);
    let path = format!("/api/session/{session}");
    assert!((value(&metrics(&world), "liminal_queued_messages") - 1.0).abs() < 0.5);
    assert_eq!(world.ask("POST", &format!("{path}/kill"), "").0, 200);
    world.wait_for(|world| ((value(&metrics(world), "liminal_agents") - 1.0).abs() < 0.5).then_some(()));
}

#[test]
fn a_ready_server_says_so_and_tells_what_it_can_do() {
    let world = World::served();
    assert_eq!(world.ask_as("GET", "/readyz", "", &[]), (200, "ready\n".to_owned()));
    let (_, meta) = world.ask("GET", "/api/meta", "");
    let meta: Value = serde_json::from_str(&meta).unwrap();
    let capabilities = &meta["capabilities"];
    assert_eq!(capabilities["exportFormats"], serde_json::json!(["md", "json", "jsonl"]));
    assert_eq!((&capabilities["bypass"], &capabilities["queueLength"]), (&false.into(), &50.into()));
}
