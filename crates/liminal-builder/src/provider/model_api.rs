//! Models' own APIs, without an agent between. Owns where each is, which variables and settings it takes, and which
//! model answers if nobody chose one; what is said is the dialect's business, how it travels the transport's.

use std::ffi::OsString;
use std::sync::Arc;

use liminal_core::dialect::AttachmentAbilities;
use liminal_core::dialect::model_api::{ModelDialect, Options, RetryPolicy};
use liminal_core::dialect::{AgentCommand, anthropic, openai};
use liminal_core::ids::SessionId;
use serde_json::{Map, Value};

use super::{OpenError, OpenRequest, OpenedAgent, Opening, Provider, SessionOptions};
use crate::clock::{self, Clock};
use crate::config::AgentConfig;
use crate::process::Environment;
use crate::transport::http_sse::{Credential, Endpoint, EndpointError, HttpPatience, HttpSsePipe};

/// One company's API.
#[derive(Debug)]
pub struct Vendor {
    /// The CLI type it is chosen by.
    pub cli_type: &'static str,
    /// The variable with the key.
    pub key_variable: &'static str,
    /// The variable with another address of the API, as the company's own clients take it.
    pub base_variable: &'static str,
    /// The model that answers if nobody chose one.
    pub default_model: &'static str,
    default_base: &'static str,
    path: &'static str,
    key_header: &'static str,
    key_scheme: &'static str,
    headers: &'static [(&'static str, &'static str)],
    /// The fields of a request that a user cannot set.
    own_fields: &'static [&'static str],
    dialect: fn(SessionId, Options) -> ModelDialect,
}

/// Both that there are.
pub static VENDORS: [Vendor; 2] = [
    Vendor {
        cli_type: anthropic::PROVIDER_ID,
        key_variable: "ANTHROPIC_API_KEY",
        base_variable: "ANTHROPIC_BASE_URL",
        default_model: "claude-sonnet-5",
        default_base: "https://api.anthropic.com",
        path: "/v1/messages",
        key_header: "x-api-key",
        key_scheme: "",
        headers: &[("anthropic-version", "2023-06-01")],
        own_fields: &anthropic::OWN_FIELDS,
        dialect: anthropic::dialect,
    },
    Vendor {
        cli_type: openai::PROVIDER_ID,
        key_variable: "OPENAI_API_KEY",
        base_variable: "OPENAI_BASE_URL",
        default_model: "gpt-5.5",
        default_base: "https://api.openai.com/v1",
        path: "/responses",
        key_header: "authorization",
        key_scheme: "Bearer ",
        headers: &[],
        own_fields: &openai::OWN_FIELDS,
        dialect: openai::dialect,
    },
];

impl Vendor {
    /// The API of a CLI type.
    #[must_use]
    pub fn named(cli_type: &str) -> Option<&'static Self> {
        VENDORS.iter().find(|vendor| vendor.cli_type == cli_type)
    }
}

/// Why an API cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// There is no key.
    #[error("needs {0}")]
    NoKey(&'static str),
    /// A field of requests is not for the user to set.
    #[error("`{field}` of [agents.{name}.request] is set by this program; remove it")]
    OwnField {
        /// The API.
        name: &'static str,
        /// The field.
        field: String,
    },
    /// The address or the key is of no use.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

/// How an API is reached and asked. A debug output of it does not show the key.
#[derive(Debug, Clone)]
pub struct Settings {
    vendor: &'static Vendor,
    credential: Credential,
    base: String,
    /// What conversations are held with.
    pub options: Options,
    /// How patient connections are.
    pub patience: HttpPatience,
}

impl Settings {
    /// The settings of an API, from the environment and what the user set; the latter wins.
    pub fn read(
        vendor: &'static Vendor,
        environment: &Environment,
        config: &AgentConfig,
    ) -> Result<Self, SettingsError> {
        let variable = |name: &str| {
            let set = config.env.get(name).map(OsString::from);
            let value = set.or_else(|| environment.get(name).map(OsString::from))?;
            value.to_str().map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let secret = variable(vendor.key_variable).ok_or(SettingsError::NoKey(vendor.key_variable))?;
        let base = variable(vendor.base_variable).unwrap_or_else(|| vendor.default_base.to_owned());
        Endpoint::check_address(&base)?;
        let model = config.model.as_deref().unwrap_or(vendor.default_model);
        let most = config.max_retries.unwrap_or_else(|| RetryPolicy::default().most);
        let options = Options {
            request: request_fields(vendor, config)?,
            retry: RetryPolicy { most, ..RetryPolicy::default() },
            ..Options::new(model)
        };
        let credential = Credential { header: vendor.key_header, scheme: vendor.key_scheme, secret };
        Ok(Self { vendor, credential, base, options, patience: HttpPatience::default() })
    }
}

fn request_fields(vendor: &Vendor, config: &AgentConfig) -> Result<Map<String, Value>, SettingsError> {
    match config.request.keys().find(|field| vendor.own_fields.contains(&field.as_str())) {
        Some(field) => Err(SettingsError::OwnField { name: vendor.cli_type, field: field.clone() }),
        None => Ok(config.request.clone()),
    }
}

/// Opens conversations with one API.
#[derive(Debug)]
pub struct ModelApi {
    settings: Settings,
    endpoint: Arc<Endpoint>,
}

impl ModelApi {
    /// A provider with these settings; nothing is sent yet.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let Settings { vendor, credential, base, patience, .. } = &settings;
        let endpoint = Endpoint::new(base, vendor.path, credential, vendor.headers, *patience)?;
        Ok(Self { endpoint: Arc::new(endpoint), settings })
    }

    /// The model that answers if a session does not choose one.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.settings.options.model
    }

    fn start(&self, request: OpenRequest) -> Result<OpenedAgent, OpenError> {
        let OpenRequest { directory, resume, mut options, past } = request;
        let files = std::mem::take(&mut options.files);
        let model = chosen_model(options)?;
        let session_id = match &resume {
            Some(session_id) => self.known(session_id)?,
            None => SessionId::from(format!("{}:{}", self.cli_type(), clock::new_session_uuid())),
        };
        let dialect = (self.settings.vendor.dialect)(session_id.clone(), self.settings.options.clone());
        let mut begin = vec![AgentCommand::Open {
            directory: directory.display().to_string(),
            resume: resume.map(|session_id| session_id.to_string()),
        }];
        begin.extend(model.map(|model| AgentCommand::SetModel { model: Some(model) }));
        Ok(OpenedAgent {
            session_id,
            transport: Box::new(HttpSsePipe::new(Arc::clone(&self.endpoint))),
            dialect: Box::new(dialect.after(&past, files)),
            clock: Clock::start(),
            history: past,
            notices: Vec::new(),
            guards: self.guards(),
            begin,
        })
    }

    /// A session of this API; nobody but us keeps it, so nobody else can say whether there is one.
    fn known(&self, session_id: &SessionId) -> Result<SessionId, OpenError> {
        let own = session_id.as_str().strip_prefix(self.cli_type()).and_then(|rest| rest.strip_prefix(':'));
        match own.is_some_and(|own| uuid::Uuid::try_parse(own).is_ok()) {
            true => Ok(session_id.clone()),
            false => Err(OpenError::SessionNotFound(session_id.clone())),
        }
    }
}

impl Provider for ModelApi {
    fn cli_type(&self) -> &str {
        self.settings.vendor.cli_type
    }

    fn attachments(&self) -> AttachmentAbilities {
        AttachmentAbilities::ALL
    }

    fn needs_past(&self) -> bool {
        true
    }

    fn open(&self, request: OpenRequest) -> Opening<'_> {
        Box::pin(async { self.start(request) })
    }
}

fn chosen_model(options: SessionOptions) -> Result<Option<String>, OpenError> {
    let is_empty = options.model.as_ref().is_some_and(|model| model.trim().is_empty());
    let refused = [
        (
            options.permission_mode.is_some(),
            "permissionMode",
            "a model's API asks for no permission; leave it out",
        ),
        (
            !options.extra_directories.is_empty(),
            "extraDirectories",
            "a model's API sees no directory; leave them out",
        ),
        (is_empty, "model", "it is empty; leave it out"),
    ];
    match refused.into_iter().find(|(is_refused, ..)| *is_refused) {
        Some((_, option, problem)) => Err(OpenError::InvalidOption { option, problem: problem.to_owned() }),
        None => Ok(options.model),
    }
}

#[cfg(test)]
mod tests;
