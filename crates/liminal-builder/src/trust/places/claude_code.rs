//! What Claude Code reads. Its own list of files that a sandboxed command must not write is the source of most of it.

use super::{Form, Only, Place, Reach, Reader, Rule, Table};
use liminal_core::wire::projects::FindingKind::{Environment, Hook, McpServer, Permission};

const RULES: &[Rule] = &[
    ("/hooks", Hook),
    ("/apiKeyHelper", Hook),
    ("/awsAuthRefresh", Hook),
    ("/awsCredentialExport", Hook),
    ("/gcpAuthRefresh", Hook),
    ("/otelHeadersHelper", Hook),
    ("/statusLine", Hook),
    ("/fileSuggestion", Hook),
    ("/enabledPlugins", Hook),
    ("/extraKnownMarketplaces", Hook),
    ("/mcpServers", McpServer),
    ("/env", Environment),
    ("/permissions/allow", Permission),
    ("/permissions/additionalDirectories", Permission),
    ("/permissions/defaultMode", Permission),
    ("/enableAllProjectMcpServers", Permission),
    ("/enabledMcpjsonServers", Permission),
    ("/sandbox", Permission),
];

const HARMLESS: &[&str] = &[
    "$schema",
    "alwaysThinkingEnabled",
    "attribution",
    "autoUpdatesChannel",
    "cleanupPeriodDays",
    "companyAnnouncements",
    "disableAllHooks",
    "disabledMcpjsonServers",
    "effortLevel",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "language",
    "model",
    "outputStyle",
    "plansDirectory",
    "prefersReducedMotion",
    "respectGitignore",
    "showTurnDuration",
    "spinnerTipsEnabled",
    "spinnerTipsOverride",
    "spinnerVerbs",
    "terminalProgressBarEnabled",
    "theme",
];

const SETTINGS: Form = Form::Settings { rules: RULES, harmless: HARMLESS };
const SERVERS: Form = Form::Settings { rules: &[("/mcpServers", McpServer)], harmless: &["$schema"] };

pub(super) const TABLE: Table = Table {
    readers: &[Reader::ClaudeCode],
    places: &[
        Place::new(".claude/settings.json", Reach::Repository, SETTINGS),
        Place::new(".claude/settings.local.json", Reach::Repository, SETTINGS),
        Place::new(".mcp.json", Reach::Root, SERVERS),
        Place::new(".claude/agents", Reach::RepositoryOrRoot, Form::Heads),
        Place::new(".claude/commands", Reach::RepositoryOrRoot, Form::Heads),
        Place::new(".claude/skills", Reach::RepositoryOrRoot, Form::Heads),
        // Prompts that it submits by itself, also when it ignores the project's settings.
        Place::whole(".claude/scheduled_tasks.json", Reach::Repository, Hook, Only::ALL),
        Place::whole(".claude/routines", Reach::Repository, Hook, Only::ALL),
        Place::whole(".claude/workflows", Reach::RepositoryOrRoot, Hook, Only::ALL),
        Place::whole(".claude/launch.json", Reach::Repository, Hook, Only::ALL),
    ],
};
