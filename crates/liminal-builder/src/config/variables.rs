//! Settings of the environment. Owns which variables are ours.

use std::collections::BTreeMap;

use super::reading::Given;
use super::settings::SETTINGS;
use super::{ConfigError, Fault, Loaded, Origin};

const PREFIX: &str = "LIMINAL_";
/// The short name by which the commands that talk to a server find it; the long one wins.
const DATA_DIR: (&str, &str) = ("LIMINAL_DATA_DIR", "storage.data-dir");

/// Our variables in this process's environment. One that is no text is passed on as unreadable text, which no setting
/// takes.
pub(super) fn of_process() -> BTreeMap<String, String> {
    let all = std::env::vars_os();
    let text =
        all.map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
    text.filter(|(name, _)| name.starts_with(PREFIX)).collect()
}

pub(super) fn apply(variables: &BTreeMap<String, String>, loaded: &mut Loaded) -> Result<(), ConfigError> {
    variables.keys().try_for_each(|name| check(name))?;
    for setting in &SETTINGS {
        let long = setting.variable();
        let short = (setting.name() == DATA_DIR.1).then(|| DATA_DIR.0.to_owned());
        let set = [Some(long), short].into_iter().flatten();
        let set = set.filter_map(|name| variables.get(&name).map(|value| (name, value)));
        if let Some((variable, value)) = set.into_iter().find(|(_, value)| !value.is_empty()) {
            loaded.take(setting, &Given::Text(value), Origin::Variable { variable })?;
        }
    }
    Ok(())
}

/// A variable that names a section and none of its settings is a typo. Others may be somebody else's.
fn check(name: &str) -> Result<(), ConfigError> {
    let is_known = SETTINGS.iter().any(|setting| setting.variable() == name);
    let of_section = |section: &str| {
        name.strip_prefix(PREFIX)
            .and_then(|rest| rest.strip_prefix(&section.to_ascii_uppercase()))
            .is_some_and(|rest| rest.starts_with('_'))
    };
    let of_a_section: Vec<_> = SETTINGS
        .iter()
        .filter(|setting| of_section(setting.section))
        .map(super::settings::Setting::variable)
        .collect();
    let problem = match (is_known, of_section("agents"), of_a_section.is_empty()) {
        (true, ..) | (_, false, true) => return Ok(()),
        (false, true, _) => "agents are set in the file or with --agent NAME=PATH".to_owned(),
        (false, false, false) => format!("there is no such setting; known are {}", of_a_section.join(", ")),
    };
    let origin = Origin::Variable { variable: name.to_owned() };
    Err(ConfigError::Setting(Fault::new(origin, problem)))
}
