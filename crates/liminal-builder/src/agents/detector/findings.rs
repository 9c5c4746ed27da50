//! What programs said so far. Owns how that and the files of now become reports.

use std::collections::BTreeMap;

use super::super::locate::{Place, Program};
use super::super::login::{self, Login};
use super::super::npm::NpmRoot;
use super::super::probe::Verdict;
use super::super::{AgentReport, Machine};

/// What programs said, by the name of the agent.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings {
    pub(super) npm: Option<NpmRoot>,
    pub(super) verdicts: BTreeMap<String, Verdict>,
    pub(super) logins: BTreeMap<String, Login>,
    /// No program has to be asked now.
    pub(super) is_settled: bool,
}

/// What has to be asked.
#[derive(Debug, Clone)]
pub(super) enum Asking {
    Npm,
    Version(String, Program),
    Login(String, Program),
}

impl Findings {
    pub(super) fn reports(&self, machine: &Machine) -> Vec<AgentReport> {
        machine.names().iter().map(|name| self.report(machine, name)).collect()
    }

    pub(super) fn report(&self, machine: &Machine, name: &str) -> AgentReport {
        let place = self.place(machine, name);
        let program = if let Place::Program(program) = &place { Some(program) } else { None };
        let verdict = self.verdicts.get(name).filter(|verdict| Some(&verdict.program) == program);
        // One that has passed is shown until there is a newer one.
        let logged_in = self.logins.get(name).and_then(|login| login.is_there);
        place.report(name, verdict, logged_in)
    }

    pub(super) fn place(&self, machine: &Machine, name: &str) -> Place {
        machine.locate(name, self.npm.as_ref())
    }

    /// Every question whose answer is missing or old. The login follows once the version is known.
    pub(super) fn open_questions(&self, machine: &Machine) -> Vec<Asking> {
        let names = machine.names();
        names.iter().filter_map(|name| self.open_question(machine, name)).collect()
    }

    fn open_question(&self, machine: &Machine, name: &str) -> Option<Asking> {
        let program = match self.place(machine, name) {
            Place::AtNpm => return Some(Asking::Npm),
            Place::Program(program) if program.is_asked() => program,
            Place::Program(_) | Place::Missing(_) | Place::Misconfigured(_) | Place::Known(_) => return None,
        };
        let known = self.verdicts.get(name).filter(|known| known.program == program && !known.is_old);
        let Some(Verdict { version, .. }) = known else {
            return Some(Asking::Version(name.to_owned(), program));
        };
        let is_told = version.as_ref().is_ok_and(|version| login::tells(name, version));
        let is_known = self.logins.get(name).is_some_and(|login| login.is_current(machine, name, &program));
        (is_told && !is_known).then(|| Asking::Login(name.to_owned(), program))
    }

    /// Has everything asked again; until then what is known stays.
    pub(super) fn age(&mut self) {
        self.npm = None;
        self.logins.clear();
        self.verdicts.values_mut().for_each(|verdict| verdict.is_old = true);
    }

    /// Takes what a session showed of a login. A program that tells by itself is asked again.
    pub(super) fn show_login(&mut self, machine: &Machine, name: &str, is_there: bool) {
        let was_there = self.logins.get(name).and_then(|login| login.is_there);
        let Place::Program(program) = self.place(machine, name) else { return };
        let version = self.verdicts.get(name).and_then(|verdict| verdict.version.as_ref().ok());
        let is_told = version.is_some_and(|version| login::tells(name, version));
        match (is_there, was_there) {
            (false, _) if is_told => drop(self.logins.remove(name)),
            (false, _) | (true, Some(false)) => {
                let shown = Login::shown(machine, name, program, is_there);
                self.logins.insert(name.to_owned(), shown);
            }
            (true, Some(true) | None) => {}
        }
    }
}
