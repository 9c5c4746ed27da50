//! Reads a Gemini request and reduces its contents to a history.

use serde::Deserialize;
use serde_json::Value;

use crate::answer::Refusal;
use crate::api;
use crate::conversation::Conversation;
use crate::errand::Errand;
use crate::history::{Entry, History};
use crate::wrapping;

const MODELS: &str = "/v1beta/models/";

pub(super) fn read(path: &str, body: &[u8]) -> Result<Conversation, Refusal> {
    let call = path.strip_prefix(MODELS).and_then(|call| call.rsplit_once(':'));
    let (model, stream) = match call {
        Some((model, "streamGenerateContent")) => (model, true),
        Some((model, "generateContent" | "countTokens")) => (model, false),
        Some(_) | None => return Err(Refusal::because(404, "Not found")),
    };
    let fields: Fields = api::read_json(body)?;
    Ok(fields.into_conversation(model, stream))
}

/// The part of the request body that matters to a script.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    #[serde(default)]
    contents: Vec<Content>,
    #[serde(default)]
    system_instruction: Content,
    #[serde(default)]
    generation_config: GenerationConfig,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    response_json_schema: Option<Value>,
    response_schema: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Content {
    role: Option<String>,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    function_call: Option<Function>,
    function_response: Option<Function>,
}

/// A call or its result; older models give them no identifier.
#[derive(Deserialize)]
struct Function {
    id: Option<String>,
    name: String,
    #[serde(default)]
    response: Value,
}

impl Fields {
    fn into_conversation(self, model: &str, stream: bool) -> Conversation {
        let system = self.system_instruction.texts().join("\n");
        let history: History = self.contents.iter().flat_map(Content::entries).collect();
        let config = self.generation_config;
        Conversation {
            identity: format!("{} {}", history.length(), history.prompt()),
            turn: history.turn(),
            results: history.results(),
            prompt: history.prompt().to_owned(),
            errand: Errand::find(&system, config.response_json_schema.or(config.response_schema)),
            system,
            model: model.to_owned(),
            stream,
        }
    }
}

impl Content {
    fn texts(&self) -> Vec<&str> {
        self.parts.iter().filter_map(|part| part.text.as_deref()).collect()
    }

    fn entries(&self) -> Vec<Entry> {
        if self.role.as_deref() == Some("model") {
            let calls = self.parts.iter().filter_map(|part| part.function_call.as_ref()).map(Function::call);
            return calls.chain([Entry::Speech]).collect();
        }
        let results = self.parts.iter().filter_map(|part| part.function_response.as_ref());
        let said = Entry::said(wrapping::spoken(&self.texts()));
        results.map(Function::result).chain([said]).collect()
    }
}

impl Function {
    fn identifier(&self) -> String {
        self.id.clone().unwrap_or_else(|| self.name.clone())
    }

    fn call(&self) -> Entry {
        Entry::Call { id: self.identifier(), tool: self.name.clone() }
    }

    /// Tools put their result into `output` or `error`, or give an object of their own.
    fn result(&self) -> Entry {
        let text = self.response.get("output").or_else(|| self.response.get("error")).and_then(Value::as_str);
        let text = text.map_or_else(|| self.response.to_string(), str::to_owned);
        Entry::Result { call: self.identifier(), tool: Some(self.name.clone()), text }
    }
}

#[cfg(test)]
mod tests;
