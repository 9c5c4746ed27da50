use std::sync::Arc;

use liminal_builder::log::memory::MemoryLog;
use liminal_builder::log::sqlite::Settings;
use liminal_builder::log::{Durability, Limit, StreamLog, Subscription};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use proptest::prelude::*;

use super::support::{Screen, little_memory, message, next, open, subscribe, whole};

#[derive(Debug, Clone)]
enum Step {
    /// A new state of an item, whose text goes on from its last one or is another one.
    Append {
        item: u8,
        bytes: usize,
        goes_on: bool,
        is_last: bool,
        is_synced: bool,
    },
    /// A reader comes, or comes back to where it was.
    Subscribe {
        reader: usize,
    },
    /// A reader is gone and remembers its place.
    Drop {
        reader: usize,
    },
    /// A reader reads once, a few entries.
    Read {
        reader: usize,
    },
    Trim {
        back: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let append =
        (0..6_u8, prop_oneof![0..60_usize, 3000..9000_usize], prop::bool::weighted(0.8), any::<bool>());
    prop_oneof![
        6 => (append, prop::bool::weighted(0.1)).prop_map(|((item, bytes, goes_on, is_last), is_synced)|
            Step::Append { item, bytes, goes_on, is_last, is_synced }),
        2 => (0..4_usize).prop_map(|reader| Step::Subscribe { reader }),
        1 => (0..4_usize).prop_map(|reader| Step::Drop { reader }),
        4 => (0..4_usize).prop_map(|reader| Step::Read { reader }),
        1 => (0..9_u64).prop_map(|back| Step::Trim { back }),
    ]
}

#[derive(Default)]
struct Reader {
    screen: Screen,
    subscription: Option<Subscription>,
}

struct World {
    log: Arc<dyn StreamLog>,
    session: SessionId,
    texts: [String; 6],
    readers: [Reader; 4],
}

impl World {
    async fn take(&mut self, step: &Step) {
        match *step {
            Step::Append { item, bytes, goes_on, is_last, is_synced } => {
                let text = &mut self.texts[usize::from(item)];
                if !goes_on {
                    text.clear();
                }
                text.push_str(&"ü\"x".repeat(bytes / 4));
                let status = if is_last { UpsertStatus::Complete } else { UpsertStatus::Update };
                let batch = message(&self.session, &format!("i{item}"), status, text);
                let durability = if is_synced { Durability::Synced } else { Durability::Grouped };
                self.log.append(&self.session, batch, durability).await.unwrap();
            }
            Step::Subscribe { reader } => self.subscribe(reader).await,
            Step::Drop { reader } => self.readers[reader].subscription = None,
            Step::Read { reader } => self.read(reader).await,
            Step::Trim { back } => {
                let head = self.log.head(&self.session).await.unwrap().borrow().seq;
                self.log.trim(&self.session, head.saturating_sub(back)).await.unwrap();
            }
        }
    }

    async fn subscribe(&mut self, reader: usize) {
        let reader = &mut self.readers[reader];
        let subscription = subscribe(&self.log, &self.session, reader.screen.cursor.as_ref()).await;
        reader.subscription = Some(subscription.with_limit(Limit { entries: 2, ..Limit::NONE }));
    }

    /// Only if there is something: a reader that waits is not what this is about.
    async fn read(&mut self, reader: usize) {
        let Reader { screen, subscription: Some(subscription) } = &mut self.readers[reader] else { return };
        if screen.cursor.as_ref() != Some(&subscription.head().cursor()) {
            screen.apply(next(subscription).await);
        }
    }

    async fn finish(mut self) -> (Vec<Screen>, Screen) {
        let whole = whole(&*self.log, &self.session).await;
        for reader in 0..self.readers.len() {
            self.subscribe(reader).await;
            while self.readers[reader].screen.cursor != whole.cursor {
                self.read(reader).await;
            }
        }
        (self.readers.map(|reader| reader.screen).into(), whole)
    }
}

/// The session of a case.
pub(super) fn law(number: usize) -> SessionId {
    SessionId::from(format!("law-{number}"))
}

pub(super) fn holds(log: &Arc<dyn StreamLog>, cases: u32) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(cases));
    let number = std::sync::atomic::AtomicUsize::new(0);
    let result = runner.run(&prop::collection::vec(step(), 0..60), |steps| {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let session = law(number);
        let (texts, readers) = Default::default();
        let mut world = World { log: Arc::clone(log), session, texts, readers };
        let (screens, whole) = runtime.block_on(async move {
            for step in &steps {
                world.take(step).await;
            }
            world.finish().await
        });
        for screen in screens {
            // What was trimmed may stay on the screen of a reader that had it.
            let kept = screen.entries.iter().filter(|(key, _)| whole.entries.contains_key(*key));
            prop_assert!(kept.eq(whole.entries.iter()));
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn any_readers_of_memory_end_in_the_same_state() {
    let log: Arc<dyn StreamLog> = Arc::new(MemoryLog::default());
    holds(&log, 64);
}

#[test]
fn any_readers_of_sqlite_end_in_the_same_state() {
    let directory = tempfile::tempdir().unwrap();
    let log: Arc<dyn StreamLog> = Arc::new(open(directory.path(), Settings::default()));
    holds(&log, 24);
}

#[test]
fn any_readers_of_sqlite_with_little_memory_end_in_the_same_state() {
    let directory = tempfile::tempdir().unwrap();
    let log: Arc<dyn StreamLog> = Arc::new(open(directory.path(), little_memory()));
    holds(&log, 24);
}
