//! `liminal ls`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use liminal_core::error::ErrorCode;
use liminal_core::ids::ProjectId;
use liminal_core::wire::projects::{Project, ProjectList};
use liminal_core::wire::rest::{SessionList, SessionSummary};

use super::server::find;
use super::terminal::{json_line, safe_line, say, tell};
use crate::cli::sessions::List;
use crate::exit::Exit;
use crate::http::client::{AskError, Client, encoded};

/// Lists sessions, the newest first.
pub async fn list(options: &List) -> Result<Exit> {
    let client = find(&options.place)?;
    let (mut sessions, mut notes) = (Vec::new(), BTreeSet::new());
    for project in projects(&client, options.project.as_deref()).await? {
        sessions.extend(of_project(&client, &project.id, &mut notes).await?);
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.updated_at.instant()));
    if options.json {
        say(&json_line(&sessions)?)?;
    } else {
        sessions.iter().try_for_each(|session| say(&line(session)))?;
    }
    notes.iter().try_for_each(|note| tell(note))?;
    Ok(Exit::Good)
}

async fn projects(client: &Client, directory: Option<&Path>) -> Result<Vec<Project>> {
    let ProjectList { projects } = client.get("/api/projects").await?;
    let Some(directory) = directory else { return Ok(projects) };
    let project = of_directory(projects, directory)?.ok_or_else(|| {
        let detail = format!("{} is no project; `liminal run` makes it one", directory.display());
        AskError::Refused { code: ErrorCode::ProjectNotFound, detail }
    })?;
    Ok(vec![project])
}

/// The innermost project that a directory lies in.
pub(super) fn of_directory(projects: Vec<Project>, directory: &Path) -> Result<Option<Project>> {
    let real = directory.canonicalize().with_context(|| format!("cannot find {}", directory.display()))?;
    let around = projects.into_iter().filter(|project| real.starts_with(&project.path));
    Ok(around.max_by_key(|project| project.path.len()))
}

async fn of_project(
    client: &Client,
    project: &ProjectId,
    notes: &mut BTreeSet<String>,
) -> Result<Vec<SessionSummary>> {
    let path = format!("/api/session/list?projectId={}", encoded(project.as_str()));
    let mut sessions = Vec::new();
    let mut after = String::new();
    loop {
        let page: SessionList = client.get(&format!("{path}{after}")).await?;
        sessions.extend(page.sessions);
        notes.extend(page.notes);
        let Some(next) = page.next else { return Ok(sessions) };
        after = format!("&after={}", encoded(&next));
    }
}

fn line(session: &SessionSummary) -> String {
    let state = if session.has_failed { "failed" } else { session.state.as_str() };
    let asks = if session.pending > 0 { format!(" ({} to answer)", session.pending) } else { String::new() };
    let title = session.title.as_deref().map_or_else(|| "no title".to_owned(), safe_line);
    let time = session.updated_at.instant().strftime("%Y-%m-%d %H:%M");
    format!("{}  {state:<10} {time}  {title}{asks}", safe_line(session.session_id.as_str()))
}
