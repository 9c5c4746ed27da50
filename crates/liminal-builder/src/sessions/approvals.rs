//! What agents ask. Owns that each question is answered once, by an option that it offers, and that the answer is kept
//! before the agent hears it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use liminal_core::error::ErrorCode;
use liminal_core::ids::{ItemId, ProjectId, SessionId};
use liminal_core::time::Timestamp;
use liminal_core::upsert::{Upsert, UpsertBody};
use liminal_core::wire::approvals::{Approval, ApprovalList};
use liminal_core::wire::rest::PermissionAnswer;
use sha2::{Digest, Sha256};

use super::slot::Slot;
use super::{Failure, Sessions};
use crate::cluster::{Cluster, Record};
use crate::log::Key;
use crate::session::Live;

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
        let patience = self.0.parts.settings.permission;
        let ours = slots.iter().filter(|slot| self.is_ours(&slot.id));
        let ours = ours.flat_map(|slot| asked(&slot.id, slot.project.as_ref(), slot.board.now(), patience));
        let others = self.cluster().map(Cluster::records).unwrap_or_default();
        let others = others.iter().flat_map(|record| asked_elsewhere(record, patience));
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
            let problem = "there is no such question; it may have lapsed with its turn";
            return Err(Failure::new(ErrorCode::ApprovalNotFound, problem));
        };
        self.answer(&session, &item, answer, witness).await?;
        Ok(session)
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
        handle.answer(item.clone(), answer).await?;
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

fn asked_elsewhere(record: &Record, patience: Duration) -> Vec<Approval> {
    let mut live = Live::default();
    record.show(&mut live);
    asked(record.session(), record.row.project_id.as_ref(), live, patience)
}

fn asked(session: &SessionId, project: Option<&ProjectId>, live: Live, patience: Duration) -> Vec<Approval> {
    let title = live.view.title;
    let approval = |(item_id, item): (ItemId, Upsert)| Approval {
        id: approval_id(session, &item_id),
        session_id: session.clone(),
        project_id: project.cloned(),
        title: title.clone(),
        lapses_at: lapse(&item, patience),
        item,
    };
    live.asked.into_iter().map(approval).collect()
}

/// A question is shown in the moment in which the patience with it begins.
fn lapse(question: &Upsert, patience: Duration) -> Option<Timestamp> {
    question.emitted_at.instant().checked_add(patience).ok().map(Timestamp::from)
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
    Failure::new(ErrorCode::AlreadyAnswered, "this was answered before, or lapsed with its turn")
}
