//! What an agent offers to choose from. Owns the types; dialects fill them, clients show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::guard::Guard;

/// What an agent offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Abilities {
    /// The models to choose from.
    pub models: Vec<ModelChoice>,
    /// The commands that a prompt may begin with.
    pub commands: Vec<SlashCommand>,
    /// How often the agent may ask, to choose from.
    pub permission_modes: Vec<Choice>,
    /// Everything that can be chosen, for agents that tell it in this way.
    pub options: Vec<AgentOption>,
    /// What may be attached to a message.
    pub attachments: AttachmentAbilities,
    /// Whether it takes a message into a turn that runs.
    pub steer: bool,
    /// Whether a session of it can be forked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub fork: bool,
}

impl Abilities {
    /// The modes to choose from; an option that chooses the mode is newer than the list.
    #[must_use]
    pub fn modes(&self) -> &[Choice] {
        let option = self.options.iter().find(|option| option.category.as_deref() == Some("mode"));
        option.map_or(&self.permission_modes, |option| &option.choices)
    }
}

/// What an agent takes beside words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachmentAbilities {
    /// Images: PNG, JPEG, GIF and WebP.
    pub images: bool,
    /// Texts of any kind, and PDF.
    pub files: bool,
}

impl AttachmentAbilities {
    /// Both.
    pub const ALL: Self = Self { images: true, files: true };
}

/// Something that can be chosen of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentOption {
    /// What to set it by.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is for, in the agent's own word: `mode`, `model`, `thought_level` and others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub category: Option<String>,
    /// The choice in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub current: Option<String>,
    /// What there is to choose.
    pub choices: Vec<Choice>,
}

/// One of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// What to choose it by.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
    /// Whether the agent asks before it acts once this is chosen; absent where it makes no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub guard: Option<Guard>,
}

/// A model to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// What to choose it by.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is good for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
}

/// A command of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Its word, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What to write behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub argument_hint: Option<String>,
}
