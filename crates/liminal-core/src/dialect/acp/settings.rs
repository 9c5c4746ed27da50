//! What can be chosen of an agent: its options, models, permission modes and commands. Owns the newest state of
//! each; newer agents tell all of it as options, older ones tell modes and models apart.

use serde_json::{Map, Value};

use crate::dialect::fields::{list, object, objects, text};
use crate::dialect::{Abilities, AgentOption, Choice, ModelChoice, Notice, SlashCommand, Step};

#[derive(Debug, Default)]
pub(super) struct Settings {
    options: Vec<AgentOption>,
    modes: Vec<Choice>,
    models: Vec<ModelChoice>,
    mode: Option<String>,
    model: Option<String>,
    commands: Vec<SlashCommand>,
}

impl Settings {
    /// Takes what opening a session told.
    pub(super) fn opened(&mut self, result: &Map<String, Value>, step: &mut Step<'_>) {
        self.take_options(result, step);
        if let Some(modes) = object(result, "modes").filter(|_| self.option("mode").is_none()) {
            self.modes = objects(modes, "availableModes").filter_map(|mode| choice(mode, "id")).collect();
            self.set_mode(text(modes, "currentModeId"), step);
        }
        if let Some(models) = object(result, "models").filter(|_| self.option("model").is_none()) {
            self.models = objects(models, "availableModels").filter_map(model).collect();
            self.set_model(text(models, "currentModelId"), step);
        }
    }

    /// Takes the options where a message tells them, as news: a change is told as an update and as a response.
    pub(super) fn options_changed(&mut self, fields: &Map<String, Value>, step: &mut Step<'_>) {
        let before = self.options.clone();
        self.take_options(fields, step);
        if self.options != before {
            step.notify(Notice::AgentOptions(self.options.clone()));
        }
    }

    /// Always all of them are told, because one changes others.
    fn take_options(&mut self, fields: &Map<String, Value>, step: &mut Step<'_>) {
        if !fields.contains_key("configOptions") {
            return;
        }
        self.options = objects(fields, "configOptions").filter_map(option).collect();
        let current = |category| self.option(category).and_then(|option| option.current.clone());
        let (mode, model) = (current("mode"), current("model"));
        self.set_mode(mode.as_deref(), step);
        self.set_model(model.as_deref(), step);
    }

    /// Takes the commands, which agents tell at any time.
    pub(super) fn take_commands(&mut self, update: &Map<String, Value>) -> Vec<SlashCommand> {
        self.commands = objects(update, "availableCommands").filter_map(command).collect();
        self.commands.clone()
    }

    pub(super) fn set_mode(&mut self, mode: Option<&str>, step: &mut Step<'_>) {
        if let Some(mode) = mode.filter(|mode| self.mode.as_deref() != Some(mode)) {
            self.mode = Some(mode.to_owned());
            step.notify(Notice::PermissionMode { mode: mode.to_owned() });
        }
    }

    pub(super) fn set_model(&mut self, model: Option<&str>, step: &mut Step<'_>) {
        if let Some(model) = model.filter(|model| self.model.as_deref() != Some(model)) {
            self.model = Some(model.to_owned());
            step.notify(Notice::Model { model: model.to_owned() });
        }
    }

    /// The option that chooses this.
    pub(super) fn option(&self, category: &str) -> Option<&AgentOption> {
        self.options.iter().find(|option| option.category.as_deref() == Some(category))
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    pub(super) fn abilities(&self) -> Abilities {
        let models =
            self.option("model").map(|option| option.choices.iter().cloned().map(as_model).collect());
        let modes = self.option("mode").map(|option| option.choices.clone());
        Abilities {
            models: models.unwrap_or_else(|| self.models.clone()),
            commands: self.commands.clone(),
            permission_modes: modes.unwrap_or_else(|| self.modes.clone()),
            options: self.options.clone(),
            ..Abilities::default()
        }
    }
}

fn option(entry: &Map<String, Value>) -> Option<AgentOption> {
    let id = text(entry, "id")?;
    Some(AgentOption {
        id: id.to_owned(),
        name: text(entry, "name").unwrap_or(id).to_owned(),
        category: text(entry, "category").map(str::to_owned),
        current: entry.get("currentValue").map(value_text),
        choices: list(entry, "options").iter().flat_map(choices).collect(),
    })
}

/// A choice, or a group of them.
fn choices(entry: &Value) -> Vec<Choice> {
    let Some(entry) = entry.as_object() else { return Vec::new() };
    if entry.contains_key("options") {
        return objects(entry, "options").filter_map(|entry| choice(entry, "value")).collect();
    }
    choice(entry, "value").into_iter().collect()
}

fn choice(entry: &Map<String, Value>, key: &str) -> Option<Choice> {
    let id = value_text(entry.get(key)?);
    let name = text(entry, "name").unwrap_or(&id).to_owned();
    Some(Choice { id, name, description: text(entry, "description").map(str::to_owned), guard: None })
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn model(entry: &Map<String, Value>) -> Option<ModelChoice> {
    choice(entry, "modelId").map(as_model)
}

fn as_model(choice: Choice) -> ModelChoice {
    let Choice { id, name, description, guard: _ } = choice;
    ModelChoice { id, name, description }
}

fn command(entry: &Map<String, Value>) -> Option<SlashCommand> {
    let hint = object(entry, "input").and_then(|input| text(input, "hint"));
    Some(SlashCommand {
        name: text(entry, "name")?.to_owned(),
        description: text(entry, "description").unwrap_or_default().to_owned(),
        argument_hint: hint.filter(|hint| !hint.is_empty()).map(str::to_owned),
    })
}
