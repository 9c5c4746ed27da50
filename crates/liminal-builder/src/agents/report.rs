//! How what is known of an agent becomes its report. Owns the one rule by which `GET /api/agents` and the start of a
//! session decide whether it can be used.

use super::locate::Place;
use super::probe::Verdict;
use super::{AgentReport, AgentState, Launch, remedy};

impl Place {
    /// The report of an agent that is here. `verdict` is what its program said, if it was asked since it last changed.
    pub(super) fn report(
        self,
        name: &str,
        verdict: Option<&Verdict>,
        logged_in: Option<bool>,
    ) -> AgentReport {
        match self {
            Self::Program(program) if !program.is_asked() => {
                AgentReport { logged_in, ..of_program(name, program.launch, AgentState::Usable) }
            }
            Self::Program(program) => match verdict {
                None => of_program(name, program.launch, AgentState::Detecting),
                Some(verdict) => AgentReport { logged_in, ..verdict.report(name, program.launch) },
            },
            Self::AtNpm => AgentReport { state: AgentState::Detecting, ..blank(name) },
            Self::Missing(problem) => with_problem(name, AgentState::Missing, problem),
            Self::Misconfigured(problem) => with_problem(name, AgentState::Unusable, problem),
            Self::Known(report) => report,
        }
    }
}

impl Verdict {
    fn report(&self, name: &str, launch: Launch) -> AgentReport {
        match &self.version {
            // Asked again: until it answers, what was wrong may have been put right.
            Err(_) if self.is_old => of_program(name, launch, AgentState::Detecting),
            Err(problem) => AgentReport {
                problem: Some(problem.clone()),
                ..of_program(name, launch, AgentState::Unusable)
            },
            Ok(version) => {
                let state = if self.is_old { AgentState::Detecting } else { AgentState::Usable };
                AgentReport { version: Some(version.clone()), ..of_program(name, launch, state) }
            }
        }
    }
}

/// A report that says nothing but how to get the agent.
pub(super) fn blank(name: &str) -> AgentReport {
    AgentReport {
        name: name.to_owned(),
        state: AgentState::Usable,
        launch: None,
        version: None,
        problem: None,
        built_in: false,
        logged_in: None,
        install: remedy::install(name),
        sign_in: remedy::sign_in(name),
    }
}

fn of_program(name: &str, launch: Launch, state: AgentState) -> AgentReport {
    AgentReport { state, launch: Some(launch), ..blank(name) }
}

pub(super) fn with_problem(name: &str, state: AgentState, problem: String) -> AgentReport {
    AgentReport { state, problem: Some(problem), ..blank(name) }
}
