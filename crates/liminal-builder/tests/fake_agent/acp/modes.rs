//! Modes and options that the agent offers, as its environment says. Owns what is in force of them.

use serde_json::{Map, Value, json};

use super::sessions::Refusal;

pub(super) struct Modes {
    offered: Vec<String>,
    current: String,
    options: Vec<Value>,
    /// It refuses whatever is asked of it.
    is_stubborn: bool,
}

impl Modes {
    pub(super) fn of_environment() -> Self {
        let modes = std::env::var("FAKE_AGENT_MODES").unwrap_or_default();
        let offered: Vec<String> = modes.split_whitespace().map(str::to_owned).collect();
        let options =
            std::env::var("FAKE_AGENT_OPTIONS").ok().and_then(|text| serde_json::from_str(&text).ok());
        let is_stubborn = std::env::var_os("FAKE_AGENT_STUBBORN").is_some();
        let current = offered.first().cloned().unwrap_or_default();
        Self { offered, current, options: options.unwrap_or_default(), is_stubborn }
    }

    /// Adds to the answer to an opened session what can be chosen.
    pub(super) fn tell(&self, answer: &mut Value) {
        let Some(fields) = answer.as_object_mut() else { return };
        if !self.offered.is_empty() {
            let modes: Vec<Value> = self.offered.iter().map(|id| json!({ "id": id, "name": id })).collect();
            fields.insert(
                "modes".to_owned(),
                json!({ "currentModeId": self.current, "availableModes": modes }),
            );
        }
        if !self.options.is_empty() {
            fields.insert("configOptions".to_owned(), json!(self.options));
        }
    }

    pub(super) fn choose(&mut self, params: &Value) -> Result<Value, Refusal> {
        let mode = params.get("modeId").and_then(Value::as_str).unwrap_or_default();
        if self.is_stubborn || !self.offered.iter().any(|offered| offered == mode) {
            return Err(Refusal(-32602, format!("the mode stays {}", self.current)));
        }
        self.change(mode);
        Ok(json!({}))
    }

    pub(super) fn choose_option(&mut self, params: &Value) -> Result<Value, Refusal> {
        let (id, value) = (params.get("configId"), params.get("value").cloned().unwrap_or_default());
        let option =
            self.options.iter_mut().filter_map(Value::as_object_mut).find(|option| option.get("id") == id);
        let Some(option) = option.filter(|_| !self.is_stubborn) else {
            return Err(Refusal(-32602, "there is no such option".to_owned()));
        };
        set(option, &value);
        Ok(json!({ "configOptions": self.options }))
    }

    /// Changes by itself; gives the update that tells it.
    pub(super) fn change(&mut self, mode: &str) -> Value {
        self.current = mode.to_owned();
        json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode })
    }
}

fn set(option: &mut Map<String, Value>, value: &Value) {
    option.insert("currentValue".to_owned(), value.clone());
}
