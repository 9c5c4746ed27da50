use liminal_core::ids::SessionId;
use serde_json::{Value, json};

use super::*;

fn delivery(turn: &str, message: &str) -> Delivery {
    Delivery {
        turn_id: turn.into(),
        session_id: "s".into(),
        message: message.to_owned(),
        client_message_id: Some("mine".to_owned()),
        attachments: Vec::new(),
        at: at(7),
    }
}

/// Whenever the server is killed, a message is in the queue, or known to be on its way, or done.
#[tokio::test]
async fn a_message_leaves_the_queue_and_is_on_its_way_in_one_step() {
    let world = World::new();
    let session = SessionId::from("s");
    for id in ["q1", "q2"] {
        world.store.enqueue(&session, queued(id, &format!("text of {id}")), 9).await.unwrap();
    }
    let waiting = async |world: &World| {
        let queue = world.store.queue(&"s".into()).await.unwrap();
        queue.into_iter().map(|message| message.id).collect::<Vec<_>>()
    };
    assert_eq!(waiting(&world.after_kill()).await, ["q1", "q2"]);

    let sent = delivery("t1", "text of q1");
    assert!(world.store.begin_delivery(sent.clone(), Some("q1".to_owned())).await.unwrap());
    let killed = world.after_kill();
    assert_eq!(waiting(&killed).await, ["q2"]);
    assert_eq!(killed.store.unfinished_deliveries().await.unwrap(), [sent]);

    let again = queued("q1", "text of q1");
    world.store.put_back(&session, again, 0, Some("t1".into())).await.unwrap();
    let killed = world.after_kill();
    assert_eq!(waiting(&killed).await, ["q1", "q2"]);
    assert_eq!(killed.store.unfinished_deliveries().await.unwrap(), []);

    let sent = delivery("t1", "text of q1");
    assert!(world.store.begin_delivery(sent, Some("q1".to_owned())).await.unwrap());
    world.store.end_delivery(&"t1".into()).await.unwrap();
    world.store.end_delivery(&"never begun".into()).await.unwrap();
    let killed = world.after_kill();
    assert_eq!(waiting(&killed).await, ["q2"]);
    assert_eq!(killed.store.unfinished_deliveries().await.unwrap(), []);
}

/// A person may edit or remove a message in the moment in which its turn comes.
#[tokio::test]
async fn a_message_that_changed_meanwhile_is_not_sent() {
    let world = World::new();
    let session = SessionId::from("s");
    world.store.enqueue(&session, queued("q1", "new text"), 9).await.unwrap();
    for (message, id) in [("old text", "q1"), ("new text", "q2")] {
        let begun = world.store.begin_delivery(delivery("t1", message), Some(id.to_owned())).await.unwrap();
        assert!(!begun, "{message} {id}");
    }
    assert_eq!(world.store.unfinished_deliveries().await.unwrap(), []);
    assert_eq!(world.store.queue(&session).await.unwrap(), [queued("q1", "new text")]);
}

#[tokio::test]
async fn deliveries_are_told_in_the_order_in_which_they_began() {
    let world = World::new();
    for turn in ["z", "a", "m"] {
        assert!(world.store.begin_delivery(delivery(turn, turn), None).await.unwrap());
    }
    let turns: Vec<_> = world.after_kill().store.unfinished_deliveries().await.unwrap();
    assert_eq!(turns.iter().map(|delivery| delivery.turn_id.as_str()).collect::<Vec<_>>(), ["z", "a", "m"]);
}

#[tokio::test]
async fn a_request_is_done_once_and_its_answer_repeated() {
    let world = World::new();
    let begin = async |world: &World, key: &str, digest: &str| {
        world.store.begin_receipt("s", key, digest, at(5)).await.unwrap()
    };
    for (key, answer) in [("a", json!({"turnId": "t", "n": 1.5})), ("b", Value::Null), ("c", json!([]))] {
        assert_eq!(begin(&world, key, "one").await, Receipt::New);
        assert_eq!(begin(&world, key, "one").await, Receipt::Running);
        assert_eq!(begin(&world, key, "other").await, Receipt::Mismatch);
        assert_eq!(begin(&world.after_kill(), key, "one").await, Receipt::Running, "a kill forgets nothing");
        world.store.finish_receipt("s", key, Some(answer.clone())).await.unwrap();
        for world in [&world, &world.after_kill()] {
            assert_eq!(begin(world, key, "one").await, Receipt::Done(answer.clone()));
            assert_eq!(begin(world, key, "other").await, Receipt::Mismatch);
        }
    }
    assert_eq!(world.store.begin_receipt("other scope", "a", "x", at(5)).await.unwrap(), Receipt::New);
}

#[tokio::test]
async fn a_request_that_failed_can_be_tried_again() {
    let world = World::new();
    let begin = async || world.store.begin_receipt("s", "k", "d", at(5)).await.unwrap();
    assert_eq!(begin().await, Receipt::New);
    world.store.finish_receipt("s", "k", None).await.unwrap();
    assert_eq!(begin().await, Receipt::New);
    world.store.finish_receipt("s", "unknown", Some(Value::Null)).await.unwrap();
    assert_eq!(world.store.begin_receipt("s", "unknown", "d", at(5)).await.unwrap(), Receipt::New);
}

#[tokio::test]
async fn what_was_begun_before_a_kill_is_asked_for_at_the_start() {
    let world = World::new();
    for (key, second) in [("late", 9), ("early", 3), ("done", 1), ("old", 1)] {
        world.store.begin_receipt("s", key, "d", at(second)).await.unwrap();
    }
    for key in ["done", "late"] {
        world.store.finish_receipt("s", key, Some(json!(key))).await.unwrap();
    }
    world.store.forget_old_receipts(at(4)).await.unwrap();
    let world = world.after_kill();
    let pair = |key: &str| ("s".to_owned(), key.to_owned());
    assert_eq!(world.store.unfinished_receipts().await.unwrap(), [pair("old"), pair("early")]);
    let begin = async |key: &str| world.store.begin_receipt("s", key, "d", at(10)).await.unwrap();
    assert_eq!(begin("done").await, Receipt::New, "it was forgotten");
    assert_eq!(begin("late").await, Receipt::Done(json!("late")), "it was not old enough");
    assert_eq!(begin("old").await, Receipt::Running, "what nobody knows the end of is not forgotten");
}

/// The answer to a message may not have been kept, because the disk was full; the turn that came of it is the answer.
#[tokio::test]
async fn a_message_whose_turn_has_ended_is_answered_when_its_delivery_is_forgotten() {
    let (world, session) = (World::new(), SessionId::from("s"));
    let known = async |world: &World| world.store.begin_receipt("s", "mine", "digest", at(1)).await.unwrap();
    assert_eq!(known(&world).await, Receipt::New);
    assert!(world.store.begin_delivery(delivery("t1", "a"), None).await.unwrap());
    let mut encoder = crate::log::Encoder::default();
    encoder.turn_event(&liminal_core::upsert::TurnEvent::TurnError {
        turn_id: "t1".into(),
        session_id: session.clone(),
        error_code: "E".to_owned(),
        error_message: String::new(),
        usage: None,
    });
    crate::log::StreamLog::append(&*world.log, &session, encoder.take(), Durability::Synced).await.unwrap();
    assert_eq!(known(&world).await, Receipt::Running);
    let next = Delivery { client_message_id: Some("other".to_owned()), ..delivery("t2", "b") };
    assert!(world.store.begin_delivery(next, None).await.unwrap());
    assert_eq!(known(&world).await, Receipt::Done(json!({ "turnId": "t1" })));
}
