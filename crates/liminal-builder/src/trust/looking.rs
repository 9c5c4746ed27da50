//! Looks at the places of all tables in one directory. Owns how each form of file becomes findings.

use std::path::Path;

use liminal_core::wire::projects::FindingKind;
use serde_json::Value;

use super::places::{Form, Only, Place, Reader, Rule, TABLES, Table};
use super::reach::Folder;
use super::{Gathered, describe, git, json, markdown, reading, variables};
use FindingKind::{Setting, Unreadable};

/// Hooks are written alike by all agents that have them.
const HOOKS: &str = "/hooks";

/// Settings that are one command, in words or with more about it.
const COMMANDS: [&str; 3] = ["/statusLine", "/fileSuggestion", "/notify"];

const PROMPTS: Only = Only::Endings(&["md"]);

/// The order in which findings are listed: settings first, because they say most.
const STAGES: u8 = 5;

const fn stage(form: Form) -> u8 {
    match form {
        Form::Settings { .. } => 0,
        Form::Heads => 1,
        Form::Whole { .. } => 2,
        Form::Variables => 3,
        Form::Git => 4,
    }
}

/// Looks at all places in one directory.
pub(super) fn look(folder: &Folder, gathered: &mut Gathered) {
    for now in 0..STAGES {
        for table in TABLES {
            let places = table.places.iter().filter(|place| stage(place.form) == now);
            for place in places.filter(|place| folder.is_within(place.reach)) {
                Look { folder, table, place, gathered }.run();
            }
        }
    }
}

/// One place in one directory.
struct Look<'a> {
    folder: &'a Folder,
    table: &'a Table,
    place: &'a Place,
    gathered: &'a mut Gathered,
}

impl Look<'_> {
    fn run(mut self) {
        match self.place.form {
            Form::Settings { rules, harmless } => self.settings(rules, harmless),
            Form::Heads => self.heads(),
            Form::Whole { kind, only } => self.whole(kind, only),
            Form::Variables => self.variables(),
            Form::Git => self.git(),
        }
    }

    fn settings(&mut self, rules: &[Rule], harmless: &[&str]) {
        let path = self.folder.path.join(self.place.path);
        let shown = self.shown(&path);
        let Some(text) = self.text(&path, &shown) else { return };
        let is_toml = self.place.path.ends_with(".toml");
        let value = if is_toml { toml::from_str(&text).ok() } else { json::parse(&text) };
        let Some(Value::Object(members)) = value else {
            // An agent may accept more than this parser does.
            return self.add(&shown, Unreadable, "cannot be understood", text.as_bytes());
        };
        let value = Value::Object(members.clone());
        for (pointer, kind) in rules {
            let Some(found) = value.pointer(pointer) else { continue };
            for (detail, whole) in described(pointer, found) {
                self.add(&shown, *kind, &detail, format!("{pointer} {detail} {whole}").as_bytes());
            }
        }
        let is_known =
            |name: &str| harmless.contains(&name) || rules.iter().any(|rule| is_within(rule, name));
        for (name, value) in members.iter().filter(|(name, _)| !is_known(name)) {
            let (detail, whole) = describe::one(name, value);
            self.add(&shown, Setting, &detail, format!("/{name} {whole}").as_bytes());
        }
    }

    fn heads(&mut self) {
        for path in self.files(PROMPTS) {
            let shown = self.shown(&path);
            let Some(text) = self.text(&path, &shown) else { continue };
            for (kind, detail) in markdown::findings(&text) {
                self.add(&shown, kind, &detail, detail.as_bytes());
            }
        }
    }

    fn whole(&mut self, kind: FindingKind, only: Only) {
        for path in self.files(only) {
            let shown = self.shown(&path);
            if self.has_place_of_its_own(&path) {
                continue;
            }
            if let Some(text) = self.text(&path, &shown) {
                self.add(&shown, kind, "is loaded by the agent", text.as_bytes());
            }
        }
    }

    /// Values may be anybody's keys, so only the names are shown.
    fn variables(&mut self) {
        let path = self.folder.path.join(self.place.path);
        let shown = self.shown(&path);
        let Some(text) = self.text(&path, &shown) else { return };
        for name in variables::names(&text) {
            self.add(&shown, FindingKind::Environment, name, text.as_bytes());
        }
    }

    fn git(&mut self) {
        let path = self.folder.path.join(self.place.path);
        for file in git::configurations(&path) {
            let shown = self.shown(&file);
            let Some(text) = self.text(&file, &shown) else { continue };
            for detail in git::programs(&text) {
                self.add(&shown, FindingKind::Hook, &detail, detail.as_bytes());
            }
        }
        for hook in git::hooks(&path) {
            let shown = self.shown(&hook);
            let Some(text) = self.text(&hook, &shown) else { continue };
            self.add(&shown, FindingKind::Hook, "is run by git", text.as_bytes());
        }
    }

    /// The files of a place, which may be one itself.
    fn files(&mut self, only: Only) -> Vec<std::path::PathBuf> {
        let found = reading::files(&self.folder.path.join(self.place.path), only);
        for (path, problem) in &found.problems {
            let shown = self.shown(path);
            self.add(&shown, Unreadable, problem, problem.as_bytes());
        }
        found.files
    }

    /// Whether a file below this place is looked at as another place of the table.
    fn has_place_of_its_own(&self, path: &Path) -> bool {
        let Ok(inner) = path.strip_prefix(&self.folder.path) else { return false };
        let is_other = |place: &&Place| place.path.len() > self.place.path.len();
        let looks_at = |place: &Place| match place.form {
            Form::Heads => reading::counts(path, PROMPTS),
            Form::Whole { only, .. } => reading::counts(path, only),
            Form::Settings { .. } | Form::Variables | Form::Git => true,
        };
        let mut others = self.table.places.iter().filter(is_other);
        others.any(|place| inner.starts_with(place.path) && looks_at(place))
    }

    fn text(&mut self, path: &Path, shown: &str) -> Option<String> {
        match reading::text(path) {
            Ok(text) => text,
            Err(unreadable) => {
                self.add(shown, Unreadable, &unreadable.problem, unreadable.state.as_bytes());
                None
            }
        }
    }

    fn add(&mut self, shown: &str, kind: FindingKind, detail: &str, whole: &[u8]) {
        self.gathered.add(self.readers(), shown, kind, detail, whole);
    }

    const fn readers(&self) -> &'static [Reader] {
        self.table.readers
    }

    fn shown(&self, path: &Path) -> String {
        format!("{}{}", self.folder.prefix, path.strip_prefix(&self.folder.path).unwrap_or(path).display())
    }
}

/// Whether a rule is about a setting or a part of it.
fn is_within((pointer, _): &Rule, name: &str) -> bool {
    pointer.split('/').nth(1) == Some(name)
}

fn described(pointer: &str, value: &Value) -> Vec<(String, String)> {
    let setting = pointer.rsplit('/').next().unwrap_or_default();
    if pointer == HOOKS {
        return describe::hooks(value);
    }
    if COMMANDS.contains(&pointer) {
        return vec![describe::one(setting, value)];
    }
    describe::parts(setting, value)
}
