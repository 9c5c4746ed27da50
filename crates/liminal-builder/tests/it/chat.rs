//! A conversation, and what can be seen of it.

use std::time::Duration;

use liminal_builder::clock;
use liminal_builder::session::{SessionError, SessionHandle};
use liminal_core::event::Origin;
use liminal_core::ids::{ItemId, TurnId};
use liminal_core::upsert::{
    MessageBody, Output, PermissionBody, ToolCallBody, TurnEvent, TurnStatus, Upsert, UpsertBody,
    UpsertStatus,
};
use liminal_core::wire::rest::PermissionAnswer;
use tokio::sync::mpsc;

/// Far more than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Chat {
    pub(crate) handle: SessionHandle,
    pub(crate) log: Vec<Output>,
    pub(crate) outputs: mpsc::Receiver<Output>,
}

impl Chat {
    pub(crate) async fn send(&self, text: &str) -> Result<TurnId, SessionError> {
        let sent = self.handle.send(clock::new_turn_id(), text.into());
        tokio::time::timeout(PATIENCE, sent).await.expect("the turn is bound in bounded time")
    }

    /// Says something and waits for the end of the turn.
    pub(crate) async fn turn(&mut self, text: &str) -> TurnId {
        let turn = self.send(text).await.unwrap();
        self.end_of(&turn).await;
        turn
    }

    pub(crate) async fn end_of(&mut self, turn: &TurnId) {
        self.until(|output| is_end(output) && turn_of(output) == turn).await;
    }

    /// Waits for an output; what comes before it is kept.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Output) -> bool) -> Output {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.outputs.recv()).await;
            let output = next.unwrap_or_else(|_| panic!("nothing came; so far {:#?}", self.log));
            let output = output.unwrap_or_else(|| panic!("the session ended; so far {:#?}", self.log));
            self.log.push(output.clone());
            if wanted(&output) {
                return output;
            }
        }
    }

    pub(crate) async fn permission(&mut self) -> (ItemId, PermissionBody) {
        let waiting = |output: &Output| {
            matches!(
                output,
                Output::Upsert(Upsert { body: UpsertBody::Permission(_), status: UpsertStatus::Create, .. })
            )
        };
        match self.until(waiting).await {
            Output::Upsert(Upsert { item_id, body: UpsertBody::Permission(asked), .. }) => (item_id, asked),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn answer(&self, item_id: ItemId, option_id: &str) {
        let answer = PermissionAnswer {
            option_id: Some(option_id.to_owned()),
            answers: Default::default(),
            reason: None,
        };
        self.handle.answer(item_id, answer).await.unwrap();
    }

    /// Waits until the agent is gone.
    pub(crate) async fn end(&mut self) {
        let read_all = async {
            while let Some(output) = self.outputs.recv().await {
                self.log.push(output);
            }
        };
        tokio::time::timeout(PATIENCE, read_all).await.expect("the session ends in bounded time");
    }

    /// Ends the agent, and reads whatever is still on its way.
    pub(crate) async fn kill(&mut self) {
        let handle = self.handle.clone();
        let drain = async {
            while let Some(output) = self.outputs.recv().await {
                self.log.push(output);
            }
        };
        tokio::select! {
            () = handle.kill() => {}
            () = drain => handle.kill().await,
        }
        while let Ok(output) = self.outputs.try_recv() {
            self.log.push(output);
        }
    }

    pub(crate) fn upserts(&self) -> impl Iterator<Item = &Upsert> {
        self.log.iter().filter_map(|output| match output {
            Output::Upsert(upsert) => Some(upsert),
            Output::Turn(_) => None,
        })
    }

    /// The last state of every item but the prompts, in the order in which they came up.
    pub(crate) fn shown(&self) -> Vec<(UpsertStatus, Option<&str>, &UpsertBody)> {
        let mut items: Vec<&Upsert> = Vec::new();
        for upsert in self.upserts() {
            match items.iter_mut().find(|item| item.item_id == upsert.item_id) {
                Some(item) => *item = upsert,
                None => items.push(upsert),
            }
        }
        let is_prompt = |body: &UpsertBody| matches!(body, UpsertBody::Message(message) if message.origin == Origin::User);
        let items = items.into_iter().filter(|item| !is_prompt(&item.body));
        items.map(|item| (item.status, item.error_code.as_deref(), &item.body)).collect()
    }

    pub(crate) fn statuses(&self, item_id: &ItemId) -> Vec<UpsertStatus> {
        self.upserts().filter(|upsert| upsert.item_id == *item_id).map(|upsert| upsert.status).collect()
    }

    /// The finished messages, with who wrote them.
    pub(crate) fn messages(&self) -> Vec<&MessageBody> {
        self.finished()
            .filter_map(|upsert| match &upsert.body {
                UpsertBody::Message(message) => Some(message),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn thoughts(&self) -> Vec<&str> {
        self.finished()
            .filter_map(|upsert| match &upsert.body {
                UpsertBody::Thinking(thinking) => Some(thinking.content.as_str()),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn calls(&self) -> Vec<(&Upsert, &ToolCallBody)> {
        self.finished()
            .filter_map(|upsert| match &upsert.body {
                UpsertBody::ToolCall(call) => Some((upsert, call)),
                _ => None,
            })
            .collect()
    }

    fn finished(&self) -> impl Iterator<Item = &Upsert> {
        self.upserts().filter(|upsert| upsert.status == UpsertStatus::Complete)
    }

    pub(crate) fn said(&self) -> Vec<&str> {
        self.messages().into_iter().map(|message| message.content.as_str()).collect()
    }

    /// How each turn ended.
    pub(crate) fn ends(&self) -> Vec<String> {
        self.log
            .iter()
            .filter_map(|output| match output {
                Output::Turn(TurnEvent::TurnComplete { status: TurnStatus::Completed, .. }) => {
                    Some("completed".to_owned())
                }
                Output::Turn(TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. }) => {
                    Some("cancelled".to_owned())
                }
                Output::Turn(TurnEvent::TurnError { error_code, .. }) => Some(error_code.clone()),
                Output::Turn(TurnEvent::TurnStarted { .. }) | Output::Upsert(_) => None,
            })
            .collect()
    }

    /// What must hold of every conversation: lives in order, everything over once its turn is.
    pub(crate) fn assert_sound(&self) {
        let mut last = std::collections::BTreeMap::new();
        for upsert in self.upserts() {
            match last.insert(&upsert.item_id, upsert.status) {
                // What overtook a `create` before it was written has that status, or is the item's end.
                None => assert_ne!(upsert.status, UpsertStatus::Update, "not created: {upsert:?}"),
                Some(UpsertStatus::Create | UpsertStatus::Update) => {
                    assert_ne!(upsert.status, UpsertStatus::Create, "created twice: {upsert:?}");
                }
                Some(UpsertStatus::Complete | UpsertStatus::Error) => {
                    panic!("{upsert:?} came after the item's end");
                }
            }
        }
        let starts = self
            .log
            .iter()
            .filter(|output| matches!(output, Output::Turn(TurnEvent::TurnStarted { .. })))
            .count();
        assert_eq!(starts, self.ends().len(), "{:#?}", self.log);
    }
}

pub(crate) fn is_end(output: &Output) -> bool {
    matches!(output, Output::Turn(TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. }))
}

pub(crate) fn turn_of(output: &Output) -> &TurnId {
    match output {
        Output::Upsert(upsert) => &upsert.turn_id,
        Output::Turn(
            TurnEvent::TurnStarted { turn_id, .. }
            | TurnEvent::TurnComplete { turn_id, .. }
            | TurnEvent::TurnError { turn_id, .. },
        ) => turn_id,
    }
}

pub(crate) fn is_text(output: &Output, text: &str) -> bool {
    matches!(output, Output::Upsert(Upsert { body: UpsertBody::Message(message), .. }) if message.content.contains(text))
}
