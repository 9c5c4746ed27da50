//! What Gemini CLI reads. It may skip some of it in folders that it does not trust itself, but that depends on its version
//! and on the user's settings.

use super::{Form, Only, Place, Reach, Reader, Rule, Table};
use liminal_core::wire::projects::FindingKind::{Environment, Hook, McpServer, Permission, Setting};

pub(super) const RULES: &[Rule] = &[
    ("/hooks", Hook),
    ("/hooksConfig", Hook),
    ("/mcpServers", McpServer),
    ("/mcp/serverCommand", McpServer),
    ("/mcp/allowed", Permission),
    ("/tools/discoveryCommand", Hook),
    ("/tools/callCommand", Hook),
    ("/toolDiscoveryCommand", Hook),
    ("/toolCallCommand", Hook),
    ("/tools/allowed", Permission),
    ("/tools/core", Permission),
    ("/tools/autoAccept", Permission),
    ("/tools/confirmationRequired", Permission),
    ("/tools/sandbox", Permission),
    ("/tools/sandboxAllowedPaths", Permission),
    ("/tools/sandboxNetworkAccess", Permission),
    ("/tools/shell", Permission),
    ("/autoAccept", Permission),
    ("/sandbox", Permission),
    ("/general/defaultApprovalMode", Permission),
    ("/general/preferredEditor", Hook),
    ("/security", Permission),
    ("/policyPaths", Permission),
    ("/adminPolicyPaths", Permission),
    ("/telemetry", Environment),
    ("/advanced", Environment),
];

pub(super) const HARMLESS: &[&str] =
    &["$schema", "ui", "theme", "output", "privacy", "usageStatisticsEnabled", "model", "billing"];

pub(super) const TABLE: Table = Table {
    readers: &[Reader::Gemini],
    places: &[
        Place::new(
            ".gemini/settings.json",
            Reach::Repository,
            Form::Settings { rules: RULES, harmless: HARMLESS },
        ),
        Place::new(".gemini/skills", Reach::Repository, Form::Heads),
        Place::new(".agents/skills", Reach::Repository, Form::Heads),
        Place::whole(".gemini/policies", Reach::Repository, Permission, Only::Endings(&["toml"])),
        Place::whole(".gemini/extensions", Reach::Repository, Hook, Only::ALL),
        Place::whole(".gemini/commands", Reach::Repository, Hook, Only::ALL),
        Place::whole(".gemini/agents", Reach::Repository, Setting, Only::ALL),
        Place::whole(".gemini/system.md", Reach::Repository, Setting, Only::ALL),
        // Sandbox images and profiles, hooks' scripts, and whatever a later version adds.
        Place::whole(
            ".gemini",
            Reach::Repository,
            Setting,
            Only::Not { endings: &["md", "log"], names: &["worktrees", "tmp"] },
        ),
        // It loads the first file that it finds on its way up, and `.gemini/.env` before `.env`.
        Place::new(".gemini/.env", Reach::Root, Form::Variables),
        Place::new(".env", Reach::Root, Form::Variables),
    ],
};
