//! `liminal approve`: what agents of all sessions ask.

use std::collections::BTreeMap;

use anyhow::Result;
use liminal_core::error::ErrorCode;
use liminal_core::ids::{ItemId, SessionId};
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::approvals::{Approval, ApprovalList};
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::Value;

use super::server::find;
use super::terminal::{json_line, safe_line, say};
use crate::cli::sessions::Answer;
use crate::exit::Exit;
use crate::http::client::{AskError, Client, encoded};

/// Letters of an id that are shown; enough to tell the questions of one machine apart.
const SHOWN: usize = 12;

/// Lists the questions that wait, or answers one.
pub async fn approve(options: &Answer) -> Result<Exit> {
    let client = find(&options.place)?;
    let waiting = questions(&client).await?;
    let Some((id, option)) = options.id.as_ref().zip(options.option.as_ref()) else {
        if options.json {
            say(&json_line(&waiting)?)?;
        } else {
            waiting.iter().try_for_each(|approval| say(&describe(approval)))?;
        }
        return Ok(Exit::Good);
    };
    // One that is not in the list any more may have been answered; the server knows.
    let id = unique(&waiting, id)?.unwrap_or(id);
    let answer = PermissionAnswer { option_id: Some(option.clone()), answers: BTreeMap::new(), reason: None };
    let done: Value = post(&client, id, &answer).await?;
    say(&if options.json { json_line(&done)? } else { "answered".to_owned() })?;
    Ok(Exit::Good)
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

/// The question whose id begins like this, if there is one.
fn unique<'a>(waiting: &'a [Approval], start: &str) -> Result<Option<&'a String>, AskError> {
    let mut found = waiting.iter().map(|approval| &approval.id).filter(|id| id.starts_with(start));
    let first = found.next();
    if found.next().is_some() {
        let detail = format!("several questions begin with {start}; give more letters");
        return Err(AskError::Refused { code: ErrorCode::InvalidRequest, detail });
    }
    Ok(first)
}

fn describe(approval: &Approval) -> String {
    let id: String = approval.id.chars().take(SHOWN).collect();
    let UpsertBody::Permission(asked) = &approval.item.body else { return id };
    let options = asked.request.options.iter().map(|option| safe_line(&option.option_id));
    let options = options.collect::<Vec<_>>().join(", ");
    let title = safe_line(&asked.request.title);
    format!("{id}  {title}\n    session {}; answers: {options}", safe_line(approval.session_id.as_str()))
}
