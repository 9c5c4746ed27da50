//! `liminal run` and `liminal attach`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use liminal_core::wire::projects::{AddProject, Project, ProjectList};
use liminal_core::wire::rest::{CreateSession, LoadSession, SendMessage, SessionOpened};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::conversation::{Conversation, Manner, Purpose};
use super::server::{find, usual_agent, with_server};
use super::terminal::{json_line, safe_line, say};
use super::{list, send};
use crate::cli::sessions::{Approve, Attach, Run};
use crate::exit::Exit;
use crate::http::client::{AskError, Client, Follower, encoded};

/// Tells an agent something and shows what it answers. `note` tells people what is not part of the answer.
pub async fn run(options: &Run, note: impl Fn(&str)) -> Result<Exit> {
    let prompt = send::text(&options.prompt)?;
    with_server(&options.place, |client| turn(client, options, prompt, note)).await
}

async fn turn(client: Client, options: &Run, prompt: String, note: impl Fn(&str)) -> Result<Exit> {
    let directory = &options.project;
    let directory =
        directory.canonicalize().with_context(|| format!("cannot find {}", directory.display()))?;
    if register(&client, &directory).await? {
        note(&format!("{} is a project from now on", directory.display()));
    }
    // From here on Ctrl-C ends what it can end, and not just this program.
    let mut interrupts = signal(SignalKind::interrupt())?;
    let session = tokio::select! {
        created = create(&client, options, &directory) => created?,
        _ = interrupts.recv() => return Ok(Exit::Interrupted),
    };
    let follower = Follower::open(&client, &session).await?;
    let message =
        SendMessage { message: prompt, queue: false, client_message_id: None, attachments: Vec::new() };
    let accepted = send::post(&client, &session, &message).await?;
    let turn = accepted.turn_id.context("the message waits in a queue; look with `liminal attach`")?;
    if options.json {
        say(&json_line(&json!({ "type": "session", "sessionId": session, "turnId": turn }))?)?;
    }
    let manner = Manner { is_json: options.json, asks: options.approve == Approve::Ask };
    let purpose = Purpose::Turn(turn);
    let conversation = Conversation::new(client, session.clone(), follower, purpose, manner, interrupts);
    let held = conversation.hold().await;
    if !options.json {
        note(&format!("session {}", safe_line(session.as_str())));
    }
    held
}

/// Makes a directory a project, unless it lies in one; tells whether it did.
async fn register(client: &Client, directory: &Path) -> Result<bool> {
    let ProjectList { projects } = client.get("/api/projects").await?;
    if list::of_directory(projects, directory)?.is_some() {
        return Ok(false);
    }
    let path = directory.to_str().context("the directory's path is not UTF-8; choose another")?.to_owned();
    match client.post::<Project>("/api/projects", &AddProject { path, create: false }).await {
        Ok(_) => Ok(true),
        Err(AskError::Refused { code: ErrorCode::ProjectExists, .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn create(client: &Client, options: &Run, directory: &Path) -> Result<SessionId> {
    let cli_type = match &options.agent {
        Some(agent) => agent.clone(),
        None => usual_agent(client).await?,
    };
    let model = options.model.iter().map(|model| ("model".to_owned(), json!(model)));
    let provider_options: BTreeMap<_, _> = model.collect();
    let project_dir = directory.display().to_string();
    let body = CreateSession { cli_type, project_dir, provider_options };
    Ok(client.post::<SessionOpened>("/api/session/create", &body).await?.session_id)
}

/// Follows a session; on a terminal, what is typed is sent.
pub async fn attach(options: &Attach) -> Result<Exit> {
    let interrupts = signal(SignalKind::interrupt())?;
    let (client, session) = (find(&options.place)?, SessionId::from(options.session.as_str()));
    let load = format!("/api/session/{}/load", encoded(session.as_str()));
    client.post::<SessionOpened>(&load, &LoadSession::default()).await?;
    let follower = Follower::open(&client, &session).await?;
    let manner = Manner { is_json: options.json, asks: true };
    Conversation::new(client, session, follower, Purpose::Watch, manner, interrupts).hold().await
}
