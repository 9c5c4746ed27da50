//! The mode of a session before its first prompt. Owns that the agent is in the mode that was chosen, and that one
//! which starts by deciding for itself is made to ask; what is in force afterwards is what the agent confirms.

use std::sync::PoisonError;
use std::time::Duration;

use liminal_core::dialect::acp::AcpDialect;
use liminal_core::dialect::{AgentCommand, Notice};
use liminal_core::wire::view::AgentView;

use super::pipe::SharedPipe;
use super::{AcpAgent, Settings};
use crate::clock::Clock;
use crate::provider::handshake::{self, Opened};
use crate::provider::{Guards, OpenError, SessionOptions};

/// How long an agent may take to confirm a mode.
const PATIENCE: Duration = Duration::from_secs(5);

impl AcpAgent {
    /// Which modes and options ask, by all that is known of the agent.
    pub(super) fn judged(&self) -> Guards {
        let own_name = self.own_name.lock().unwrap_or_else(PoisonError::into_inner);
        let Settings { name, launch, asking_modes, .. } = &self.settings;
        Guards::of_agent(name, launch.known().as_ref(), own_name.as_deref()).with_asking(asking_modes)
    }

    /// Takes note of what the agent calls itself; the judgement follows from it.
    fn learn(&self, own_name: Option<&str>) -> Guards {
        *self.own_name.lock().unwrap_or_else(PoisonError::into_inner) = own_name.map(str::to_owned);
        self.judged()
    }

    /// Has the agent take the mode, and waits until it has confirmed or refused it.
    pub(super) async fn settle(
        &self,
        wanted: Wanted<'_>,
        opened: &mut Opened,
        (pipe, dialect, clock): (&mut SharedPipe, &mut AcpDialect, &Clock),
    ) -> Result<Guards, OpenError> {
        let guards = self.learn(dialect.agent_name()).starting_in(mode(&opened.notices));
        let commands = commands(&guards, &wanted, &reported(&opened.notices));
        if commands.is_empty() {
            return Ok(guards);
        }
        let is_done = |notices: &[Notice]| is_done(&commands, notices);
        handshake::wish(pipe, dialect, (&commands, clock), PATIENCE, opened, is_done).await?;
        let refused = wanted.mode.filter(|wanted| mode(&opened.notices).as_deref() != Some(wanted));
        if let Some(refused) = refused.filter(|_| !wanted.is_resumed) {
            let problem = refusal(refused, &opened.notices);
            return Err(OpenError::InvalidOption { option: "permissionMode", problem });
        }
        merge(&mut opened.notices);
        Ok(guards)
    }
}

/// What a session is to begin with.
pub(super) struct Wanted<'a> {
    mode: Option<&'a str>,
    /// Whether a person confirmed that the agent may act without asking.
    is_confirmed: bool,
    /// Whether the session is an earlier one, which has to open even if its mode is gone.
    is_resumed: bool,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(options: &'a SessionOptions, is_resumed: bool) -> Self {
        let mode = options.permission_mode.as_deref();
        Self { mode, is_confirmed: options.is_confirmed, is_resumed }
    }
}

/// The mode that the agent reported last.
fn mode(notices: &[Notice]) -> Option<String> {
    reported(notices).permission_mode
}

fn commands(guards: &Guards, wanted: &Wanted<'_>, agent: &AgentView) -> Vec<AgentCommand> {
    let chosen = wanted.mode.filter(|mode| agent.permission_mode.as_deref() != Some(mode));
    let chosen = chosen.map(|mode| AgentCommand::SetPermissionMode { mode: mode.to_owned() });
    if wanted.is_confirmed {
        return chosen.into_iter().collect();
    }
    let mut retreat = guards.retreat(agent, None);
    if wanted.mode.is_some() {
        retreat.retain(|command| !matches!(command, AgentCommand::SetPermissionMode { .. }));
    }
    chosen.into_iter().chain(retreat).collect()
}

/// Every command is confirmed, or one of them refused.
fn is_done(commands: &[AgentCommand], notices: &[Notice]) -> bool {
    let agent = reported(notices);
    let is_refused = notices.iter().any(|notice| matches!(notice, Notice::CommandRefused(_)));
    let holds = |command: &AgentCommand| match command {
        AgentCommand::SetPermissionMode { mode } => agent.permission_mode.as_ref() == Some(mode),
        AgentCommand::SetOption { id, value } => {
            let mut options = agent.abilities.options.iter();
            options.any(|option| option.id == *id && option.current.as_ref() == Some(value))
        }
        AgentCommand::Open { .. }
        | AgentCommand::Prompt { .. }
        | AgentCommand::Steer { .. }
        | AgentCommand::Cancel
        | AgentCommand::StopBackground
        | AgentCommand::Answer { .. }
        | AgentCommand::SetModel { .. } => true,
    };
    is_refused || commands.iter().all(holds)
}

fn refusal(mode: &str, notices: &[Notice]) -> String {
    let modes = reported(notices).abilities.permission_modes;
    let offered: Vec<String> = modes.into_iter().map(|choice| choice.id).collect();
    match offered.is_empty() {
        true => format!("the agent does not take `{mode}`; it offers no modes"),
        false => format!("the agent does not take `{mode}`; choose one of {}", offered.join(", ")),
    }
}

/// What the agent has reported so far.
fn reported(notices: &[Notice]) -> AgentView {
    let mut agent = AgentView::default();
    for notice in notices {
        if let Notice::PermissionMode { mode } = notice {
            agent.permission_mode = Some(mode.clone());
        } else if let Notice::Ready(abilities) = notice {
            agent.abilities.clone_from(abilities);
        } else if let Notice::AgentOptions(options) = notice {
            agent.abilities.options.clone_from(options);
        }
    }
    agent
}

/// Leaves of modes and options only the newest, so that nobody is shown a state that has passed.
fn merge(notices: &mut Vec<Notice>) {
    let AgentView { permission_mode, abilities, .. } = reported(notices);
    notices.retain(|notice| !matches!(notice, Notice::PermissionMode { .. } | Notice::AgentOptions(_)));
    for notice in notices.iter_mut() {
        if let Notice::Ready(told) = notice {
            told.options.clone_from(&abilities.options);
        }
    }
    notices.extend(permission_mode.map(|mode| Notice::PermissionMode { mode }));
}
