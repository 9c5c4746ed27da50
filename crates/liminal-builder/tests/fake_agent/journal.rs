//! What the agent tells those who started it behind the back of those who speak to it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use liminal_builder::discovery::claude_code::project_slug;
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
        "set": { "OWN_NAME": std::env::var("OWN_NAME").ok(), "PATH": std::env::var("PATH").ok() },
        "directory": std::env::current_dir()?,
        "pid": std::process::id(),
        "group": rustix::process::getpgrp().as_raw_nonzero().get(),
        "descriptors": descriptors,
    }))
}

/// Keeps what it was told where Claude Code does, so that a session can be gone on with.
pub(crate) fn kept(session: &str, line: &Value) -> Result<()> {
    let (Some(_), Some(place)) =
        (std::env::var_os("FAKE_AGENT_KEEPS"), std::env::var_os("CLAUDE_CONFIG_DIR"))
    else {
        return Ok(());
    };
    let directory = std::env::current_dir()?;
    let folder = Path::new(&place).join("projects").join(project_slug(&directory.display().to_string()));
    std::fs::create_dir_all(&folder)?;
    let mut line = line.clone();
    if let Some(fields) = line.as_object_mut() {
        fields.insert("cwd".to_owned(), directory.display().to_string().into());
        fields.insert("timestamp".to_owned(), "2026-01-01T00:00:00.000Z".into());
    }
    append(&folder.join(format!("{session}.jsonl")), &line)
}

/// What it was told.
pub(crate) fn prompted(text: &str) -> Result<()> {
    add(&json!({ "bytes": text.len(), "prompt": text }))
}

/// What was asked of it.
pub(crate) fn asked(method: &str) -> Result<()> {
    add(&json!({ "asked": method }))
}

fn add(line: &Value) -> Result<()> {
    let Some(path) = std::env::var_os("FAKE_AGENT_LOG") else { return Ok(()) };
    append(path.as_ref(), line)
}

fn append(path: &Path, line: &Value) -> Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    // In one write, because several agents may share the file.
    Ok(file.write_all(format!("{line}\n").as_bytes())?)
}
