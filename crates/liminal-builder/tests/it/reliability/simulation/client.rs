//! A simulated client: a person with a window, and a connection that may break at any moment. Owns what it does and
//! what it has been told; what it is shown is its view.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use liminal_builder::sessions::{Failure, Followed, Sessions};
use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::upsert::{Upsert, UpsertBody};
use liminal_core::wire::approvals::Approval;
use liminal_core::wire::rest::{
    CreateSession, EditQueued, LoadSession, MessageAccepted, PermissionAnswer, QueuedMessage, SendMessage,
};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::super::figures::Chance;
use super::provider::CLI_TYPE;
use super::view::View;
use super::world::{World, millis, pause, seconds};

/// What outlives a server.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) number: u64,
    pub(super) world: World,
    pub(super) views: Arc<Mutex<BTreeMap<SessionId, View>>>,
    letters: Arc<Mutex<Vec<Letter>>>,
}

/// A message that a person wrote.
#[derive(Debug, Clone)]
struct Letter {
    session: SessionId,
    text: String,
    queue: bool,
    answer: Option<MessageAccepted>,
    /// Nobody knows what became of it, and whoever wants can see that.
    is_given_up: bool,
}

impl Client {
    pub(super) fn new(number: u64, world: &World) -> Self {
        Self { number, world: world.clone(), views: Arc::default(), letters: Arc::default() }
    }

    /// Does one thing after another.
    pub(super) async fn act(self, sessions: Sessions, mut chance: Chance, times: u64) {
        for _ in 0..times {
            let longest = if chance.one_in(12) { 90_000 } else { 1_500 };
            // Nobody does something in the same moment as somebody else.
            pause(millis(chance.below(longest) / 4 * 4 + self.number)).await;
            self.step(&sessions, &mut chance).await;
        }
    }

    async fn step(&self, sessions: &Sessions, chance: &mut Chance) {
        self.world.count("steps");
        let Some(session) = self.world.session(chance) else { return self.create(sessions).await };
        match chance.below(30) {
            0..9 => self.write(sessions, session, chance).await,
            9..14 => self.write_again(sessions, chance).await,
            14..17 => self.cancel(sessions, &session, chance).await,
            17..24 => self.answer(sessions, chance).await,
            24..27 => self.rearrange(sessions, &session, chance).await,
            28 => self.resume(sessions, &session).await,
            27 if self.number == 0 => self.kill(sessions, &session).await,
            29 if self.world.lock().sessions.len() < 3 => self.create(sessions).await,
            _ => self.load(sessions, &session).await,
        }
    }

    async fn resume(&self, sessions: &Sessions, session: &SessionId) {
        self.world.release(session);
        self.told("resume", session, sessions.resume_queue(session).await);
    }

    async fn load(&self, sessions: &Sessions, session: &SessionId) {
        self.told("load", session, sessions.load(session, LoadSession::default()).await);
    }

    fn told<T>(&self, what: &str, about: impl std::fmt::Display, result: Result<T, Failure>) -> bool {
        let is_done = result.is_ok();
        let outcome = result.map_or_else(|failure| format!("{:?}", failure.code), |_| "done".to_owned());
        self.world.note(format_args!("client {}: {what} {about}: {outcome}", self.number));
        is_done
    }

    async fn create(&self, sessions: &Sessions) {
        let project_dir = super::server::project().display().to_string();
        let request =
            CreateSession { cli_type: CLI_TYPE.to_owned(), project_dir, provider_options: BTreeMap::new() };
        let result = sessions.create(request).await;
        if let Ok(opened) = &result {
            self.world.lock().sessions.push(opened.session_id.clone());
        }
        self.told("create", "", result);
    }

    async fn write(&self, sessions: &Sessions, session: SessionId, chance: &mut Chance) {
        let text = format!("message {}", self.world.number());
        let letter = Letter { session, text, queue: chance.one_in(2), answer: None, is_given_up: false };
        self.letters.lock().unwrap().push(letter.clone());
        self.send(sessions, letter, chance).await;
    }

    /// The same message under the same key, whether it was answered or not.
    async fn write_again(&self, sessions: &Sessions, chance: &mut Chance) {
        let letter = {
            let letters = self.letters.lock().unwrap();
            let index = chance.index(letters.len());
            letters.get(index).filter(|letter| !letter.is_given_up).cloned()
        };
        if let Some(letter) = letter {
            self.world.count("keys sent again");
            self.send(sessions, letter, chance).await;
        }
    }

    async fn send(&self, sessions: &Sessions, letter: Letter, chance: &mut Chance) {
        let message = SendMessage {
            message: letter.text.clone(),
            queue: letter.queue,
            client_message_id: Some(letter.text.replace(' ', "-")),
            attachments: Vec::new(),
        };
        let patience = if chance.one_in(3) { millis(chance.below(100)) } else { seconds(600) };
        let Ok(result) = timeout(patience, sessions.send(&letter.session, message)).await else {
            self.world.fault("answer lost", format_args!("client {}: {}", self.number, letter.text));
            return;
        };
        self.answered(&letter, &result);
        self.told("send", &letter.text, result);
    }

    fn answered(&self, letter: &Letter, result: &Result<MessageAccepted, Failure>) {
        let mut letters = self.letters.lock().unwrap();
        let Some(held) = letters.iter_mut().find(|held| held.text == letter.text) else { return };
        match result {
            Ok(accepted) => {
                let is_same = held.answer.as_ref().is_none_or(|before| is_same(before, accepted));
                self.world.must(is_same, || format!("{} was answered in two ways", letter.text));
                held.answer = Some(accepted.clone());
                let promise = (letter.session.clone(), accepted.clone());
                self.world.lock().promises.accepted.insert(letter.text.clone(), promise);
                self.world.count("messages accepted");
                self.world.promised();
            }
            Err(failure) => {
                held.is_given_up |= failure.code == ErrorCode::DeliveryUnknown;
                let is_mixed = failure.code == ErrorCode::IdempotencyMismatch;
                self.world.must(!is_mixed, || format!("{} was taken for another", letter.text));
            }
        }
    }

    async fn cancel(&self, sessions: &Sessions, session: &SessionId, chance: &mut Chance) {
        self.told("cancel", session, sessions.cancel(session).await);
        if chance.one_in(2) {
            self.told("cancel again", session, sessions.cancel(session).await);
        }
    }

    async fn kill(&self, sessions: &Sessions, session: &SessionId) {
        self.world.count("sessions killed");
        self.told("kill", session, sessions.kill(session).await);
    }

    /// Answers whatever is asked, perhaps in both windows.
    async fn answer(&self, sessions: &Sessions, chance: &mut Chance) {
        let approvals = sessions.approvals().approvals;
        let index = chance.index(approvals.len());
        let Some(approval) = approvals.into_iter().nth(index) else { return };
        let first = self.decide(sessions, &approval, chance.index(4));
        if chance.one_in(2) {
            let second = self.decide(sessions, &approval, chance.index(4));
            let (first, second) = tokio::join!(first, second);
            self.world.must(!(first && second), || format!("{} was answered by two", approval.item.item_id));
        } else {
            first.await;
        }
    }

    async fn decide(&self, sessions: &Sessions, approval: &Approval, choice: usize) -> bool {
        let asked = question(&approval.item);
        let option = ["allow_once", "allow_once", "deny", "deny_and_stop"][choice];
        let answer = PermissionAnswer {
            option_id: Some(option.to_owned()),
            answers: [(asked.clone(), "red".to_owned())].into(),
            reason: None,
        };
        let (world, name) = (self.world.clone(), asked.clone());
        let witness = Box::new(move |_, item| {
            Box::pin(async move {
                pause(millis(3)).await;
                let mut state = world.lock();
                state.promises.kept.insert(item, option.to_owned());
                if option == "allow_once" {
                    state.promises.allowed.insert(name);
                }
                Ok(())
            }) as liminal_builder::sessions::Keeping<'_>
        });
        let result = sessions.answer(&approval.session_id, &approval.item.item_id, answer, witness).await;
        if result.is_ok() {
            let decision = (approval.session_id.clone(), option.to_owned());
            self.world.lock().promises.decided.insert(approval.item.item_id.clone(), decision);
            self.world.count("answers acknowledged");
            self.world.promised();
        }
        self.told(option, asked, result)
    }

    /// Does something to a message that waits.
    async fn rearrange(&self, sessions: &Sessions, session: &SessionId, chance: &mut Chance) {
        let Ok(queue) = sessions.queue(session).await else { return };
        let index = chance.index(queue.queue.len());
        let Some(QueuedMessage { id, message, .. }) = queue.queue.into_iter().nth(index) else { return };
        match chance.below(5) {
            0 => {
                self.world.lock().promises.withdrawn.insert(message.clone());
                self.told("remove", message, sessions.remove_queued(session, &id).await);
            }
            1 => {
                let edit = EditQueued { message: None, position: Some(0) };
                self.told("move", message, sessions.edit_queued(session, &id, edit).await);
            }
            2 => {
                self.world.release(session);
                self.told("send now", message, sessions.send_queued_now(session, &id).await);
            }
            _ => {
                self.world.release(session);
                self.told("steer", message, sessions.steer(session, &id).await);
            }
        };
    }

    /// Follows every session that there is, as soon as it is seen.
    pub(super) async fn follow_all(self, sessions: Sessions) {
        let mut followed = JoinSet::new();
        loop {
            let all = self.world.lock().sessions.clone();
            for session in all.into_iter().skip(followed.len()) {
                followed.spawn(self.clone().follow(sessions.clone(), session, self.world.chance()));
            }
            pause(millis(1_000 + self.number)).await;
        }
    }

    /// Follows a session, and comes back whenever the connection is lost.
    pub(super) async fn follow(self, sessions: Sessions, session: SessionId, mut chance: Chance) {
        loop {
            let cursor = self.cursor(&session);
            if let Ok(Followed { subscription, .. }) = sessions.follow(&session, cursor.as_deref()).await {
                let entries = 1 + chance.index(8);
                let limit = liminal_builder::log::Limit { entries, bytes: 1 << 20 };
                let mut subscription = subscription.with_limit(limit);
                self.read(&mut subscription, &session, &mut chance).await;
            }
            self.world.count("connections lost");
            pause(millis(chance.below(3_000) / 4 * 4 + self.number)).await;
        }
    }

    async fn read(
        &self,
        subscription: &mut liminal_builder::log::Subscription,
        session: &SessionId,
        chance: &mut Chance,
    ) {
        while !chance.one_in(15) {
            if subscription.ready().await.is_err() {
                return;
            }
            // Those who wait are woken in any order; from here on each has a time of its own.
            let slow = if chance.one_in(20) { chance.below(10_000) } else { chance.below(60) };
            pause(millis(slow / 4 * 4 + 1 + self.number)).await;
            let Ok(delivery) = subscription.next().await else { return };
            let mut views = self.views.lock().unwrap();
            let view = views.entry(session.clone()).or_default();
            let is_whole = view.apply(&self.world, session, delivery, chance);
            drop(views);
            if !is_whole {
                return;
            }
        }
    }

    fn cursor(&self, session: &SessionId) -> Option<String> {
        let views = self.views.lock().unwrap();
        views.get(session)?.cursor.as_ref().map(ToString::to_string)
    }

    pub(super) fn view(&self, session: &SessionId) -> View {
        self.views.lock().unwrap().get(session).cloned().unwrap_or_default()
    }
}

/// Whether the same was answered: one that waited may have begun since.
fn is_same(before: &MessageAccepted, after: &MessageAccepted) -> bool {
    let waited = |accepted: &MessageAccepted| accepted.queued.as_ref().map(|queued| queued.id.clone());
    match (&before.turn_id, &after.turn_id) {
        (Some(before), Some(after)) => before == after,
        (None, None) => waited(before) == waited(after),
        (None, Some(_)) => true,
        (Some(_), None) => false,
    }
}

/// The name that an agent gave its question.
fn question(item: &Upsert) -> String {
    let UpsertBody::Permission(asked) = &item.body else { return String::new() };
    let question = asked.request.questions.first().map(|question| question.question.clone());
    let title = || asked.request.title.rsplit(' ').next().unwrap_or_default().to_owned();
    question.unwrap_or_else(title)
}
