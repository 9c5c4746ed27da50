//! An agent that cannot be started, or not without a login. Owns the error for each case.

use liminal_core::dialect::acp::Options;
use liminal_core::error::ErrorCode;

use super::{AcpAgent, CODEX, Settings, codex, environment};
use crate::agents::Launch;
use crate::provider::OpenError;

impl AcpAgent {
    /// How the agent is started now.
    pub(super) async fn launch(&self) -> Result<Launch, OpenError> {
        self.settings.launch.launch().await.map_err(OpenError::Unusable)
    }

    pub(super) fn options(&self, launch: &Launch) -> Options {
        let Settings { name, options, .. } = &self.settings;
        let program = launch.program.display();
        let login_command = match name.as_str() {
            CODEX => codex::login_command(launch, &environment(&self.settings)),
            "gemini" => Some(program.to_string()),
            "opencode" => Some(format!("{program} auth login")),
            _ => None,
        };
        Options { login_command: options.login_command.clone().or(login_command), ..options.clone() }
    }

    /// Codex's adapter says that a login is missing whenever Codex cannot start; Codex itself knows better.
    pub(super) async fn explained(&self, error: OpenError, launch: &Launch) -> OpenError {
        let code = ErrorCode::LoginRequired.as_str();
        let is_login = matches!(&error, OpenError::Refused(refused) if refused.code == code);
        if !is_login {
            return error;
        }
        if self.settings.name == CODEX
            && let Some(fault) = codex::configuration_fault(launch, &environment(&self.settings)).await
        {
            return OpenError::Unusable(fault);
        }
        self.settings.launch.note_login(false);
        error
    }
}
