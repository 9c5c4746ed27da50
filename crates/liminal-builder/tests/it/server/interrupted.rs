//! A server that is stopped or killed while the real Claude Code answers and messages wait.

use liminal_core::upsert::TurnEvent;
use liminal_core::wire::Resume;
use liminal_core::wire::rest::Queue;
use liminal_core::wire::view::QueuePause;
use serde_json::json;

use super::machine::Machine;
use super::screen::{Screen, texts};
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(a_turn_a_queue_and_a_cursor_survive_servers_that_are_stopped_or_killed);

async fn a_turn_a_queue_and_a_cursor_survive_servers_that_are_stopped_or_killed(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let mut server = machine.start().await;
    let id = server.create("claude-code").await;
    server.turn(&id, "say:one").await;
    for (is_killed, queued) in [(true, "two"), (false, "three")] {
        let turn = server.send(&id, "words:2000 slow:10ms").await;
        server.queue(&id, &format!("say:{queued}")).await;
        let mut socket = server.socket().await;
        let (_, epoch, _) = socket.subscribe(&id).await;
        let mut screen = Screen::default();
        while !screen
            .items()
            .iter()
            .any(|item| item.turn_id == turn && texts(std::slice::from_ref(item))[0].contains("word9"))
        {
            screen.apply(&socket.next().await);
        }
        if is_killed {
            server.crash().await;
        } else {
            server.stop().await;
        }
        server = machine.start_bare().await;
        let status = server.status(&id).await.view;
        assert_eq!((status.queue.len(), status.queue_paused), (1, Some(QueuePause::Restart)));
        let page = server.history(&id).await;
        let ends = page.turns.iter().filter(|event| match event {
            TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. } => {
                *turn_id == turn
            }
            TurnEvent::TurnStarted { .. } => false,
        });
        assert_eq!(ends.count(), 1, "{:?}", page.turns);
        let mut socket = server.socket().await;
        let after = format!("{epoch}.{}", screen.seq());
        let (resume, ..) = socket.subscribe_with(&id, json!({ "after": after })).await;
        assert_eq!(resume, Resume::Ok);
        while screen.seq() < page.seq {
            screen.apply(&socket.next().await);
        }
        screen.assert_is(&page);

        server.act(&id, "queue/resume").await.read::<Queue>(200);
        server.shows(&id, |page| texts(&page.entries).last() == Some(&queued)).await;
        server.until(&id, |status| status.view.turn.is_none() && status.view.queue.is_empty()).await;
    }
    let page = server.history(&id).await;
    let said = texts(&page.entries);
    for text in ["say:one", "one", "say:two", "two", "say:three", "three"] {
        assert_eq!(said.iter().filter(|said| **said == text).count(), 1, "{text}: {said:?}");
    }
    server.stop().await;
}
