use std::sync::atomic::{AtomicUsize, Ordering};

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::EditQueued;
use proptest::prelude::*;

use super::*;

const MOST: usize = 6;

#[derive(Debug, Clone)]
enum Step {
    Enqueue(String),
    Edit { id: usize, message: Option<String>, position: Option<u32> },
    Fail { id: usize },
    Forget,
    Remove { id: usize },
    Send { id: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let id = 0..12_usize;
    let message = prop::option::of("[a-zü\"]{0,5}");
    prop_oneof![
        4 => "[a-z]{0,5}".prop_map(Step::Enqueue),
        4 => (id.clone(), message, prop::option::of(0..9_u32))
            .prop_map(|(id, message, position)| Step::Edit { id, message, position }),
        1 => id.clone().prop_map(|id| Step::Fail { id }),
        1 => Just(Step::Forget),
        1 => id.clone().prop_map(|id| Step::Remove { id }),
        1 => id.prop_map(|id| Step::Send { id }),
    ]
}

/// What the queue should be.
#[derive(Debug, Default)]
struct Model {
    queue: Vec<QueuedMessage>,
    made: usize,
}

impl Model {
    fn find(&self, id: &str) -> Option<usize> {
        self.queue.iter().position(|message| message.id == id)
    }

    fn enqueue(&mut self, message: QueuedMessage) -> bool {
        let has_room = self.queue.len() < MOST;
        if has_room {
            self.queue.push(message);
        }
        has_room
    }

    fn edit(&mut self, id: &str, edit: &EditQueued) -> bool {
        let Some(from) = self.find(id) else { return false };
        let mut message = self.queue.remove(from);
        if let Some(text) = &edit.message {
            message.message.clone_from(text);
            message.failure = None;
        }
        let to = edit.position.map_or(from, |position| position as usize);
        self.queue.insert(to.min(self.queue.len()), message);
        true
    }
}

fn failure() -> ErrorInfo {
    ErrorInfo::new(ErrorCode::SpawnFailed, "no agent")
}

/// Takes a step in both; tells whether they agree on its outcome.
async fn agree(store: &Store, session: &SessionId, model: &mut Model, step: Step) -> bool {
    let name = |number: usize| format!("q{number}");
    match step {
        Step::Enqueue(text) => {
            model.made += 1;
            let message = queued(&name(model.made), &text);
            store.enqueue(session, message.clone(), MOST).await.unwrap() == model.enqueue(message)
        }
        Step::Edit { id, message, position } => {
            let edit = EditQueued { message, position };
            let expected = model.edit(&name(id), &edit);
            store.edit_queued(session, &name(id), edit).await.unwrap() == expected
        }
        Step::Fail { id } => {
            let Some(place) = model.find(&name(id)) else { return true };
            model.queue[place].failure = Some(failure());
            store.put_back(session, model.queue[place].clone(), place, None).await.unwrap();
            true
        }
        Step::Forget => {
            model.queue.iter_mut().for_each(|message| message.failure = None);
            store.forget_failures(session).await.unwrap();
            true
        }
        Step::Remove { id } => {
            let expected = model.find(&name(id)).map(|place| model.queue.remove(place));
            store.remove_queued(session, &name(id)).await.unwrap() == expected
        }
        Step::Send { id } => {
            let taken = model.find(&name(id)).map(|place| model.queue.remove(place));
            let message = taken.as_ref().map(|taken| taken.message.clone()).unwrap_or_default();
            let (turn_id, session_id) = ("t".into(), session.clone());
            let delivery = Delivery {
                turn_id,
                session_id,
                message,
                client_message_id: None,
                attachments: Vec::new(),
                at: at(0),
            };
            store.begin_delivery(delivery, Some(name(id))).await.unwrap() == taken.is_some()
        }
    }
}

#[test]
fn a_queue_is_a_list() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let world = World::new();
    let neighbour = SessionId::from("neighbour");
    runtime.block_on(world.store.enqueue(&neighbour, queued("q1", "untouched"), 1)).unwrap();
    let number = AtomicUsize::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    let result = runner.run(&prop::collection::vec(step(), 0..24), |steps| {
        let session = SessionId::from(format!("s{}", number.fetch_add(1, Ordering::Relaxed)));
        runtime.block_on(async {
            let mut model = Model::default();
            for step in steps {
                let shown = format!("{step:?}");
                prop_assert!(agree(&world.store, &session, &mut model, step).await, "{}", shown);
                prop_assert_eq!(&world.store.queue(&session).await.unwrap(), &model.queue, "{}", shown);
            }
            Ok(())
        })
    });
    result.unwrap();
    assert_eq!(runtime.block_on(world.store.queue(&neighbour)).unwrap(), [queued("q1", "untouched")]);
}

#[tokio::test]
async fn a_queue_outlives_a_kill_in_its_order() {
    let world = World::new();
    let session = SessionId::from("s");
    for id in ["a", "b", "c"] {
        assert!(world.store.enqueue(&session, queued(id, id), 3).await.unwrap());
    }
    assert!(!world.store.enqueue(&session, queued("d", "d"), 3).await.unwrap(), "it is full");
    let to_the_front = EditQueued { message: None, position: Some(0) };
    assert!(world.store.edit_queued(&session, "c", to_the_front).await.unwrap());
    let expected = ["c", "a", "b"].map(|id| queued(id, id));
    assert_eq!(world.after_kill().store.queue(&session).await.unwrap(), expected);
}

/// Also where it was not taken out: in one step, so that it is never lost in between.
#[tokio::test]
async fn a_message_is_put_back_where_it_was() {
    let (world, session) = (World::new(), SessionId::from("s"));
    for id in ["a", "b", "c"] {
        assert!(world.store.enqueue(&session, queued(id, id), MOST).await.unwrap());
    }
    let ids = async |world: &World| {
        let queue = world.store.queue(&"s".into()).await.unwrap();
        queue.into_iter().map(|message| message.id).collect::<String>()
    };
    world.store.remove_queued(&session, "b").await.unwrap();
    for (id, place, expected) in [("b", 1, "abc"), ("b", 9, "acb"), ("b", 0, "bac"), ("d", 2, "badc")] {
        world.store.put_back(&session, queued(id, id), place, None).await.unwrap();
        assert_eq!(ids(&world.after_kill()).await, expected);
    }
}
