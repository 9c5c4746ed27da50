//! What the agent tells those who started it behind the back of those who speak to it.

use std::fs::OpenOptions;
use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

/// How the agent was started.
pub(crate) fn started(arguments: &[String]) -> Result<()> {
    let names: Vec<String> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let descriptors = std::fs::read_dir("/proc/self/fd")?.filter_map(Result::ok);
    let descriptors: Vec<String> =
        descriptors.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    add(&json!({
        "started": arguments,
        "environment": names,
        "directory": std::env::current_dir()?,
        "pid": std::process::id(),
        "group": rustix::process::getpgrp().as_raw_nonzero().get(),
        "descriptors": descriptors,
    }))
}

/// What it was told.
pub(crate) fn prompted(text: &str) -> Result<()> {
    add(&json!({ "bytes": text.len(), "prompt": text }))
}

fn add(line: &Value) -> Result<()> {
    let Some(path) = std::env::var_os("FAKE_AGENT_LOG") else { return Ok(()) };
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    Ok(writeln!(file, "{line}")?)
}
