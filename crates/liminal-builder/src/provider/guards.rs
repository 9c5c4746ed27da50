//! Whether an agent asks before it acts. Owns the judgement of modes and options, by the table of known agents and by
//! what the user configured; what follows from it is decided by the sessions.

mod known;

use std::sync::Arc;

use liminal_core::dialect::{Abilities, AgentCommand, AgentOption};
use liminal_core::wire::guard::Guard;
use liminal_core::wire::view::AgentView;

use crate::agents::Launch;
use known::Profile;

/// What is known of a mode or of the value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The agent asks, or cannot act.
    Asks,
    /// What the agent asks is up to its own configuration, or it is the mode in which an unknown agent starts.
    Configured,
    /// Nothing is known of it.
    Unknown,
    /// The agent acts without asking.
    Unguarded,
}

impl Standing {
    /// What clients are shown.
    #[must_use]
    pub const fn guard(self) -> Guard {
        match self {
            Self::Asks => Guard::Asks,
            Self::Configured | Self::Unknown => Guard::MayAct,
            Self::Unguarded => Guard::Unguarded,
        }
    }

    /// Whether choosing it takes `--allow-bypass` and a confirmation.
    #[must_use]
    pub const fn needs_leave(self) -> bool {
        match self {
            Self::Asks | Self::Configured => false,
            Self::Unknown | Self::Unguarded => true,
        }
    }
}

/// The judgement on one kind of agent. Nothing is known of the default one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guards {
    known: Option<&'static Profile>,
    /// Modes of which the user says that they ask.
    asking: Arc<[String]>,
    /// The mode in which the agent starts by itself.
    initial: Option<String>,
}

impl Guards {
    /// The judgement on the agent of a CLI type, without any further hint.
    #[must_use]
    pub fn of_type(cli_type: &str) -> Self {
        Self { known: known::by_name(cli_type), ..Self::default() }
    }

    /// The judgement on an agent by what it calls itself, else by its CLI type, else by its program.
    #[must_use]
    pub fn of_agent(cli_type: &str, launch: Option<&Launch>, own_name: Option<&str>) -> Self {
        let known = own_name.and_then(known::by_own_name);
        let known = known.or_else(|| known::by_name(cli_type)).or_else(|| known::by_launch(launch?));
        Self { known, ..Self::default() }
    }

    /// Trusts the user that these modes ask, unless they are known to be unguarded.
    #[must_use]
    pub fn with_asking(mut self, modes: &[String]) -> Self {
        self.asking = modes.into();
        self
    }

    /// Remembers the mode in which the agent starts.
    #[must_use]
    pub fn starting_in(mut self, mode: Option<String>) -> Self {
        self.initial = mode;
        self
    }

    /// The mode in which the agent starts, where that is known.
    #[must_use]
    pub fn initial(&self) -> Option<&str> {
        self.initial.as_deref()
    }

    /// What is known of a mode.
    #[must_use]
    pub fn mode(&self, mode: &str) -> Standing {
        let of_table = self.known.and_then(|known| known.mode(mode));
        match of_table {
            Some(standing) => standing,
            None if self.asking.iter().any(|asking| asking == mode) => Standing::Asks,
            None if known::is_unguarded_anywhere(mode) => Standing::Unguarded,
            None if self.initial.as_deref() == Some(mode) => Standing::Configured,
            None => Standing::Unknown,
        }
    }

    /// What is known of an option's value.
    #[must_use]
    pub fn option(&self, id: &str, category: Option<&str>, value: &str) -> Standing {
        if is_mode(id, category) {
            return self.mode(value);
        }
        if category.is_some_and(|category| HARMLESS_CATEGORIES.contains(&category)) {
            return Standing::Asks;
        }
        let is_off = OFF.contains(&value.to_ascii_lowercase().as_str());
        match () {
            () if known::is_unguarded_anywhere(value) => Standing::Unguarded,
            () if is_off => Standing::Asks,
            () if known::is_switch(id) => Standing::Unguarded,
            () if suggests_approval(id, category) => Standing::Unknown,
            () => Standing::Asks,
        }
    }

    /// What is known of the mode and the options in force.
    #[must_use]
    pub fn in_force(&self, agent: &AgentView) -> Standing {
        let mode =
            agent.permission_mode.as_deref().map_or_else(|| self.without_mode(), |mode| self.mode(mode));
        let options = agent.abilities.options.iter().filter(|option| !is_reported_as_mode(option));
        options.filter_map(|option| self.current(option)).fold(mode, Standing::max)
    }

    /// Notes at each choice whether the agent asks once it is chosen.
    pub fn mark(&self, abilities: &mut Abilities) {
        for choice in &mut abilities.permission_modes {
            choice.guard = Some(self.mode(&choice.id).guard());
        }
        for option in &mut abilities.options {
            let (id, category) = (&option.id, option.category.as_deref());
            let is_telling = is_mode(id, category)
                || option
                    .choices
                    .iter()
                    .any(|choice| self.option(id, category, &choice.id) != Standing::Asks);
            for choice in option.choices.iter_mut().filter(|_| is_telling) {
                choice.guard = Some(self.option(id, category, &choice.id).guard());
            }
        }
    }

    /// What makes an agent ask again that acts without asking, as far as it offers that. `mode` is the one to return to.
    #[must_use]
    pub fn retreat(&self, agent: &AgentView, mode: Option<&str>) -> Vec<AgentCommand> {
        let is_unguarded =
            agent.permission_mode.as_deref().is_some_and(|mode| self.mode(mode) == Standing::Unguarded);
        let mode = mode.map(str::to_owned).or_else(|| self.asking_mode(&agent.abilities));
        let mode = mode.filter(|_| is_unguarded).map(|mode| AgentCommand::SetPermissionMode { mode });
        let options = agent.abilities.options.iter().filter_map(|option| self.retreat_of(option));
        mode.into_iter().chain(options).collect()
    }

    fn retreat_of(&self, option: &AgentOption) -> Option<AgentCommand> {
        let category = option.category.as_deref();
        let is_unguarded = !is_reported_as_mode(option) && self.current(option) == Some(Standing::Unguarded);
        let asks = |choice: &&liminal_core::dialect::Choice| {
            self.option(&option.id, category, &choice.id) == Standing::Asks
        };
        let choice = option.choices.iter().find(asks).filter(|_| is_unguarded)?;
        Some(AgentCommand::SetOption { id: option.id.clone(), value: choice.id.clone() })
    }

    /// The mode to be in when none was chosen: the first of the table that asks and is offered.
    fn asking_mode(&self, abilities: &Abilities) -> Option<String> {
        let offered = || abilities.modes().iter().map(|choice| choice.id.as_str());
        let known = self.known.into_iter().flat_map(Profile::asking_modes);
        let of_table = known.filter_map(|asking| offered().find(|mode| known::is_same(mode, asking)));
        let of_user = offered().filter(|mode| self.mode(mode) == Standing::Asks);
        of_table.chain(of_user).next().map(str::to_owned)
    }

    fn current(&self, option: &AgentOption) -> Option<Standing> {
        let value = option.current.as_deref()?;
        Some(self.option(&option.id, option.category.as_deref(), value))
    }

    fn without_mode(&self) -> Standing {
        self.known.map_or(Standing::Configured, |known| known.without_mode)
    }
}

/// Categories of the protocol that have nothing to do with permissions.
const HARMLESS_CATEGORIES: [&str; 3] = ["model", "model_config", "thought_level"];
/// Values by which an option is off, or asks.
const OFF: [&str; 9] = ["off", "false", "no", "0", "disabled", "ask", "default", "manual", "prompt"];
/// Parts of the names of options that decide what is asked.
const APPROVAL_WORDS: [&str; 8] =
    ["approv", "permission", "bypass", "yolo", "autopilot", "unattended", "allow_all", "trust_all"];
/// Options that choose the mode though they are in no category.
const MODE_OPTIONS: [&str; 3] = ["mode", "permission_mode", "approval_mode"];

/// The value of such an option is also the session's mode, and judged as that.
fn is_reported_as_mode(option: &AgentOption) -> bool {
    option.category.as_deref() == Some("mode")
}

/// Whether an option chooses the mode.
fn is_mode(id: &str, category: Option<&str>) -> bool {
    category == Some("mode") || (category.is_none() && MODE_OPTIONS.contains(&known::plain(id).as_str()))
}

fn suggests_approval(id: &str, category: Option<&str>) -> bool {
    let suggests = |text: &str| APPROVAL_WORDS.iter().any(|word| known::plain(text).contains(word));
    suggests(id) || category.is_some_and(suggests)
}

/// Every CLI type that is known, for the tests of the table.
#[cfg(test)]
fn known_types() -> impl Iterator<Item = &'static str> {
    known::KNOWN.iter().flat_map(|profile| profile.names.iter().copied())
}

#[cfg(test)]
mod tests;
