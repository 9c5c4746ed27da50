//! `liminal approve`: the permission requests of all sessions.

use std::collections::BTreeMap;

use anyhow::Result;
use liminal_core::error::ErrorCode;
use liminal_core::ids::{ItemId, SessionId};
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::approvals::{Approval, ApprovalList};
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::Value;

use super::request_text::describe;
use super::server::find;
use super::terminal::{json_line, safe_line, say};
use crate::cli::sessions::Answer;
use crate::exit::Exit;
use crate::http::client::{AskError, Client, encoded};

/// Letters of an id that are shown; enough to tell the questions of one machine apart.
const SHOWN: usize = 12;

/// Lists the requests that wait, shows one completely, or answers one.
pub async fn approve(options: &Answer) -> Result<Exit> {
    let client = find(&options.place)?;
    let waiting = questions(&client).await?;
    match (&options.id, &options.option) {
        (Some(id), Some(option)) => answer_one(&client, &waiting, id, option, options).await?,
        (Some(id), None) => show_one(&client, &waiting, id, options).await?,
        (None, _) if options.json => say(&json_line(&waiting)?)?,
        (None, _) => waiting.iter().try_for_each(|approval| say(&listed(approval)))?,
    }
    Ok(Exit::Good)
}

async fn answer_one(
    client: &Client,
    waiting: &[Approval],
    id: &str,
    option: &str,
    options: &Answer,
) -> Result<()> {
    // A request that is not in the list any more may have been answered; the server knows.
    let id = unique(waiting, id)?.map_or(id, |approval| approval.id.as_str());
    let answer = PermissionAnswer {
        option_id: Some(option.to_owned()),
        answers: BTreeMap::new(),
        reason: options.reason.clone(),
    };
    let done: Value = post(client, id, &answer).await?;
    Ok(say(&if options.json { json_line(&done)? } else { "answered".to_owned() })?)
}

/// Shows a request with its complete input, also where the list has it cut.
async fn show_one(client: &Client, waiting: &[Approval], id: &str, options: &Answer) -> Result<()> {
    let Some(approval) = unique(waiting, id)? else {
        let detail = "no such request waits; `liminal approve` lists those that do".to_owned();
        return Err(AskError::Refused { code: ErrorCode::ApprovalNotFound, detail }.into());
    };
    let mut approval = approval.clone();
    if let UpsertBody::Permission(asked) = &mut approval.item.body {
        asked.request.input = client.get(&format!("/api/approvals/{}/input", encoded(&approval.id))).await?;
        asked.request.input_truncated = false;
    }
    Ok(say(&if options.json { json_line(&approval)? } else { listed(&approval) })?)
}

async fn questions(client: &Client) -> Result<Vec<Approval>, AskError> {
    Ok(client.get::<ApprovalList>("/api/approvals").await?.approvals)
}

async fn post(client: &Client, id: &str, answer: &PermissionAnswer) -> Result<Value, AskError> {
    client.post(&format!("/api/approvals/{}", encoded(id)), answer).await
}

/// Answers a question of a session by its item. One that somebody else has answered is answered.
pub(super) async fn answer(
    client: &Client,
    session: &SessionId,
    item: &ItemId,
    answer: &PermissionAnswer,
) -> Result<(), AskError> {
    let waiting = questions(client).await?;
    let is_it = |approval: &&Approval| approval.session_id == *session && approval.item.item_id == *item;
    let Some(approval) = waiting.iter().find(is_it) else { return Ok(()) };
    match post(client, &approval.id, answer).await {
        Err(AskError::Refused { code: ErrorCode::AlreadyAnswered | ErrorCode::ApprovalNotFound, .. }) => {
            Ok(())
        }
        other => other.map(drop),
    }
}

/// The request whose id begins like this, if there is one.
fn unique<'a>(waiting: &'a [Approval], start: &str) -> Result<Option<&'a Approval>, AskError> {
    let mut found = waiting.iter().filter(|approval| approval.id.starts_with(start));
    let first = found.next();
    if found.next().is_some() {
        let detail = format!("several requests begin with {start}; give more letters");
        return Err(AskError::Refused { code: ErrorCode::InvalidRequest, detail });
    }
    Ok(first)
}

fn listed(approval: &Approval) -> String {
    let id: String = approval.id.chars().take(SHOWN).collect();
    let UpsertBody::Permission(asked) = &approval.item.body else { return id };
    let options = asked.request.options.iter();
    let options = options
        .map(|option| format!("\n  answer {}: {}", safe_line(&option.option_id), safe_line(&option.name)));
    let session = safe_line(approval.session_id.as_str());
    format!("{id}  {}\n  session: {session}{}", describe(&asked.request), options.collect::<String>())
}
