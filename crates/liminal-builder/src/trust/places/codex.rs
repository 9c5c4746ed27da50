//! What Codex reads, through either of its adapters.

use super::{Form, Only, Place, Reach, Reader, Rule, Table};
use liminal_core::wire::projects::FindingKind::{Environment, Hook, McpServer, Permission, Setting};

const RULES: &[Rule] = &[
    ("/hooks", Hook),
    ("/notify", Hook),
    ("/mcp_servers", McpServer),
    ("/model_providers", Environment),
    ("/model_provider", Environment),
    ("/openai_base_url", Environment),
    ("/chatgpt_base_url", Environment),
    ("/shell_environment_policy", Environment),
    ("/approval_policy", Permission),
    ("/sandbox_mode", Permission),
    ("/sandbox_workspace_write", Permission),
    ("/default_permissions", Permission),
    ("/permissions", Permission),
];

const HARMLESS: &[&str] = &[
    "model",
    "model_context_window",
    "model_max_output_tokens",
    "model_reasoning_effort",
    "model_reasoning_summary",
    "model_verbosity",
    "hide_agent_reasoning",
    "show_raw_agent_reasoning",
    "personality",
    "check_for_update_on_startup",
    "file_opener",
    "tui",
];

pub(super) const TABLE: Table = Table {
    readers: &[Reader::Codex],
    places: &[
        Place::new(
            ".codex/config.toml",
            Reach::Repository,
            Form::Settings { rules: RULES, harmless: HARMLESS },
        ),
        Place::new(
            ".codex/hooks.json",
            Reach::Repository,
            Form::Settings { rules: &[("/hooks", Hook)], harmless: &["$schema"] },
        ),
        Place::new(".codex/skills", Reach::Repository, Form::Heads),
        Place::new(".agents/skills", Reach::Repository, Form::Heads),
        Place::whole(".codex/rules", Reach::Repository, Permission, Only::Endings(&["rules"])),
        // Roles of sub-agents, hooks, skills' dependencies, and whatever a later version adds.
        Place::whole(".codex", Reach::Repository, Setting, Only::NO_PROMPTS),
        Place::whole(".agents", Reach::Repository, Setting, Only::NO_PROMPTS),
    ],
};
