//! What can be chosen of the demo agent in a session. Owns what is offered and the newest choices; they change how
//! scenes are played and nothing else.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::performance::Manner;
use super::rpc::Refusal;

pub(super) const MODEL: &str = "model";
pub(super) const MODE: &str = "mode";
const THINKING: &str = "thinking";

const ASK: &str = "ask";
/// The mode that does not ask.
pub(super) const AUTO: &str = "auto";
const SLOW: &str = "demo-slow";
const OFF: &str = "off";

/// How much longer everything takes with the slow model.
const SLOWNESS: u32 = 4;

struct Offer {
    id: &'static str,
    name: &'static str,
    category: &'static str,
    /// The first is chosen until somebody chooses.
    choices: [Chosen; 2],
}

struct Chosen {
    value: &'static str,
    name: &'static str,
    description: &'static str,
}

const OFFERS: [Offer; 3] = [
    Offer {
        id: MODE,
        name: "Mode",
        category: "mode",
        choices: [
            Chosen { value: ASK, name: "Ask", description: "Demo: asks before it pretends to act" },
            Chosen { value: AUTO, name: "Auto", description: "Demo: pretends to act without asking" },
        ],
    },
    Offer {
        id: MODEL,
        name: "Model",
        category: "model",
        choices: [
            Chosen { value: "demo-fast", name: "Demo fast", description: "No model: scripted, at speed" },
            Chosen { value: SLOW, name: "Demo slow", description: "No model: scripted, at a quarter of it" },
        ],
    },
    Offer {
        id: THINKING,
        name: "Thinking",
        category: "thought_level",
        choices: [
            Chosen { value: "on", name: "On", description: "Demo: shows scripted thoughts" },
            Chosen { value: OFF, name: "Off", description: "Demo: leaves them out" },
        ],
    },
];

#[derive(Debug, Default)]
pub(super) struct Settings {
    chosen: BTreeMap<&'static str, &'static str>,
}

impl Settings {
    pub(super) fn choose(&mut self, id: &str, value: &str) -> Result<(), Refusal> {
        let offer = OFFERS.iter().find(|offer| offer.id == id);
        let offer = offer.ok_or_else(|| Refusal::invalid(format!("there is no option {id}")))?;
        let chosen = offer.choices.iter().find(|choice| choice.value == value);
        let chosen = chosen.ok_or_else(|| Refusal::invalid(format!("{id} cannot be {value}")))?;
        self.chosen.insert(offer.id, chosen.value);
        Ok(())
    }

    pub(super) fn manner(&self) -> Manner {
        Manner { thinks: !self.is(THINKING, OFF), asks: !self.is(MODE, AUTO) }
    }

    pub(super) fn slowness(&self) -> u32 {
        if self.is(MODEL, SLOW) { SLOWNESS } else { 1 }
    }

    /// Everything that can be chosen, as an answer or an update tells it.
    pub(super) fn options(&self) -> Value {
        OFFERS.iter().map(|offer| self.option(offer)).collect()
    }

    /// The update after a choice that nobody asked for by this name.
    pub(super) fn update(&self) -> Value {
        json!({ "sessionUpdate": "config_option_update", "configOptions": self.options() })
    }

    /// What opening a session tells. Modes and models come again in their older form, for clients that know only it.
    pub(super) fn opened(&self) -> Value {
        let named = |offer: &Offer, key: &str| -> Vec<Value> {
            let entry = |choice: &Chosen| json!({ key: choice.value, "name": choice.name, "description": choice.description });
            offer.choices.iter().map(entry).collect()
        };
        let [modes, models, _] = &OFFERS;
        json!({
            "configOptions": self.options(),
            "modes": { "currentModeId": self.current(modes), "availableModes": named(modes, "id") },
            "models": { "currentModelId": self.current(models), "availableModels": named(models, "modelId") },
        })
    }

    fn option(&self, offer: &Offer) -> Value {
        let entry = |choice: &Chosen| json!({ "value": choice.value, "name": choice.name, "description": choice.description });
        json!({
            "id": offer.id,
            "name": offer.name,
            "category": offer.category,
            "type": "select",
            "currentValue": self.current(offer),
            "options": offer.choices.iter().map(entry).collect::<Vec<_>>(),
        })
    }

    fn current(&self, offer: &Offer) -> &'static str {
        let [first, _] = &offer.choices;
        self.chosen.get(offer.id).copied().unwrap_or(first.value)
    }

    fn is(&self, id: &str, value: &str) -> bool {
        self.chosen.get(id).is_some_and(|chosen| *chosen == value)
    }
}
