//! What is known of an agent that does not run: models, modes and commands to choose from, and which of them are in
//! force. Owns that it is kept while an agent runs and shown until the next one reports it itself.

use liminal_core::dialect::{Abilities, AttachmentAbilities};
use liminal_core::wire::view::AgentView;

use super::slot::Slot;
use super::{Failure, Sessions};
use crate::store::{InForce, SessionChange};

impl Sessions {
    /// Shows what an agent of this kind offered last.
    pub(super) async fn show_offers(&self, slot: &Slot) {
        let offers = self.0.parts.store.offers(&slot.cli_type, slot.project.as_ref()).await;
        // Without it the menus are empty until the agent runs; no reason to fail.
        let Ok(Some(offers)) = offers else { return };
        if slot.handle().is_none() {
            // The kept offers were judged by an earlier configuration.
            slot.board.change(|live| {
                show(&mut live.view.agent, offers);
                live.judge();
            });
        }
    }

    /// Keeps what a running agent offers and what is in force.
    pub(super) async fn keep_offers(&self, slot: &Slot, agent: &AgentView) -> Result<(), Failure> {
        let store = &self.0.parts.store;
        let in_force = InForce { model: agent.model.clone(), permission_mode: agent.permission_mode.clone() };
        store.change_session(&slot.id, SessionChange::InForce(in_force)).await?;
        store.keep_offers(&slot.cli_type, slot.project.as_ref(), agent.abilities.clone()).await?;
        Ok(())
    }
}

/// The part of an agent's view that is kept.
pub(super) fn kept(agent: &AgentView) -> AgentView {
    AgentView { pid: None, context: None, unknown_lines: 0, ..agent.clone() }
}

fn show(agent: &mut AgentView, offers: Abilities) {
    let known = &agent.abilities;
    let attachments = AttachmentAbilities {
        images: known.attachments.images || offers.attachments.images,
        files: known.attachments.files || offers.attachments.files,
    };
    let is_known = !known.permission_modes.is_empty();
    let permission_modes = if is_known { known.permission_modes.clone() } else { offers.permission_modes };
    let mut options = offers.options;
    // Only these two can be chosen while no agent runs.
    options.retain(|option| matches!(option.category.as_deref(), Some("mode" | "model")));
    let fork = known.fork || offers.fork;
    agent.abilities = Abilities { attachments, permission_modes, options, fork, steer: false, ..offers };
    set_options(agent);
}

/// Agents report model and mode as options, too; both show the same.
pub(super) fn set_options(agent: &mut AgentView) {
    for option in &mut agent.abilities.options {
        match option.category.as_deref() {
            Some("mode") => option.current.clone_from(&agent.permission_mode),
            Some("model") => option.current.clone_from(&agent.model),
            Some(_) | None => {}
        }
    }
}
