//! What agents ask. Owns that each question is answered once, by an option that it offers, and that the answer is kept
//! before the agent hears it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use liminal_core::error::ErrorCode;
use liminal_core::event::ToolArguments;
use liminal_core::ids::{ItemId, ProjectId, SessionId};
use liminal_core::upsert::{Upsert, UpsertBody};
use liminal_core::wire::approvals::{Approval, ApprovalList};
use liminal_core::wire::rest::PermissionAnswer;
use sha2::{Digest, Sha256};

use super::slot::Slot;
use super::{Failure, Sessions};
use crate::cluster::{Cluster, Record};
use crate::log::Key;
use crate::session::{Live, SessionError};

/// Keeps that a question of a session is answered. It is asked once, when nothing but the agent stands in the way,
/// and the agent hears the answer only afterwards.
pub type Witness<'a> = Box<dyn FnOnce(SessionId, ItemId) -> Keeping<'a> + Send + 'a>;

/// An answer on its way to where it is kept.
pub type Keeping<'a> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 'a>>;

impl Sessions {
    /// The questions of all sessions that wait, the oldest first.
    #[must_use]
    pub fn approvals(&self) -> ApprovalList {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let ours = slots.iter().filter(|slot| self.is_ours(&slot.id));
        let ours = ours.flat_map(|slot| asked(&slot.id, slot.project.as_ref(), slot.board.now()));
        let others = self.cluster().map(Cluster::records).unwrap_or_default();
        let others = others.iter().flat_map(|record| asked_elsewhere(record));
        let mut approvals: Vec<Approval> = ours.chain(others).collect();
        approvals.sort_by_key(|approval| approval.item.emitted_at.instant());
        ApprovalList { approvals }
    }

    /// Answers a question by the id that the list gave it.
    pub async fn answer_approval(
        &self,
        id: &str,
        answer: PermissionAnswer,
        witness: Witness<'_>,
    ) -> Result<SessionId, Failure> {
        let Some((session, item)) = self.question(id) else {
            return Err(no_such_request());
        };
        self.answer(&session, &item, answer, witness).await?;
        Ok(session)
    }

    /// The complete input of a request that waits.
    pub fn approval_input(&self, id: &str) -> Result<ToolArguments, Failure> {
        let (session, item) = self.question(id).ok_or_else(no_such_request)?;
        let live = self.slots().get(&session).map(|slot| slot.board.now()).ok_or_else(no_such_request)?;
        if let Some(whole) = live.whole_inputs.get(&item) {
            return Ok(whole.clone());
        }
        match live.asked.get(&item).map(|upsert| &upsert.body) {
            Some(UpsertBody::Permission(asked)) => Ok(asked.request.input.clone()),
            Some(_) | None => Err(no_such_request()),
        }
    }

    /// The session that asks a question, whichever server has it.
    #[must_use]
    pub fn asker(&self, id: &str) -> Option<SessionId> {
        let elsewhere = || {
            let records = self.cluster()?.records();
            let asks = |record: &&Arc<Record>| {
                let items = record.asked.iter().map(|question| &question.item_id).chain(&record.settled);
                items.into_iter().any(|item| approval_id(record.session(), item) == id)
            };
            records.iter().find(asks).map(|record| record.session().clone())
        };
        self.question(id).map(|(session, _)| session).or_else(elsewhere)
    }

    fn question(&self, id: &str) -> Option<(SessionId, ItemId)> {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        slots.iter().find_map(|slot| {
            let item = slot.known_questions().into_iter().find(|item| approval_id(&slot.id, item) == id)?;
            Some((slot.id.clone(), item))
        })
    }

    /// Answers a question of a session. The first answer counts.
    pub async fn answer(
        &self,
        id: &SessionId,
        item: &ItemId,
        answer: PermissionAnswer,
        witness: Witness<'_>,
    ) -> Result<(), Failure> {
        let slot = self.slot(id).await?;
        let Some(question) = slot.board.now().asked.get(item).cloned() else {
            return Err(self.not_waiting(&slot, item).await?);
        };
        check(&question, &answer)?;
        if !slot.answer_first(item) {
            return Err(already_answered());
        }
        if let Err(failure) = witness(id.clone(), item.clone()).await {
            slot.take_answer_back(item);
            return Err(failure);
        }
        let handle = slot.handle().ok_or_else(already_answered)?;
        let verdict = handle.answer(item.clone(), answer).await;
        if matches!(verdict, Err(SessionError::AnswerRefused(_))) {
            slot.take_answer_back(item);
        }
        verdict?;
        self.acted(&slot).await;
        Ok(())
    }

    /// Why an item cannot be answered.
    async fn not_waiting(&self, slot: &Arc<Slot>, item: &ItemId) -> Result<Failure, Failure> {
        let entry = self.0.parts.log.entry(&slot.id, &Key::Item(item.clone())).await?;
        let state = entry.and_then(|entry| serde_json::from_slice::<Upsert>(&entry.bytes).ok());
        Ok(match state.map(|state| state.body) {
            Some(UpsertBody::Permission(_)) => already_answered(),
            Some(_) | None => Failure::new(ErrorCode::ApprovalNotFound, "this item asks nothing"),
        })
    }
}

impl Slot {
    /// Questions that wait, and those that did so a while ago.
    fn known_questions(&self) -> Vec<ItemId> {
        let live = self.board.now();
        live.asked.into_keys().chain(self.answered_items()).chain(live.settled).collect()
    }
}

fn asked_elsewhere(record: &Record) -> Vec<Approval> {
    let mut live = Live::default();
    record.show(&mut live);
    asked(record.session(), record.row.project_id.as_ref(), live)
}

fn asked(session: &SessionId, project: Option<&ProjectId>, live: Live) -> Vec<Approval> {
    let title = live.view.title;
    let approval = |(item_id, item): (ItemId, Upsert)| Approval {
        id: approval_id(session, &item_id),
        session_id: session.clone(),
        project_id: project.cloned(),
        title: title.clone(),
        item,
    };
    live.asked.into_iter().map(approval).collect()
}

/// Ids of items hold signs that would have to be escaped in a path.
#[must_use]
pub fn approval_id(session: &SessionId, item: &ItemId) -> String {
    let digest = Sha256::digest(format!("{session}\u{0}{item}"));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn check(question: &Upsert, answer: &PermissionAnswer) -> Result<(), Failure> {
    let UpsertBody::Permission(asked) = &question.body else { return Ok(()) };
    let invalid = |problem: String| Err(Failure::new(ErrorCode::InvalidRequest, problem));
    match &answer.option_id {
        Some(chosen) if asked.request.options.iter().all(|option| option.option_id != *chosen) => {
            let offered: Vec<&str> =
                asked.request.options.iter().map(|option| option.option_id.as_str()).collect();
            invalid(format!("optionId: expected one of {}", offered.join(", ")))
        }
        None if answer.answers.is_empty() => invalid("expected optionId or answers".to_owned()),
        Some(_) | None => Ok(()),
    }
}

fn already_answered() -> Failure {
    Failure::new(
        ErrorCode::AlreadyAnswered,
        "this request was already answered, or expired when its turn ended",
    )
}

fn no_such_request() -> Failure {
    Failure::new(ErrorCode::ApprovalNotFound, "no such request; it may have expired when its turn ended")
}
