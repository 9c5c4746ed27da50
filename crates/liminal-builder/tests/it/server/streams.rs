//! Reading along: the socket, both streams of server-sent events, and pages. All of them end alike.

use liminal_core::ids::SessionId;
use liminal_core::upsert::Upsert;
use liminal_core::wire::rest::{HistoryPage, SessionState};
use liminal_core::wire::view::QueuePause;
use liminal_core::wire::{Resume, ServerMessage};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::client::Client;
use super::events::Events;
use super::machine::Machine;
use super::screen::Screen;
use super::socket::{Socket, ended};

/// A session in which much was said.
const SCENES: [&str; 5] = ["/words 400", "/tools 5", "/think", "/plan", "/run"];

fn session_of(message: &ServerMessage) -> Option<&SessionId> {
    match message {
        ServerMessage::History { session_id, .. }
        | ServerMessage::Upsert { session_id, .. }
        | ServerMessage::Turn { session_id, .. }
        | ServerMessage::Append { session_id, .. } => Some(session_id),
        _ => None,
    }
}

async fn ends_of(socket: &mut Socket, count: usize) {
    while socket.log.iter().filter(|message| ended(message).is_some()).count() < count {
        socket.next().await;
    }
}

async fn told_by(events: &mut Events, ends: usize) -> Vec<ServerMessage> {
    let mut messages = Vec::new();
    while messages.iter().filter(|message| ended(message).is_some()).count() < ends {
        let event = events.next().await.expect("the stream goes on");
        assert!(event.event == "hello" || event.event == event.read::<Value>()["type"], "{event:?}");
        if event.event != "hello" {
            messages.push(event.read());
        }
    }
    messages
}

#[tokio::test]
async fn every_way_of_reading_ends_in_the_same_state() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let (mut whole, mut added) = (server.socket().await, server.socket().await);
    whole.subscribe(&id).await;
    added.subscribe_with(&id, json!({ "encoding": "append" })).await;
    let mut events = server.events(&format!("/api/session/{id}/upserts"), None).await;
    for scene in SCENES {
        server.turn(&id, scene).await;
    }
    let page = server.history(&id).await;
    ends_of(&mut whole, SCENES.len()).await;
    ends_of(&mut added, SCENES.len()).await;
    Screen::of(&whole.log).assert_is(&page);
    let grown = Screen::of(&added.log);
    grown.assert_is(&page);
    assert!(grown.appends > 3, "{}", grown.appends);
    Screen::of(&told_by(&mut events, SCENES.len()).await).assert_is(&page);
    let mut late = server.socket().await;
    late.subscribe(&id).await;
    late.history().await;
    Screen::of(&late.log).assert_is(&page);
    server.stop().await;
}

#[tokio::test]
async fn a_reader_that_comes_back_gets_what_it_missed_and_nothing_else() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    assert_eq!(socket.subscribe(&id).await.0, Resume::Reset);
    assert!(matches!(socket.history().await, ServerMessage::History { seq: 0, .. }));
    server.turn(&id, "hello").await;
    ends_of(&mut socket, 1).await;
    let held = Screen::of(&socket.log);
    let page = server.history(&id).await;
    held.assert_is(&page);
    let cursor = format!("{}.{}", page.epoch, page.seq);
    server.turn(&id, "/words 50").await;

    let mut again = server.socket().await;
    let (resume, epoch, _) = again.subscribe_with(&id, json!({ "after": cursor })).await;
    assert_eq!((resume, &epoch), (Resume::Ok, &page.epoch));
    ends_of(&mut again, 1).await;
    assert!(again.log.iter().all(|message| !matches!(message, ServerMessage::History { .. })));
    let mut screen = held;
    again.log.iter().for_each(|message| screen.apply(message));
    screen.assert_is(&server.history(&id).await);

    let path = format!("/api/session/{id}/upserts");
    let mut events = server.events(&path, Some(&cursor)).await;
    let hello = events.next().await.unwrap();
    assert_eq!((hello.event.as_str(), hello.read::<Value>()["resume"].as_str()), ("hello", Some("ok")));
    let first = events.next().await.unwrap();
    assert_eq!(first.read::<Value>()["seq"], page.seq + 1);
    assert_eq!(first.id, Some(format!("{}.{}", page.epoch, page.seq + 1)));
    server.stop().await;
}

#[tokio::test]
async fn a_cursor_of_no_use_is_answered_by_everything() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    let page = server.history(&id).await;
    let ahead = format!("{}.{}", page.epoch, page.seq + 1000);
    for after in ["garbage", "", "0.1", "other-epoch.1", "\u{1f980}.-1", &ahead] {
        let mut socket = server.socket().await;
        let (resume, epoch, seq) = socket.subscribe_with(&id, json!({ "after": after })).await;
        assert_eq!((resume, &epoch, seq), (Resume::Reset, &page.epoch, page.seq), "{after}");
        socket.history().await;
        Screen::of(&socket.log).assert_is(&page);
    }
    for after in ["garbage", "other-epoch.1", &ahead] {
        let mut events = server.events(&format!("/api/session/{id}/upserts"), Some(after)).await;
        assert_eq!(events.next().await.unwrap().read::<Value>()["resume"], "reset", "{after}");
        let history = events.next().await.unwrap();
        assert_eq!(history.event, "session:history", "{after}");
        Screen::of([&history.read()]).assert_is(&page);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_window_shows_the_newest_items_and_pages_the_rest() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    for number in 0..6 {
        server.turn(&id, &format!("hello {number}")).await;
    }
    let all = server.history(&id).await.entries;
    let mut socket = server.socket().await;
    socket.subscribe_with(&id, json!({ "window": 3 })).await;
    let ServerMessage::History { entries, before, .. } = socket.history().await else {
        panic!("{:?}", socket.log)
    };
    assert!(!entries.is_empty() && entries.len() <= 3, "{}", entries.len());
    assert_eq!(entries[..], all[all.len() - entries.len()..]);
    let (mut items, mut before): (Vec<Upsert>, _) = (entries, before);
    while let Some(place) = before {
        let path = format!("/api/session/{id}/history?before={place}&limit=4");
        let page: HistoryPage = server.get(&path).await.read(200);
        assert!(page.entries.len() <= 4 && page.before != before);
        items.splice(0..0, page.entries);
        before = page.before;
    }
    assert_eq!(items, all);
    server.stop().await;
}

#[tokio::test]
async fn questions_are_answered_by_their_ids() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    let code = |message: &ServerMessage| match message {
        ServerMessage::Error { problem, .. } => problem.code.as_str().to_owned(),
        ServerMessage::Ok { .. } => "ok".to_owned(),
        other => panic!("{other:?}"),
    };
    for (frame, expected) in [
        (json!({ "type": "session:subscribe", "sessionId": "demo:nothing" }), "SESSION_NOT_FOUND"),
        (json!({ "type": "session:subscribe" }), "INVALID_REQUEST"),
        (json!({ "type": "session:nonsense", "sessionId": id }), "INVALID_REQUEST"),
        (json!({ "type": "session:subscribe", "sessionId": id, "encoding": "morse" }), "INVALID_REQUEST"),
        (json!({ "type": "session:subscribe", "sessionId": id }), "ok"),
        (json!({ "type": "session:send", "sessionId": "demo:nothing", "message": "a" }), "SESSION_NOT_FOUND"),
        (json!({ "type": "session:send", "sessionId": id, "message": " " }), "INVALID_REQUEST"),
        (json!({ "type": "session:cancel", "sessionId": id }), "ok"),
    ] {
        let answer = socket.ask(frame.clone()).await;
        assert_eq!(code(&answer), expected, "{frame}");
    }
    socket.raw(Message::text("no JSON")).await;
    let told = socket.until(|message| matches!(message, ServerMessage::Error { .. })).await;
    assert!(matches!(told, ServerMessage::Error { request_id: None, .. }), "{told:?}");
    server.stop().await;
}

#[tokio::test]
async fn the_socket_sends_queues_and_cancels() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let mut socket = server.socket().await;
    socket.subscribe(&id).await;
    let say = |message: &str, queue: bool| json!({ "type": "session:send", "sessionId": id, "message": message, "queue": queue });
    let ServerMessage::Ok { turn_id: Some(turn), .. } = socket.ask(say("/hang", false)).await else {
        panic!()
    };
    let refused = socket.ask(say("hello", false)).await;
    assert!(
        matches!(&refused, ServerMessage::Error { problem, .. } if problem.code.as_str() == "TURN_IN_PROGRESS")
    );
    let ServerMessage::Ok { queued: Some(queued), .. } = socket.ask(say("hello", true)).await else {
        panic!()
    };
    assert_eq!(queued.message, "hello");
    socket.say(&json!({ "type": "session:cancel", "sessionId": id })).await;
    socket.end_of(&turn).await;
    let status = server.until(&id, |status| status.view.turn.is_none()).await;
    assert_eq!((status.view.queue.len(), status.view.queue_paused), (1, Some(QueuePause::Cancelled)));
    server.stop().await;
}

#[tokio::test]
async fn what_a_session_is_and_does_is_told_when_it_changes() {
    let server = Machine::new().start().await;
    let mut socket = server.socket().await;
    let id = server.create("demo").await;
    let project = server.projects().await[0].id.clone();
    socket.until(|message| matches!(message, ServerMessage::SessionsChanged { project_id } if project_id.as_ref() == Some(&project))).await;
    socket.subscribe(&id).await;
    server.send(&id, "/hang").await;
    let state = |wanted: SessionState| move |message: &ServerMessage| matches!(message, ServerMessage::State { view, .. } if view.state == wanted);
    socket.until(state(SessionState::Running)).await;
    server.post(&format!("/api/session/{id}/title"), json!({ "title": "mine" })).await;
    socket.until(|message| matches!(message, ServerMessage::State { view, .. } if view.title.as_deref() == Some("mine"))).await;
    server.queue(&id, "later").await;
    socket
        .until(|message| matches!(message, ServerMessage::State { view, .. } if view.queue.len() == 1))
        .await;
    server.act(&id, "kill").await;
    socket.until(state(SessionState::Closed)).await;
    server.stop().await;
}

#[tokio::test]
async fn several_sessions_share_a_socket_and_one_can_be_left() {
    let server = Machine::new().start().await;
    let (one, two) = (server.create("demo").await, server.create("demo").await);
    let mut socket = server.socket().await;
    socket.subscribe(&one).await;
    socket.subscribe(&two).await;
    let (first, second) = (server.send(&one, "hello").await, server.send(&two, "hello").await);
    ends_of(&mut socket, 2).await;
    let ended: Vec<_> = socket.log.iter().filter_map(ended).collect();
    assert!(ended.contains(&&first) && ended.contains(&&second));
    let left = socket.ask(json!({ "type": "session:unsubscribe", "sessionId": one })).await;
    assert!(matches!(left, ServerMessage::Ok { .. }));
    let from = socket.log.len();
    server.turn(&one, "hello again").await;
    let turn = server.send(&two, "hello again").await;
    socket.end_of(&turn).await;
    assert!(socket.log[from..].iter().all(|message| session_of(message) != Some(&one)));
    server.stop().await;
}

#[tokio::test]
async fn canonical_events_are_read_from_where_one_was() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    server.turn(&id, "/tools 2").await;
    let path = format!("/api/session/{id}/events");
    let mut events = server.events(&path, None).await;
    assert_eq!(events.status(), 200);
    assert!(events.head.to_lowercase().contains("content-type: text/event-stream"), "{}", events.head);
    let hello = events.next().await.unwrap();
    assert_eq!((hello.event.as_str(), hello.read::<Value>()["resume"].as_str()), ("hello", Some("reset")));
    assert!(hello.retry.is_some());
    let is_end = |event: &super::events::Event| event.data.contains("response_done");
    let mut all = Vec::new();
    while all.last().is_none_or(|last| !is_end(last)) {
        all.push(events.next().await.unwrap());
    }
    assert!(all.len() > 5 && all.iter().all(|event| event.event == "event" && event.id.is_some()));
    let middle = all[2].id.clone();
    let mut rest = server.events(&path, middle.as_deref()).await;
    assert_eq!(rest.next().await.unwrap().read::<Value>()["resume"], "ok");
    for expected in &all[3..] {
        assert_eq!(rest.next().await.as_ref(), Some(expected));
    }
    // What comes later is told to those who wait.
    server.turn(&id, "hello").await;
    rest.until(is_end).await;
    for path in [path, format!("/api/session/{id}/upserts")] {
        server.get(&path.replace(id.as_str(), "demo:nothing")).await.assert_problem(404, "SESSION_NOT_FOUND");
    }
    server.stop().await;
}

async fn closed_with(server: &Client, messages: Vec<Message>) -> u16 {
    let mut socket = server.socket().await;
    for message in messages {
        socket.raw(message).await;
    }
    loop {
        if let Err(frame) = socket.hear().await {
            return frame.expect("it is said why").code.into();
        }
    }
}

#[tokio::test]
async fn a_socket_that_is_used_wrongly_is_closed_with_the_reason() {
    let server = Machine::new().start().await;
    let nonsense = || Message::text("{}");
    assert_eq!(closed_with(&server, (0..60).map(|_| nonsense()).collect()).await, 1008);
    assert_eq!(closed_with(&server, vec![Message::text("x".repeat((1 << 20) + 1))]).await, 1009);
    assert_eq!(closed_with(&server, vec![Message::binary(vec![1])]).await, 1003);
    server.stop().await;
}

/// A program that follows a session knows where the server is and its token, and nothing else.
#[tokio::test]
async fn the_token_of_programs_outlives_the_server_and_ends_when_it_is_rotated() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    let first = server.token.clone();
    let mut events = server.events(&format!("/api/session/{id}/upserts"), None).await;
    let cursor = events.until(|event| event.id.is_some()).await.id.unwrap();
    server.crash().await;

    let server = machine.start_bare().await;
    assert_eq!(server.token, first);
    let mut socket = server.socket().await;
    let mut events = server.events(&format!("/api/session/{id}/upserts"), Some(&cursor)).await;
    assert!(events.next().await.unwrap().data.contains(r#""resume":"ok""#));
    assert_eq!(server.call("POST", "/auth/rotate", &[], None).await.status, 204);
    server.get("/api/meta").await.assert_problem(401, "UNAUTHORIZED");
    let closed = loop {
        if let Err(closed) = socket.hear().await {
            break closed.unwrap().code;
        }
    };
    assert_eq!(u16::from(closed), 4401);
    while events.next().await.is_some() {}
    let second = machine.token();
    assert_ne!(second, first);
    server.stop().await;

    let server = machine.start_bare().await;
    assert_eq!(server.token, second);
    assert_eq!(server.get("/api/meta").await.status, 200);
    server.stop().await;
}

/// Canonical events are kept within limits, so a place in them can be too old.
#[tokio::test]
async fn r03_p5_a_place_among_events_that_are_given_up_is_answered_by_a_reset() {
    let mut machine = Machine::with_fake();
    machine.settings += "[storage]\nevent-rows = 100\n";
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let path = format!("/api/session/{id}/events");
    server.turn(&id, "!say 1").await;
    let mut events = server.events(&path, None).await;
    let first = events.until(|event| event.id.is_some()).await.id.unwrap();
    let (epoch, number) = first.rsplit_once('.').unwrap();
    assert_eq!(number, "1");
    // Parts of one text are one event, so it takes many texts.
    server.turn(&id, &"!say 1 ".repeat(100)).await;
    for (cursor, verdict) in [
        (first.clone(), "reset"),
        (format!("{epoch}.999999999"), "reset"),
        (format!("{epoch}.{}", u64::MAX), "reset"),
        (format!("other.{number}"), "reset"),
        ("nonsense".to_owned(), "reset"),
    ] {
        let mut events = server.events(&path, Some(&cursor)).await;
        let hello = events.next().await.unwrap().data;
        assert!(hello.contains(&format!("\"resume\":\"{verdict}\"")), "{cursor}: {hello}");
    }
    let mut events = server.events(&path, Some(&first)).await;
    let oldest = events.until(|event| event.id.is_some()).await.id.unwrap();
    assert_ne!(oldest, first, "what is given up is not told");
    let mut events = server.events(&path, Some(&oldest)).await;
    assert!(events.next().await.unwrap().data.contains("\"resume\":\"ok\""));
    server.stop().await;
}
