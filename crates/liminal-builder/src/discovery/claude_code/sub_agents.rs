//! The files of sub-agents. Owns where each version keeps them, and how a file's call is found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use liminal_core::dialect::claude::history::HistoryReader;

use super::super::{DiscoveryError, files};

/// Reads the sub-agents of a session whose own file is read.
pub(super) fn read(directory: &Path, id: &str, reader: &mut HistoryReader) -> Result<(), DiscoveryError> {
    let session = directory.join(id);
    let own = session.join("subagents");
    let here = if files::is_directory(&session) && files::is_directory(&own) {
        agents_in(&own)?
    } else {
        BTreeSet::new()
    };
    for agent in &here {
        read_agent(&own, agent, reader)?;
    }
    // Versions 2.0 kept them next to the sessions; only results tell whose they are.
    let told: Vec<String> = reader.agents().map(str::to_owned).collect();
    for agent in told.iter().filter(|agent| is_agent_id(agent) && !here.contains(*agent)) {
        if files::is_file(&agent_file(directory, agent)) {
            read_agent(directory, agent, reader)?;
        }
    }
    Ok(())
}

fn read_agent(directory: &Path, agent: &str, reader: &mut HistoryReader) -> Result<(), DiscoveryError> {
    let path = agent_file(directory, agent);
    let meta = files::small(&path.with_extension("meta.json")).unwrap_or_default();
    let Some(call) = reader.push_subagent_meta(agent, &meta) else {
        reader.skip_line("sub-agent without call");
        return Ok(());
    };
    let read = super::each_line(&path, reader, |reader, line| reader.push_subagent_line(&call, line));
    read.map_err(DiscoveryError::read(&path))
}

fn agents_in(directory: &Path) -> Result<BTreeSet<String>, DiscoveryError> {
    let entries = fs::read_dir(directory).map_err(DiscoveryError::read(directory))?;
    let agents = entries.filter_map(|entry| {
        let entry = entry.ok().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))?;
        let name = entry.file_name();
        let agent = name.to_str()?.strip_prefix("agent-")?.strip_suffix(".jsonl")?;
        is_agent_id(agent).then(|| agent.to_owned())
    });
    Ok(agents.collect())
}

fn agent_file(directory: &Path, agent: &str) -> std::path::PathBuf {
    directory.join(format!("agent-{agent}.jsonl"))
}

/// Ids come from files and become paths.
fn is_agent_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}
