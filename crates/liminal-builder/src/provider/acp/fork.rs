//! Sessions that are made of others. Owns asking an agent for one; what was said in it the agent tells when it is loaded.

use std::path::Path;

use liminal_core::dialect::acp::greeting;
use serde_json::{Value, json};

use super::asking::{Unanswered, ask};
use crate::provider::OpenError;
use crate::transport::AgentPipe;

/// Has a session forked; gives the agent's own id of the fork.
pub(super) async fn fork(
    pipe: &mut dyn AgentPipe,
    directory: &Path,
    session: &str,
) -> Result<String, OpenError> {
    let greeted = ask(pipe, 1, "initialize", greeting(env!("CARGO_PKG_VERSION"))).await.map_err(refused)?;
    if !can_fork(&greeted) {
        let problem = "this agent cannot fork its sessions; start a new one";
        return Err(OpenError::NotForkable(problem.to_owned()));
    }
    let params = json!({ "sessionId": session, "cwd": directory, "mcpServers": [] });
    let forked = ask(pipe, 2, "session/fork", params).await.map_err(refused)?;
    let id = forked.get("sessionId").and_then(Value::as_str);
    id.map(str::to_owned)
        .ok_or_else(|| OpenError::Unusable("the agent did not tell the fork's id".to_owned()))
}

/// A fork is of use only if what was said in it can be had.
fn can_fork(greeted: &Value) -> bool {
    let can_load = greeted.pointer("/agentCapabilities/loadSession") == Some(&Value::Bool(true));
    let fork = greeted.pointer("/agentCapabilities/sessionCapabilities/fork");
    can_load && fork.is_some_and(|fork| !fork.is_null() && *fork != Value::Bool(false))
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn refused(error: Unanswered) -> OpenError {
    OpenError::NotForkable(format!("the agent did not fork the session: {error}"))
}
