//! What to do about an agent that wants a login. Owns how its ways to log in are told to people, who do it with the
//! agent's own program: nothing is logged in from here, because secrets would have to come this way.

use serde_json::{Map, Value};

use super::AcpDialect;
use super::rpc::{self, RpcError};
use crate::dialect::fields::{objects, text};
use crate::error::{ErrorCode, ErrorInfo};

/// One way to log in, in words.
#[derive(Debug)]
pub(super) struct Login {
    words: String,
}

impl Login {
    /// The ways that an agent offers when it is greeted.
    pub(super) fn all(greeting: &Map<String, Value>) -> Vec<Self> {
        objects(greeting, "authMethods").filter_map(Self::read).collect()
    }

    fn read(method: &Map<String, Value>) -> Option<Self> {
        let name = text(method, "name").or_else(|| text(method, "id"))?;
        let described = text(method, "description").map(|words| words.trim().trim_end_matches('.'));
        let mut details: Vec<String> =
            described.filter(|words| !words.is_empty()).map(str::to_owned).into_iter().collect();
        let variables = objects(method, "vars").filter_map(|variable| text(variable, "name"));
        let told = format!("{name} {}", described.unwrap_or_default());
        details.extend(variables.filter(|name| !told.contains(name)).map(|name| format!("set {name}")));
        let words =
            if details.is_empty() { name.to_owned() } else { format!("{name} ({})", details.join("; ")) };
        Some(Self { words })
    }
}

impl AcpDialect {
    /// Why the agent does not do it, with what to do about that.
    pub(super) fn refusal(&self, error: &RpcError) -> ErrorInfo {
        if error.code != rpc::AUTHENTICATION_REQUIRED {
            return error.info();
        }
        let how = match &self.options.login_command {
            Some(command) => format!("; run `{command}`"),
            None => format!("{}; log in with its own program", self.login_ways()),
        };
        ErrorInfo::new(ErrorCode::LoginRequired, format!("not logged in{how}, then try again"))
    }

    fn login_ways(&self) -> String {
        let ways: Vec<&str> = self.agent.logins.iter().map(|login| login.words.as_str()).collect();
        if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) }
    }
}
