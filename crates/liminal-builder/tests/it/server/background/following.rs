//! Background work is shown as it goes on, to every reader alike.

use liminal_core::ids::SessionId;
use liminal_core::upsert::{UpsertBody, UpsertStatus};
use liminal_core::wire::rest::{HistoryPage, SessionState};
use liminal_core::wire::{Resume, ServerMessage};
use serde_json::json;

use super::{begin, calls, command, machine, open, output, rests, running, three, work};
use crate::pin::Pin;
use crate::server::client::Client;
use crate::server::events::Events;
use crate::server::screen::{Screen, texts};
use crate::server::socket::Socket;
use crate::world::both_pins;

both_pins!(
    background_work_is_followed_past_the_end_of_its_turn_by_every_reader,
    the_whole_output_of_a_background_command_is_shown
);

/// A client that goes away and comes back to where it was.
struct Returning {
    screen: Screen,
    epoch: String,
}

impl Returning {
    fn cursor(&self) -> String {
        format!("{}.{}", self.epoch, self.screen.seq())
    }

    /// Over a socket, until everything up to a change has come.
    async fn by_socket(&mut self, server: &Client, id: &SessionId, until: u64) {
        let mut socket = server.socket().await;
        let wish = json!({ "after": self.cursor(), "encoding": "append" });
        let (resume, epoch, _) = socket.subscribe_with(id, wish).await;
        assert_eq!(resume == Resume::Ok, epoch == self.epoch);
        self.epoch = epoch;
        while self.screen.seq() < until {
            let frame = socket.next().await;
            self.screen.apply(&frame);
        }
    }

    /// The same by server-sent events.
    async fn by_events(&mut self, server: &Client, id: &SessionId, until: u64) {
        let last = (!self.epoch.is_empty()).then(|| self.cursor());
        let mut events: Events = server.events(&format!("/api/session/{id}/upserts"), last.as_deref()).await;
        while self.screen.seq() < until {
            let event = events.next().await.expect("the stream goes on");
            if event.event == "hello" {
                continue;
            }
            if let Some((epoch, _)) = event.id.as_deref().and_then(|id| id.rsplit_once('.')) {
                epoch.clone_into(&mut self.epoch);
            }
            self.screen.apply(&event.read::<ServerMessage>());
        }
    }
}

/// Everything that a socket was sent, until a change has come.
async fn stays(socket: &mut Socket, until: u64) -> Screen {
    let mut screen = Screen::of(&socket.log);
    while screen.seq() < until {
        let frame = socket.next().await;
        screen.apply(&frame);
    }
    screen
}

async fn background_work_is_followed_past_the_end_of_its_turn_by_every_reader(pin: Pin) {
    let machine = machine(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let mut watcher = server.socket().await;
    watcher.subscribe(&id).await;
    let turn = begin(&server, &id, &work()).await;
    let status = server.status(&id).await;
    assert_eq!((status.view.state, status.view.is_alive), (SessionState::Idle, true));
    assert_eq!(server.list().await[0].background, status.view.background);
    let mut by_socket = Returning { screen: Screen::default(), epoch: String::new() };
    let mut by_events = Returning { screen: Screen::default(), epoch: String::new() };
    let open_page = server.history(&id).await;
    by_socket.by_socket(&server, &id, open_page.seq).await;
    by_events.by_events(&server, &id, open_page.seq).await;
    by_socket.screen.assert_is(&open_page);

    open(&machine, "two");
    let has_two = |page: &HistoryPage| calls(page).any(|(_, call)| output(call).ends_with("one\ntwo\n"));
    let middle = server.shows(&id, has_two).await;
    assert!(three(&middle, &turn).iter().all(|(item, _)| item.status != UpsertStatus::Complete));
    by_events.by_events(&server, &id, middle.seq).await;
    server.turn(&id, "say:meanwhile").await;
    // Stop is for turns: one that comes too late leaves background work alone.
    assert_eq!(server.act(&id, "cancel").await.status, 200);
    assert_eq!(running(&server.status(&id).await), 2);
    open(&machine, "inner");
    let page = server.shows(&id, |page| page.turns.len() == 6).await;
    assert_eq!(running(&server.status(&id).await), 1);
    by_socket.by_socket(&server, &id, page.seq).await;
    open(&machine, "three");
    let page = rests(&server, &id, 4).await;

    let [sub_agent, inner, outer] = three(&page, &turn);
    for (item, _) in [sub_agent, inner, outer] {
        assert_eq!((item.status, &item.error_code), (UpsertStatus::Complete, &None));
    }
    assert_eq!((output(inner.1), output(outer.1)), ("inner done", "one\ntwo\nthree\n"));
    let notes = ["Agent \"look\" finished", "Background command \"count\" completed (exit code 0)"];
    let expected =
        ["begin", "started", "say:meanwhile", "meanwhile", "end", notes[0], "done: ", notes[1], "done: "];
    assert_eq!(texts(&page.entries)[1..], expected);
    let reported = page
        .entries
        .iter()
        .find(|item| matches!(&item.body, UpsertBody::Message(said) if said.content == "end"));
    assert_eq!(reported.unwrap().parent_call_id.as_ref(), Some(&sub_agent.1.call_id));
    assert!(!server.status(&id).await.view.is_diverged);

    stays(&mut watcher, page.seq).await.assert_is(&page);
    by_socket.by_socket(&server, &id, page.seq).await;
    by_socket.screen.assert_is(&page);
    by_events.by_events(&server, &id, page.seq).await;
    by_events.screen.assert_is(&page);
    let mut late = Returning { screen: Screen::default(), epoch: String::new() };
    late.by_socket(&server, &id, page.seq).await;
    late.screen.assert_is(&page);
    server.stop().await;
}

/// Much at once, and a command that ends right after it has begun.
async fn the_whole_output_of_a_background_command_is_shown(pin: Pin) {
    let machine = machine(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let prompt = format!("{}\nthen:started", command("seq 1 200000"));
    server.send(&id, &prompt).await;
    let page = rests(&server, &id, 2).await;
    let all: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    let (_, call) = calls(&page).next().unwrap();
    assert!(output(call) == all, "{} bytes of {}", output(call).len(), all.len());
    let prompt = format!("{}\nthen:started", command("echo quick"));
    server.send(&id, &prompt).await;
    let page = rests(&server, &id, 4).await;
    assert_eq!(calls(&page).last().map(|(_, call)| output(call)), Some("quick\n"));
    server.stop().await;
}
