//! What a person may do to a session beside talking. Owns cancelling, choosing, naming, putting away and forgetting.

use std::sync::Arc;
use std::time::Duration;

use liminal_core::dialect::AgentCommand;
use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::queue_gate::QueueEvent;
use liminal_core::wire::rest::{Configure, SessionStatus};
use tokio::time::timeout;

use super::guarding::{refuse_unoffered, worst};
use super::offers::set_options;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::session::{Live, SessionHandle};
use crate::store::{SessionChange, TitleSource};

/// How long an agent may take to say what became of a wish.
const CONFIGURE_PATIENCE: Duration = Duration::from_secs(5);
/// More than a list or a tab can show.
const LONGEST_TITLE: usize = 200;

impl Sessions {
    /// Stops the running turn, if there is one, and pauses the queue: nothing is begun in its place.
    pub async fn cancel(&self, id: &SessionId) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        // Also between two turns, when the next message is about to be sent.
        slot.board.queue_event(QueueEvent::Stopped);
        self.interrupt(&slot).await;
        self.acted(&slot).await;
        Ok(self.status_of(&slot).await)
    }

    /// Stops what runs in the background; a turn that runs goes on.
    pub async fn stop_background(&self, id: &SessionId) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        if let Some(handle) = slot.handle() {
            // An agent that is gone meanwhile has stopped, too.
            handle.stop_background().await.ok();
        }
        self.acted(&slot).await;
        Ok(self.status_of(&slot).await)
    }

    /// Stops the running turn, if there is one.
    pub(super) async fn interrupt(&self, slot: &Slot) {
        if let Some(handle) = slot.handle() {
            if slot.board.now().view.turn.is_some() {
                slot.board.queue_event(QueueEvent::Interrupted);
            }
            // An agent that is gone meanwhile has stopped, too.
            handle.cancel().await.ok();
        }
    }

    /// Chooses what the agent offers; what it does not grant is an error.
    pub async fn configure(&self, id: &SessionId, wishes: Configure) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        let live = slot.board.now();
        let wishes = by_name(wishes, &live);
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        let told = live.view.agent.abilities.modes();
        let offered = if told.is_empty() { provider.modes() } else { told.to_vec() };
        refuse_unoffered(&offered, wishes.permission_mode.as_ref())?;
        let judged = worst(&live.guards, &live.view.agent.abilities.options, &wishes);
        let is_confirmed = match judged {
            Some(judged) => self.permit(&slot.cli_type, judged, wishes.confirm_unguarded)?,
            None => false,
        };
        if is_confirmed && !live.view.is_unguarded && provider.restarts_to_unguard() {
            self.retire(&slot).await?;
        }
        self.apply(&slot, &wishes, is_confirmed).await?;
        self.keep_wishes(&slot, wishes, is_confirmed).await?;
        Ok(self.status_of(&slot).await)
    }

    /// Tells the agent, if one runs, what is wished.
    async fn apply(&self, slot: &Slot, wishes: &Configure, is_confirmed: bool) -> Result<(), Failure> {
        let Some(handle) = slot.handle() else {
            if wishes.options.is_empty() {
                return Ok(());
            }
            let problem = "options can be chosen while the agent runs; send a message first";
            return Err(Failure::new(ErrorCode::WrongState, problem));
        };
        // Before the agent hears of it, so that what follows is not taken for the agent's own doing.
        let was_confirmed = slot.board.now().is_confirmed;
        slot.board.change(|live| live.is_confirmed |= is_confirmed);
        let granted = grant(slot, &handle, wishes).await;
        if granted.is_err() {
            slot.board.change(|live| live.is_confirmed = was_confirmed);
        }
        granted
    }

    /// Ends an agent that was begun guarded, because it may not let itself be told otherwise: the next one is.
    async fn retire(&self, slot: &Slot) -> Result<(), Failure> {
        let _door = slot.door.lock().await;
        self.hibernate(slot).await;
        if slot.handle().is_some() {
            let problem = "the agent is started anew for this; wait until it has finished, or stop it";
            return Err(Failure::new(ErrorCode::WrongState, problem));
        }
        Ok(())
    }

    /// The next agent of the session begins with the same choices. A confirmation lasts until nothing needs it.
    async fn keep_wishes(&self, slot: &Slot, wishes: Configure, is_confirmed: bool) -> Result<(), Failure> {
        let store = &self.0.parts.store;
        let Some(mut row) = store.session(&slot.id).await? else { return Ok(()) };
        row.options.permission_mode = wishes.permission_mode.or(row.options.permission_mode);
        row.options.model = wishes.model.or(row.options.model);
        slot.board.change(|live| {
            if slot.handle().is_none() {
                let agent = &mut live.view.agent;
                agent.model = row.options.model.clone().or(agent.model.take());
                agent.permission_mode = row.options.permission_mode.clone().or(agent.permission_mode.take());
                set_options(agent);
            }
            let is_needed = live.guards.in_force(&live.view.agent).needs_leave();
            live.is_confirmed = is_confirmed || (row.options.is_unguarded && is_needed);
            live.judge();
            row.options.is_unguarded = live.is_confirmed;
        });
        store.change_session(&slot.id, SessionChange::Options(row.options)).await?;
        Ok(())
    }

    /// Gives a session the title that a person wants.
    pub async fn rename(&self, id: &SessionId, title: &str) -> Result<SessionStatus, Failure> {
        let title = sound_title(title)?;
        let slot = self.slot(id).await?;
        self.entitle(&slot, title, TitleSource::User).await?;
        Ok(self.status_of(&slot).await)
    }

    /// Puts a session away, or takes it back, also from where ended ones are.
    pub async fn archive(&self, id: &SessionId, is_archived: bool) -> Result<SessionStatus, Failure> {
        let slot = self.slot(id).await?;
        self.0.parts.store.change_session(id, SessionChange::Archived(is_archived)).await?;
        slot.board.change(|live| live.view.is_archived = is_archived);
        if is_archived {
            let _door = slot.door.lock().await;
            self.hibernate(&slot).await;
        } else if self.was_killed(&slot).await? {
            self.revive(&slot).await?;
        }
        self.announce_of(&slot);
        Ok(self.status_of(&slot).await)
    }

    /// Ends a session and forgets what is kept of it. What its agent keeps stays.
    pub async fn delete(&self, id: &SessionId) -> Result<(), Failure> {
        let slot = self.slot(id).await?;
        let _door = slot.door.lock().await;
        if let Some(handle) = slot.handle() {
            handle.kill().await;
            slot.set_handle(None);
        }
        self.0.parts.log.remove(id).await?;
        self.0.parts.store.remove_session(id).await?;
        self.0.parts.attachments.forget(id).await?;
        self.forget_everywhere(id).await?;
        self.slots().remove(id);
        self.announce_of(&slot);
        Ok(())
    }

    /// Ends the agents of a project that is to be forgotten.
    pub async fn leave_project(&self, project: &liminal_core::ids::ProjectId) {
        let of_project = |slot: &Arc<Slot>| slot.project.as_ref() == Some(project);
        let slots: Vec<_> = self.slots().values().filter(|slot| of_project(slot)).cloned().collect();
        for slot in slots {
            if let Some(handle) = slot.handle() {
                handle.kill().await;
            }
            self.slots().remove(&slot.id);
        }
        self.announce(None);
    }
}

/// A title as a person gave it, without what no list can show.
pub(super) fn sound_title(title: &str) -> Result<String, Failure> {
    let title: String = title.chars().filter(|letter| !letter.is_control()).collect();
    let title = title.trim();
    if title.is_empty() || title.chars().count() > LONGEST_TITLE {
        let problem = format!("title: expected 1 to {LONGEST_TITLE} letters");
        return Err(Failure::new(ErrorCode::InvalidRequest, problem));
    }
    Ok(title.to_owned())
}

/// Agents offer model and mode as options, too. Whoever chooses them so has chosen them by name: only there they are
/// guarded and kept.
fn by_name(mut wishes: Configure, live: &Live) -> Configure {
    for option in &live.view.agent.abilities.options {
        let named = match option.category.as_deref() {
            Some("mode") => &mut wishes.permission_mode,
            Some("model") => &mut wishes.model,
            Some(_) | None => continue,
        };
        if let Some(choice) = wishes.options.remove(&option.id) {
            named.get_or_insert(choice);
        }
    }
    wishes
}

/// Waits until the agent has granted or refused what is wished; one that says neither is not waited for.
async fn grant(slot: &Slot, handle: &SessionHandle, wishes: &Configure) -> Result<(), Failure> {
    let mut live = slot.board.watch();
    let refused = live.borrow_and_update().refused.0;
    handle.configure(commands(wishes)).await?;
    let is_settled = |live: &Live| live.refused.0 != refused || is_granted(live, wishes);
    if let Ok(Ok(live)) = timeout(CONFIGURE_PATIENCE, live.wait_for(is_settled)).await
        && live.refused.0 != refused
    {
        let problem = live.refused.1.as_ref().map(|error| error.message.clone()).unwrap_or_default();
        return Err(Failure::new(ErrorCode::InvalidRequest, problem));
    }
    Ok(())
}

fn commands(wishes: &Configure) -> Vec<AgentCommand> {
    let model = wishes.model.clone().map(|model| AgentCommand::SetModel { model: Some(model) });
    let mode = wishes.permission_mode.clone().map(|mode| AgentCommand::SetPermissionMode { mode });
    let options = wishes.options.iter();
    let options = options.map(|(id, value)| AgentCommand::SetOption { id: id.clone(), value: value.clone() });
    model.into_iter().chain(mode).chain(options).collect()
}

fn is_granted(live: &Live, wishes: &Configure) -> bool {
    let agent = &live.view.agent;
    let is = |wish: &Option<String>, now: &Option<String>| wish.is_none() || wish == now;
    let has = |(id, value): (&String, &String)| {
        agent
            .abilities
            .options
            .iter()
            .any(|option| option.id == *id && option.current.as_ref() == Some(value))
    };
    is(&wishes.model, &agent.model)
        && is(&wishes.permission_mode, &agent.permission_mode)
        && wishes.options.iter().all(has)
}
