//! `liminal export`.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};

use super::server::find;
use super::terminal::safe;
use crate::cli::sessions::Export;
use crate::exit::Exit;
use crate::http::client::encoded;

/// Writes a whole conversation.
pub async fn export(options: &Export) -> Result<Exit> {
    let path = format!("/api/session/{}/export?format={}", encoded(&options.session), options.format);
    let bytes = find(&options.place)?.fetch(&path).await?;
    let mut out = io::stdout().lock();
    match &options.output {
        Some(file) => {
            std::fs::write(file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
        }
        None if out.is_terminal() => out.write_all(safe(&String::from_utf8_lossy(&bytes)).as_bytes())?,
        None => out.write_all(&bytes)?,
    }
    out.flush()?;
    Ok(Exit::Good)
}
