//! Agents that act without asking. Owns when a person may choose that, and what is done about an agent that chooses it
//! by itself: it is recorded, and without `--allow-bypass` the agent is moved back or its turn is stopped.

use std::sync::{Arc, Weak};
use std::time::Duration;

use liminal_core::dialect::{AgentOption, Choice};
use liminal_core::error::ErrorCode;
use liminal_core::wire::rest::Configure;
use tokio::sync::watch;
use tokio::time::timeout;

use super::slot::Slot;
use super::{Failure, Sessions, Shared};
use crate::audit::{Action, Actor, Entry};
use crate::provider::{Guards, Standing};
use crate::session::{Live, SessionHandle};
use crate::store::StoredOptions;

/// How long an agent may take to go back to a mode in which it asks, before its turn is stopped.
const MOVE_BACK_PATIENCE: Duration = Duration::from_secs(2);

/// A choice and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged<'a> {
    choice: &'a str,
    standing: Standing,
}

/// A mode that the agent does not offer is an error, where it is known what it offers.
pub(super) fn refuse_unoffered(offered: &[Choice], mode: Option<&String>) -> Result<(), Failure> {
    let Some(mode) = mode.filter(|mode| offered.iter().all(|choice| choice.id != **mode)) else {
        return Ok(());
    };
    if offered.is_empty() {
        return Ok(());
    }
    let offered: Vec<&str> = offered.iter().map(|choice| choice.id.as_str()).collect();
    let problem = format!("permissionMode: `{mode}` is not offered; choose one of {}", offered.join(", "));
    Err(Failure::new(ErrorCode::InvalidRequest, problem))
}

/// Of all that is wished, what asks least.
pub(super) fn worst<'a>(
    guards: &Guards,
    options: &[AgentOption],
    wishes: &'a Configure,
) -> Option<Judged<'a>> {
    let mode = wishes.permission_mode.iter().map(|mode| Judged { choice: mode, standing: guards.mode(mode) });
    let others = wishes.options.iter().map(|(id, value)| {
        let option = options.iter().find(|option| option.id == *id);
        let category = option.and_then(|option| option.category.as_deref());
        Judged { choice: value, standing: guards.option(id, category, value) }
    });
    mode.chain(others).max_by_key(|judged| judged.standing)
}

impl Sessions {
    /// Which modes of a session's agent ask, as far as that is known while the agent does not run.
    pub(super) fn guards(&self, cli_type: &str, options: &StoredOptions) -> Guards {
        let provider = self.0.parts.providers.get(cli_type);
        let guards = provider.map_or_else(|_| Guards::of_type(cli_type), |provider| provider.guards());
        guards.starting_in(options.initial_mode.clone())
    }

    /// Whether a kept or wished mode needs the leave that it has; an error if it has none.
    pub(super) fn permit_mode(
        &self,
        cli_type: &str,
        options: &StoredOptions,
        is_confirmed: bool,
    ) -> Result<bool, Failure> {
        let Some(mode) = &options.permission_mode else { return Ok(false) };
        let provider = self.0.parts.providers.get(cli_type)?;
        refuse_unoffered(&provider.modes(), Some(mode))?;
        let standing = self.guards(cli_type, options).mode(mode);
        self.permit(cli_type, Judged { choice: mode, standing }, is_confirmed)
    }

    /// Whether a choice lets the agent act without asking, or may; that takes a flag at the server's start and a
    /// person's confirmation.
    pub(super) fn permit(
        &self,
        cli_type: &str,
        judged: Judged<'_>,
        is_confirmed: bool,
    ) -> Result<bool, Failure> {
        if !judged.standing.needs_leave() {
            return Ok(false);
        }
        match (self.0.parts.settings.allow_bypass, is_confirmed) {
            (true, true) => Ok(true),
            (false, _) => Err(not_allowed(cli_type, judged)),
            (true, false) => Err(not_confirmed(judged)),
        }
    }

    /// Watches that the agent of a session does not stop asking by itself.
    pub(super) fn guard(&self, slot: &Slot, handle: SessionHandle) {
        let Some(slot) = self.slots().get(&slot.id).cloned() else { return };
        let live = slot.board.watch();
        // An agent that could not be made to ask before its first prompt has escaped already.
        let seen = live.borrow().escapes - u64::from(is_escaped(&live.borrow()));
        let (sessions, slot) = (Arc::downgrade(&self.0), Arc::downgrade(&slot));
        self.tasks().spawn(Watchman { sessions, slot, handle, live, seen }.run());
    }

    /// Has an agent ask again, as it did before; tells whether it does.
    async fn move_back(&self, slot: &Slot, handle: &SessionHandle) -> bool {
        let mut live = slot.board.watch();
        let now = live.borrow_and_update().clone();
        let commands = now.guards.retreat(&now.view.agent, now.guarded_mode.as_deref());
        if commands.is_empty() || handle.configure(commands).await.is_err() {
            return false;
        }
        let is_settled = |live: &Live| !live.view.is_unguarded || live.refused.0 != now.refused.0;
        let settled = timeout(MOVE_BACK_PATIENCE, live.wait_for(is_settled)).await;
        settled.is_ok_and(|live| live.is_ok_and(|live| !live.view.is_unguarded))
    }

    async fn record_escape(&self, slot: &Slot, mode: Option<&str>, outcome: &'static str) {
        let mode = mode.unwrap_or("an option");
        tracing::warn!(session = %slot.id, mode, outcome, "an agent stopped asking by itself");
        let Some(audit) = &self.0.parts.audit else { return };
        let target = Some(format!("{} {mode}", slot.id));
        let (actor, action) = (Actor::Agent, Action::Bypass);
        audit.note(Entry { actor, address: None, action, target, outcome: outcome.into() }).await;
    }
}

fn is_escaped(live: &Live) -> bool {
    live.view.is_unguarded && !live.is_confirmed && live.escapes > 0
}

/// Follows one agent; ends with it.
struct Watchman {
    /// Weak, because sessions own their tasks.
    sessions: Weak<Shared>,
    slot: Weak<Slot>,
    handle: SessionHandle,
    live: watch::Receiver<Live>,
    /// Escapes that were dealt with.
    seen: u64,
}

impl Watchman {
    async fn run(mut self) {
        loop {
            let live = self.live.borrow_and_update().clone();
            if std::mem::replace(&mut self.seen, live.escapes) != live.escapes {
                self.escaped(&live).await;
            }
            let handle = self.handle.clone();
            tokio::select! {
                changed = self.live.changed() => if changed.is_err() { return },
                () = handle.gone() => return,
            }
        }
    }

    async fn escaped(&self, live: &Live) {
        let Some((sessions, slot)) = self.sessions.upgrade().zip(self.slot.upgrade()) else { return };
        let sessions = Sessions(sessions);
        let outcome = if sessions.0.parts.settings.allow_bypass {
            "shown"
        } else if sessions.move_back(&slot, &self.handle).await {
            "moved_back"
        } else {
            // An agent that is gone has stopped, too.
            self.handle.cancel().await.ok();
            "cancelled"
        };
        sessions.record_escape(&slot, live.view.agent.permission_mode.as_deref(), outcome).await;
    }
}

fn not_allowed(cli_type: &str, judged: Judged<'_>) -> Failure {
    let advice = match judged.standing {
        Standing::Unknown => format!("or list it in [agents.{cli_type}] asking-modes if it asks"),
        Standing::Asks | Standing::Configured | Standing::Unguarded => "or choose another mode".to_owned(),
    };
    let problem = format!("{}; start the server with --allow-bypass to use it, {advice}", known(judged));
    Failure::new(ErrorCode::BypassNotAllowed, problem)
}

fn not_confirmed(judged: Judged<'_>) -> Failure {
    let problem = format!("{}; confirm it with confirmUnguarded", known(judged));
    Failure::new(ErrorCode::BypassNotConfirmed, problem)
}

fn known(judged: Judged<'_>) -> String {
    let choice = judged.choice;
    match judged.standing {
        Standing::Unknown => format!("`{choice}` is not known to ask before the agent acts"),
        Standing::Asks | Standing::Configured | Standing::Unguarded => {
            format!("`{choice}` lets the agent act without asking")
        }
    }
}
