//! What follows by itself while a session has an agent: the next message of the queue, a title, going to sleep. Owns one
//! task per agent; it ends with the agent.

use std::sync::{Arc, Weak};
use std::time::Duration;

use liminal_core::wire::rest::SessionState;
use liminal_core::wire::view::{AgentView, BackgroundWork};
use tokio::sync::watch;
use tokio::time::timeout;

use super::slot::Slot;
use super::{Sessions, Shared, offers};
use crate::metrics::Counted;
use crate::session::{Live, SessionHandle};
use crate::store::{SessionChange, TitleSource};

/// Between two tries to write what the log did not take.
const TRY_AGAIN: Duration = Duration::from_secs(10);

struct Attendant {
    /// Weak, because sessions own their tasks.
    sessions: Weak<Shared>,
    slot: Weak<Slot>,
    handle: SessionHandle,
    live: watch::Receiver<Live>,
    turns_ended: u64,
    state: SessionState,
    background: Option<BackgroundWork>,
    agent_title: Option<String>,
    /// What is kept of the agent.
    kept: Option<AgentView>,
    _counted: Counted,
}

impl Sessions {
    /// Begins to follow a session whose agent was just started.
    pub(super) fn attend(&self, slot: &Slot, handle: SessionHandle) {
        let Some(slot) = self.slots().get(&slot.id).cloned() else { return };
        let live = slot.board.watch();
        let (turns_ended, state, agent_title) = (live.borrow().turns_ended, live.borrow().view.state, None);
        let (sessions, slot) = (Arc::downgrade(&self.0), Arc::downgrade(&slot));
        let counted = self.0.metrics.agent();
        let attendant = Attendant {
            sessions,
            slot,
            handle,
            live,
            turns_ended,
            state,
            background: None,
            agent_title,
            kept: None,
            _counted: counted,
        };
        self.tasks().spawn(attendant.run());
    }

    /// Looks after a queue that changed while nothing ran.
    pub(super) fn attend_queue(&self, slot: &Arc<Slot>) {
        let (sessions, slot) = (self.clone(), Arc::clone(slot));
        self.tasks().spawn(async move {
            // What could not be sent stands in the queue with its reason.
            sessions.send_next(&slot).await.ok();
        });
    }
}

impl Attendant {
    async fn run(mut self) {
        loop {
            let Some((sessions, slot)) = self.sessions.upgrade().zip(self.slot.upgrade()) else { return };
            let sessions = Sessions(sessions);
            let live = self.live.borrow_and_update().clone();
            if !self.follow(&sessions, &slot, &live).await {
                drop((sessions, slot));
                return self.see_off().await;
            }
            let idle = sessions.0.parts.settings.idle;
            drop((sessions, slot));
            match timeout(idle, self.live.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(_) => self.sleep().await,
            }
        }
    }

    /// Does what a change asks for; tells whether the agent is still there.
    async fn follow(&mut self, sessions: &Sessions, slot: &Arc<Slot>, live: &Live) -> bool {
        if live.agent_title.is_some() && live.agent_title != self.agent_title {
            self.agent_title.clone_from(&live.agent_title);
            let title = live.agent_title.clone().unwrap_or_default();
            // A title is not worth failing for.
            sessions.entitle(slot, title, TitleSource::Agent).await.ok();
        }
        self.keep_offers(sessions, slot, live).await;
        if live.turns_ended != self.turns_ended {
            self.turns_ended = live.turns_ended;
            sessions.turn_ended(slot, live.has_failed).await;
            sessions.note_login(slot, live.login);
        }
        // A turn ends a moment before its session is idle, and a list that was read in between shows it running.
        let is_other_state = std::mem::replace(&mut self.state, live.view.state) != live.view.state;
        let background = std::mem::replace(&mut self.background, live.view.background);
        if is_other_state || background != live.view.background {
            sessions.announce(slot.project.clone());
        }
        if background.is_some() && live.view.background.is_none() {
            // What the agent writes of its end is its own.
            slot.works(sessions.now());
        }
        sessions.keep_attention(slot).await;
        // Work in the background that waits for an answer keeps no message waiting.
        let is_resting = matches!(live.view.state, SessionState::Idle | SessionState::Waiting);
        if is_resting && live.next_queued().is_some() {
            sessions.send_next(slot).await.ok();
        }
        let is_alive = self.handle.is_alive();
        if !is_alive {
            sessions.announce_of(slot);
        }
        is_alive
    }

    /// Until the agent is ready, what is shown of it was kept before.
    async fn keep_offers(&mut self, sessions: &Sessions, slot: &Slot, live: &Live) {
        let kept = offers::kept(&live.view.agent);
        if live.view.state == SessionState::Starting || self.kept.as_ref() == Some(&kept) {
            return;
        }
        // Kept again with the next change, if it fails.
        if sessions.keep_offers(slot, &kept).await.is_ok() {
            self.kept = Some(kept);
        }
    }

    /// Puts right what the log did not take of the agent, however often that takes a new try, unless the next one has
    /// come first.
    async fn see_off(self) {
        let Self { sessions, slot, handle, _counted: counted, .. } = self;
        drop(counted);
        handle.gone().await;
        while let Some((sessions, slot)) = sessions.upgrade().zip(slot.upgrade()) {
            let door = slot.door.lock().await;
            if slot.handle().is_some() {
                return;
            }
            // Another one may have come and gone meanwhile, of which something is still written.
            let last = slot.last_handle().unwrap_or_else(|| handle.clone());
            let sessions = Sessions(sessions);
            let Err(failure) = sessions.see_off(&slot, Some(last)).await else {
                drop(door);
                // An urgent message goes to a new agent if this one died instead of stopping.
                sessions.send_next(&slot).await.ok();
                return;
            };
            tracing::warn!(session = %slot.id, %failure, "cannot end what an agent left open");
            drop(door);
            drop(slot);
            timeout(TRY_AGAIN, std::future::pending::<()>()).await.ok();
        }
    }

    async fn sleep(&self) {
        let Some((sessions, slot)) = self.sessions.upgrade().zip(self.slot.upgrade()) else { return };
        let _door = slot.door.lock().await;
        Sessions(sessions).hibernate(&slot).await;
    }
}

impl Sessions {
    /// Keeps what is shown of an agent's login in step with what its turns show.
    fn note_login(&self, slot: &Slot, login: Option<bool>) {
        if let (Ok(provider), Some(is_there)) = (self.0.parts.providers.get(&slot.cli_type), login) {
            provider.note_login(is_there);
        }
    }

    async fn turn_ended(&self, slot: &Slot, has_failed: bool) {
        slot.works(self.now());
        let touched = SessionChange::Touched { at: self.now(), has_failed: Some(has_failed) };
        // The log has the turn's end; what a list shows of it comes right with the next one.
        self.0.parts.store.change_session(&slot.id, touched).await.ok();
        self.announce_of(slot);
    }
}
