//! Sessions that are made of others. Owns what a fork takes over from its source, which is not touched: what was said,
//! by the agent's own memory of it, and what was chosen, but never the leave to act unasked.

use std::sync::Arc;

use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{ForkSession, ForkedFrom, SessionStatus};

use super::changing::sound_title;
use super::past::until_told;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::provider::{Forked, Guards, OpenRequest, OpenedAgent};
use crate::store::{ForkSource, SessionRow, StoredOptions, TitleSource};

impl Sessions {
    /// Makes a session that has the history of another one so far, and goes on by itself.
    pub async fn fork(&self, id: &SessionId, request: ForkSession) -> Result<SessionStatus, Failure> {
        self.refuse_while_closing()?;
        let title = request.title.as_deref().map(sound_title).transpose()?;
        let slot = self.slot(id).await?;
        let source = self.0.parts.store.session(id).await?.ok_or_else(|| Failure::no_session(id))?;
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        let (project, directory) = self.place(&slot.directory).await?;
        let restricted = self.is_restricted(&project, &directory, &slot.cli_type)?;
        self.make_room().await?;
        let guards = self.guards(&slot.cli_type, &source.options);
        let options = taken_over(source.options, &guards);
        let open = OpenRequest {
            directory: directory.clone(),
            resume: None,
            options: self.opening(&options, restricted),
            past: Vec::new(),
        };
        let Forked { agent, origin } = provider.fork(id.clone(), open).await?;
        let (forked_from, forked_through) = origin.map(|origin| (origin.session_id, origin.through)).unzip();
        let options = StoredOptions { forked_from, forked_through: forked_through.flatten(), ..options };
        let row = self.new_row(&agent, &slot.cli_type, &project, directory, options);
        let made_of = ForkSource { session_id: id.clone(), title: source.title.clone() };
        let row = SessionRow { source: Some(made_of), ..entitled(row, title, source.title) };
        let fork = self.begin_fork(id, row, agent).await?;
        until_told(fork.board.watch()).await;
        self.refuse_stillborn(&fork.id, fork.board.now().view.failure).await?;
        Ok(self.status_of(&fork).await)
    }

    /// What a session was forked from: by the title that it has now, or, if it is gone, by the one that it had then.
    pub(super) async fn forked_from(&self, fork: &Slot) -> Option<ForkedFrom> {
        let ForkSource { session_id, title } = fork.source.clone()?;
        // What cannot be looked up now is not gone.
        let now = self.title_now(&session_id).await.unwrap_or_else(|_| Some(title.clone()));
        let is_gone = now.is_none();
        Some(ForkedFrom { session_id, title: now.unwrap_or(title), is_gone })
    }

    /// The title of a session that is kept, here or by another server. Nobody looks for others in what agents keep:
    /// whoever deleted a session here wants it gone.
    async fn title_now(&self, id: &SessionId) -> Result<Option<Option<String>>, Failure> {
        let open = self.slots().get(id).cloned();
        let known = if open.is_some() { open } else { self.slot_of_others(id).await? };
        if let Some(slot) = known {
            return Ok(Some(slot.board.now().view.title));
        }
        Ok(self.0.parts.store.session(id).await?.map(|row| row.title))
    }

    /// Takes a fork in with the files of its history, which are nobody's without it.
    async fn begin_fork(
        &self,
        source: &SessionId,
        row: SessionRow,
        mut agent: OpenedAgent,
    ) -> Result<Arc<Slot>, Failure> {
        self.inherit(source, &mut agent).await?;
        let fork = agent.session_id.clone();
        let begun = self.begin(row, agent).await;
        if begun.is_err() {
            self.0.parts.attachments.forget(&fork).await.ok();
        }
        begun
    }

    /// An agent that did not come up has nothing of the history: what is left of the fork would only mislead.
    async fn refuse_stillborn(&self, fork: &SessionId, failure: Option<ErrorInfo>) -> Result<(), Failure> {
        let Some(failure) = failure else { return Ok(()) };
        self.delete(fork).await?;
        let code = ErrorCode::from_word(&failure.code).unwrap_or(ErrorCode::SpawnFailed);
        Err(Failure::new(code, failure.message))
    }
}

/// What was chosen for the source holds for its fork; a person's leave to act unasked was for the source alone.
fn taken_over(source: StoredOptions, guards: &Guards) -> StoredOptions {
    StoredOptions {
        permission_mode: source.permission_mode.filter(|mode| !guards.mode(mode).needs_leave()),
        is_unguarded: false,
        forked_from: None,
        forked_through: None,
        ..source
    }
}

fn entitled(row: SessionRow, title: Option<String>, of_source: Option<String>) -> SessionRow {
    match title {
        Some(title) => SessionRow { title: Some(title), title_source: TitleSource::User, ..row },
        None => SessionRow { title: of_source.map(|title| format!("{title} (fork)")), ..row },
    }
}
