//! The configuration file. Owns where it lies and on which line everything stands.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::agents::{self, AgentConfig};
use super::reading::Given;
use super::settings::{self, SETTINGS};
use super::{ConfigError, Fault, Loaded, Origin, user_folder};
use crate::process::Environment;

const AGENTS: &str = "agents";

/// Takes over what the named file says, or the one at the usual place if there is one.
pub(super) fn apply(
    named: Option<&Path>,
    environment: &Environment,
    loaded: &mut Loaded,
) -> Result<(), ConfigError> {
    let Some(path) = named.map(Path::to_owned).or_else(|| usual_place(environment)) else { return Ok(()) };
    match std::fs::read_to_string(&path) {
        Ok(text) => apply_text(&path, &text, loaded),
        Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => Ok(()),
        Err(source) => Err(ConfigError::Read { path, source }),
    }
}

/// `liminal-builder/config.toml` in `$XDG_CONFIG_HOME`, or in `~/.config`.
fn usual_place(environment: &Environment) -> Option<PathBuf> {
    Some(user_folder(environment, "XDG_CONFIG_HOME", ".config")?.join("config.toml"))
}

/// Everything that a line of the file can be told by.
struct Page<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Page<'_> {
    fn origin(&self, span: &Range<usize>) -> Origin {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Origin::File { path: self.path.to_owned(), line }
    }

    fn fault(&self, span: &Range<usize>, problem: impl Into<String>) -> ConfigError {
        ConfigError::Setting(Fault::new(self.origin(span), problem.into()))
    }

    fn malformed(&self, error: &toml::de::Error) -> ConfigError {
        let end = self.text.len()..self.text.len();
        self.fault(&error.span().unwrap_or(end), without_value(error.message()))
    }
}

/// The parser repeats a value of the wrong type, which may be a key.
fn without_value(message: &str) -> String {
    match message.split_once(", expected ") {
        Some((wrong, expected)) if wrong.starts_with("invalid type") => {
            format!("this has the wrong type; expected {expected}")
        }
        _ => message.lines().collect::<Vec<_>>().join(", "),
    }
}

pub(super) fn apply_text(path: &Path, text: &str, loaded: &mut Loaded) -> Result<(), ConfigError> {
    let page = Page { path, text };
    let table = DeTable::parse(text).map_err(|error| page.malformed(&error))?;
    for (section, value) in table.get_ref() {
        if section.get_ref() == AGENTS {
            continue;
        }
        apply_section(&page, section, value, loaded)?;
    }
    apply_agents(&page, table.get_ref(), loaded)
}

fn apply_section(
    page: &Page<'_>,
    section: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
    loaded: &mut Loaded,
) -> Result<(), ConfigError> {
    let name: &str = section.get_ref();
    if settings::of_section(name).next().is_none() {
        return Err(
            page.fault(&section.span(), format!("unknown section `{name}`; known are {}", sections()))
        );
    }
    let Some(table) = value.get_ref().as_table() else {
        return Err(page.fault(&section.span(), format!("`{name}` is a section; write [{name}]")));
    };
    for (key, value) in table {
        let Some(setting) = settings::of_section(name).find(|setting| setting.key() == **key.get_ref())
        else {
            return Err(page.fault(&key.span(), unknown_key(name, key.get_ref())));
        };
        loaded.take(setting, &Given::Toml(value.get_ref()), page.origin(&key.span()))?;
    }
    Ok(())
}

fn sections() -> String {
    let mut names: Vec<_> = SETTINGS.iter().map(|setting| setting.section).collect();
    names.dedup();
    names.push(AGENTS);
    names.join(", ")
}

fn unknown_key(section: &str, key: &str) -> String {
    let known: Vec<_> = settings::of_section(section).map(settings::Setting::key).collect();
    format!("unknown key `{key}` in [{section}]; known are {}", known.join(", "))
}

#[derive(Deserialize)]
struct OnlyAgents {
    #[serde(default)]
    agents: BTreeMap<String, AgentConfig>,
}

fn apply_agents(page: &Page<'_>, table: &DeTable<'_>, loaded: &mut Loaded) -> Result<(), ConfigError> {
    let mut found: OnlyAgents = toml::from_str(page.text).map_err(|error| page.malformed(&error))?;
    let spans = table.iter().find(|(name, _)| name.get_ref() == AGENTS);
    let spans = spans.and_then(|(_, agents)| agents.get_ref().as_table());
    let folder = page.path.parent().unwrap_or(Path::new(""));
    for (name, agent) in spans.into_iter().flatten() {
        let config = found.agents.get_mut(name.get_ref().as_ref());
        let problem = agents::unsound(name.get_ref()).or_else(|| config?.prepare(name.get_ref(), folder));
        if let Some(problem) = problem {
            return Err(page.fault(&name.span(), problem));
        }
        for (key, _) in agent.get_ref().as_table().into_iter().flatten() {
            let setting = format!("{AGENTS}.{}.{}", name.get_ref(), key.get_ref());
            loaded.origins.insert(setting, page.origin(&key.span()));
        }
    }
    loaded.config.agents = found.agents;
    Ok(())
}
