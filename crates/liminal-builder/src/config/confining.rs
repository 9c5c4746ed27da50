//! Settings that confine agents. Owns their forms: names of variables, and a command without a shell.

use serde_json::Value;
use toml::de::DeValue;

use super::reading::Readable;

/// The only variables that agents get, if they are told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableNames(Option<Vec<String>>);

impl VariableNames {
    /// The names; none if agents get nearly all variables. An empty list is a strict one.
    #[must_use]
    pub fn names(&self) -> Option<&[String]> {
        self.0.as_deref()
    }
}

impl Readable for VariableNames {
    const EXPECTED: &'static str = "a list of names of variables, such as ANTHROPIC_API_KEY";

    fn of_text(text: &str) -> Option<Self> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(variable).collect::<Option<_>>().map(|names| Self(Some(names)))
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        let names = value.as_array()?.iter().map(|name| variable(name.get_ref().as_str()?));
        names.collect::<Option<_>>().map(|names| Self(Some(names)))
    }

    fn show(&self) -> Value {
        self.0.clone().into()
    }
}

/// The name of a variable, if it is one.
pub(super) fn variable(name: &str) -> Option<String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(is_allowed);
    is_name.then(|| name.to_owned())
}

/// The words of a command; in a text they have spaces between them, and nothing is quoted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrapperWords(Vec<String>);

impl WrapperWords {
    /// The words, its program first; none if there is no such command.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

impl Readable for WrapperWords {
    const EXPECTED: &'static str = "a command with spaces between its words, or a list of them";

    fn of_text(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        if let Some(text) = value.as_str() {
            return Self::of_text(text);
        }
        let words = value.as_array()?.iter().map(|word| word.get_ref().as_str().map(str::to_owned));
        let words: Vec<String> = words.collect::<Option<_>>()?;
        words.first().is_some_and(|program| !program.is_empty()).then_some(Self(words))
    }

    fn show(&self) -> Value {
        self.0.clone().into()
    }
}
