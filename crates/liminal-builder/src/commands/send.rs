//! `liminal send`.

use std::io;

use anyhow::{Context, Result};
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{MessageAccepted, SendMessage};

use super::server::find;
use super::terminal::{json_line, safe_line, say};
use crate::cli::sessions::Send;
use crate::exit::Exit;
use crate::http::client::{AskError, Client, encoded};

/// Tells the agent of a session something.
pub async fn send(options: &Send) -> Result<Exit> {
    let client = find(&options.place)?;
    let message = SendMessage {
        message: text(&options.text)?,
        queue: options.queue,
        client_message_id: None,
        attachments: Vec::new(),
    };
    let accepted = post(&client, &SessionId::from(options.session.as_str()), &message).await?;
    if options.json {
        say(&json_line(&accepted)?)?;
    } else if let Some(turn) = &accepted.turn_id {
        say(&format!("sent; turn {}", safe_line(turn.as_str())))?;
    } else if let Some(queued) = &accepted.queued {
        say(&format!("queued as {}", safe_line(&queued.id)))?;
    }
    Ok(Exit::Good)
}

pub(super) async fn post(
    client: &Client,
    session: &SessionId,
    message: &SendMessage,
) -> Result<MessageAccepted, AskError> {
    client.post(&format!("/api/session/{}/send", encoded(session.as_str())), message).await
}

/// What stands on the command line, or what standard input says.
pub(super) fn text(given: &str) -> Result<String> {
    if given == "-" {
        return io::read_to_string(io::stdin()).context("cannot read standard input as text");
    }
    Ok(given.to_owned())
}
