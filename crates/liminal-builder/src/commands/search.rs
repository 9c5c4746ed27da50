//! `liminal search`.

use std::io::{self, IsTerminal};

use anyhow::Result;
use liminal_core::wire::approvals::{SearchHit, SearchResults};

use super::server::find;
use super::terminal::{json_line, safe_line, say, tell};
use crate::cli::sessions::Search;
use crate::exit::Exit;
use crate::http::client::encoded;

/// Looks for words in all sessions.
pub async fn search(options: &Search) -> Result<Exit> {
    let path = format!("/api/search?q={}", encoded(&options.words.join(" ")));
    let SearchResults { hits, elsewhere, not_indexed } = find(&options.place)?.get(&path).await?;
    if options.json {
        say(&json_line(&hits)?)?;
    } else {
        let marks = if io::stdout().is_terminal() { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        hits.iter().try_for_each(|hit| say(&line(hit, marks)))?;
    }
    if let Some(count) = elsewhere {
        tell(&format!("{count} sessions of other servers were not searched; ask there"))?;
    }
    if let Some(count) = not_indexed {
        let items = if count == 1 { "1 item is".to_owned() } else { format!("{count} items are") };
        tell(&format!("{items} not indexed yet; search again in a moment"))?;
    }
    Ok(if hits.is_empty() { Exit::Failed } else { Exit::Good })
}

fn line(hit: &SearchHit, (begin, end): (&str, &str)) -> String {
    let mut snippet = String::new();
    for piece in &hit.snippet {
        // Pieces join inside a line, so the spaces at their ends count.
        let text: String =
            piece.text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
        let text = crate::redaction::escape_controls(&text).into_owned();
        snippet.push_str(&if piece.is_match { format!("{begin}{text}{end}") } else { text });
    }
    let title = hit.title.as_deref().map(|title| format!(" ({})", safe_line(title))).unwrap_or_default();
    format!("{}{title}\n    {}", safe_line(hit.session_id.as_str()), snippet.trim())
}
