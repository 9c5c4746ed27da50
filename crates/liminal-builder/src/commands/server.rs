//! Which server a command talks to. Owns the choice: the one that runs, or one of its own for the time of a run.

use std::future::Future;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tokio::sync::oneshot;

use crate::agents::AgentReport;
use crate::cli::Place;
use crate::config::{Config, Sources};
use crate::http::client::{AskError, Client};
use crate::http::{ServerFile, ServerFileError};
use crate::process::Environment;
use crate::serve::{self, Plan};
use crate::telemetry::Destination;

/// There is nobody to talk to.
#[derive(Debug, thiserror::Error)]
#[error("no agents installed; `liminal doctor` shows how to install one, and `--agent demo` needs none")]
pub struct NoAgent;

/// The running server.
pub fn find(place: &Place) -> Result<Client> {
    let (config, environment) = (config(place)?, Environment::inherited());
    Ok(Client::new(ServerFile::read(&config.data_directory(&environment)?)?))
}

fn config(place: &Place) -> Result<Config> {
    Ok(Sources::of_process(place.config.as_deref()).with_flags(place.flags()).load()?.config)
}

/// Does something with the running server, or with one of its own that nobody else is told of.
pub(super) async fn with_server<T, F>(place: &Place, work: impl FnOnce(Client) -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let plan = Plan::new(config(place)?, Environment::inherited())?;
    match running(&plan.data).await? {
        Some(client) => work(client).await,
        None => with_own(plan, work).await,
    }
}

/// A file that a killed server left behind leads nowhere.
async fn running(data: &Path) -> Result<Option<Client>> {
    let client = match ServerFile::read(data) {
        Ok(file) => Client::new(file),
        Err(ServerFileError::Absent(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match client.greet().await {
        Ok(()) => Ok(Some(client)),
        Err(AskError::Silent { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn with_own<T, F>(mut plan: Plan, work: impl FnOnce(Client) -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    plan.config.listen.port = 0;
    let file = plan.config.logging.file.clone();
    // Standard error is the run's own.
    let log = |data: &Path| Destination::File(file.unwrap_or_else(|| log_file(data)));
    let ready = serve::start(&plan, log).await?;
    let client = Client::new(ready.file());
    let (stop, stopped) = oneshot::channel::<()>();
    let working = async {
        let result = work(client).await;
        drop(stop);
        result
    };
    let (served, result) = tokio::join!(ready.until(async { drop(stopped.await) }, || {}), working);
    served.and(result)
}

fn log_file(data: &Path) -> PathBuf {
    data.join("logs/liminal.log")
}

/// The agent that is taken if nobody names one.
pub(super) async fn usual_agent(client: &Client) -> Result<String> {
    let agents: Vec<AgentReport> = client.get("/api/agents").await?;
    let usable = agents.into_iter().find(|agent| agent.is_usable() && !agent.built_in);
    Ok(usable.ok_or(NoAgent)?.name)
}
