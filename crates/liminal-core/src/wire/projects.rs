//! Directories the user works in, on the wire. Owns their types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::ProjectId;
use crate::time::Timestamp;
use crate::wire_enum::wire_enum;

/// Registers a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddProject {
    /// The directory.
    pub path: String,
    /// Whether to make the directory if only the one it lies in is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub create: bool,
}

/// A directory the user works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The project.
    pub id: ProjectId,
    /// Its directory.
    pub path: String,
    /// What people call it.
    pub name: String,
    /// The directory is not there now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_missing: bool,
    /// Whether what the project brings may run.
    pub trust: Trust,
    /// What it brings that runs or changes what an agent does; a person decides on it.
    pub findings: Vec<Finding>,
}

/// The projects, in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProjectList {
    /// The projects.
    pub projects: Vec<Project>,
}

/// A directory that agents have worked in and that is no project yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct KnownProject {
    /// The directory.
    pub path: String,
    /// Its last part.
    pub name: String,
    /// How many sessions agents have kept of it.
    pub sessions: u32,
    /// The `cliType` of each of these agents.
    pub agents: Vec<String>,
    /// When an agent last worked there.
    pub last_activity: Timestamp,
}

/// Directories that agents have worked in, the most recent first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct KnownProjectList {
    /// The directories.
    pub projects: Vec<KnownProject>,
    /// There were more session files than are read at once: older directories may be missing, and counts too low.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_cut: bool,
}

wire_enum! {
    /// Whether what a project brings may run.
    Trust {
        /// Nobody was asked, or it brings something else now than when somebody was.
        Unknown = "unknown",
        /// It may.
        Trusted = "trusted",
        /// It may not: agents start with the user's own settings only.
        Untrusted = "untrusted",
    }
}

/// Something in a project that runs, or changes what an agent does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The file, from the project's directory.
    pub path: String,
    /// What kind of thing it is.
    pub kind: FindingKind,
    /// What it does: the command, the server, the variable.
    pub detail: String,
    /// The types of agents that read it. `other` stands for every agent that is not named by any finding; such an agent
    /// must be expected to read all of them.
    #[serde(default)]
    pub agents: Vec<String>,
}

wire_enum! {
    /// What a project can bring.
    FindingKind {
        /// A command that an agent runs by itself.
        Hook = "hook",
        /// A server that an agent starts.
        McpServer = "mcp_server",
        /// A variable of an agent's environment.
        Environment = "environment",
        /// A rule that allows something without asking.
        Permission = "permission",
        /// A file or a setting that changes what an agent does.
        Setting = "setting",
        /// A file that could not be read, so that nobody knows.
        Unreadable = "unreadable",
    }
}

/// Decides whether what a project brings may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecideTrust {
    /// Whether it may.
    pub trusted: bool,
}

/// Directories or files that begin like what was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PathList {
    /// The paths, the best first.
    pub paths: Vec<String>,
}
