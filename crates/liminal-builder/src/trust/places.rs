//! Where each agent looks by itself. Owns the files and the settings in them that matter.

use std::path::Path;

use liminal_core::wire::projects::FindingKind;
use serde_json::Value;

use super::{Gathered, describe, json, markdown, reading};
use FindingKind::{Environment, Hook, McpServer, Permission, Unreadable};

/// A setting, as a JSON pointer, and what it is.
type Rule = (&'static str, FindingKind);

struct Settings {
    file: &'static str,
    rules: &'static [Rule],
}

/// How hooks are written is the same for all that have them.
const HOOKS: &str = "/hooks";

/// Settings that are one command, in words or with more about it.
const COMMANDS: [&str; 3] = ["/statusLine", "/fileSuggestion", "/notify"];

const CLAUDE: &[Rule] = &[
    (HOOKS, Hook),
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

const GEMINI: &[Rule] = &[
    (HOOKS, Hook),
    ("/mcpServers", McpServer),
    ("/mcp/serverCommand", McpServer),
    ("/tools/discoveryCommand", Hook),
    ("/tools/callCommand", Hook),
    ("/toolDiscoveryCommand", Hook),
    ("/toolCallCommand", Hook),
    ("/tools/allowed", Permission),
    ("/tools/core", Permission),
    ("/tools/autoAccept", Permission),
    ("/autoAccept", Permission),
    ("/general/defaultApprovalMode", Permission),
    ("/security", Permission),
];

const OPENCODE: &[Rule] = &[
    ("/mcp", McpServer),
    ("/plugin", Hook),
    ("/formatter", Hook),
    ("/lsp", Hook),
    ("/experimental/hook", Hook),
    ("/permission", Permission),
    ("/provider", Environment),
];

const CODEX: &[Rule] = &[
    (HOOKS, Hook),
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

const FILES: [Settings; 9] = [
    Settings { file: ".claude/settings.json", rules: CLAUDE },
    Settings { file: ".claude/settings.local.json", rules: CLAUDE },
    Settings { file: ".mcp.json", rules: &[("/mcpServers", McpServer)] },
    Settings { file: ".codex/config.toml", rules: CODEX },
    Settings { file: ".codex/hooks.json", rules: &[(HOOKS, Hook)] },
    Settings { file: ".gemini/settings.json", rules: GEMINI },
    Settings { file: "opencode.json", rules: OPENCODE },
    Settings { file: "opencode.jsonc", rules: OPENCODE },
    Settings { file: ".opencode/opencode.json", rules: OPENCODE },
];

/// Texts whose heads can allow or run something.
const MARKDOWN: [&str; 3] = [".claude/agents", ".claude/commands", ".claude/skills"];

/// Files that are taken as a whole: programs that an agent loads, rules that it follows.
const WHOLE: [(&str, &[&str], FindingKind); 7] = [
    (".codex/rules", &["rules"], Permission),
    (".gemini/policies", &["toml"], Permission),
    (".gemini/extensions", &["json"], Hook),
    (".opencode/plugin", &["js", "ts", "mjs"], Hook),
    (".opencode/plugins", &["js", "ts", "mjs"], Hook),
    (".opencode/tool", &["js", "ts", "mjs"], Hook),
    (".opencode/tools", &["js", "ts", "mjs"], Hook),
];

/// Looks at all of them in one directory.
pub(super) fn look(folder: &Path, prefix: &str, gathered: &mut Gathered) {
    for settings in &FILES {
        look_at_settings(folder, prefix, settings, gathered);
    }
    for place in MARKDOWN {
        for path in reading::files(&folder.join(place), &["md"]) {
            let shown = name(folder, prefix, &path);
            if let Some(text) = reading::text(&path, &shown, gathered) {
                markdown::look(&text, &shown, gathered);
            }
        }
    }
    for (place, endings, kind) in WHOLE {
        for path in reading::files(&folder.join(place), endings) {
            let shown = name(folder, prefix, &path);
            if let Some(text) = reading::text(&path, &shown, gathered) {
                gathered.add(&shown, kind, "is loaded by the agent", text.as_bytes());
            }
        }
    }
    look_at_variables(folder, prefix, gathered);
}

fn look_at_settings(folder: &Path, prefix: &str, settings: &Settings, gathered: &mut Gathered) {
    let shown = format!("{prefix}{}", settings.file);
    let Some(text) = reading::text(&folder.join(settings.file), &shown, gathered) else { return };
    let is_toml = settings.file.ends_with(".toml");
    let value = if is_toml { toml::from_str(&text).ok() } else { json::parse(&text) };
    let Some(value) = value.filter(Value::is_object) else {
        // An agent may read it more kindly than we do.
        gathered.add(&shown, Unreadable, "cannot be understood", text.as_bytes());
        return;
    };
    for (pointer, kind) in settings.rules {
        let Some(found) = value.pointer(pointer) else { continue };
        for (detail, whole) in described(pointer, found) {
            gathered.add(&shown, *kind, &detail, format!("{pointer} {detail} {whole}").as_bytes());
        }
    }
}

fn described(pointer: &str, value: &Value) -> Vec<(String, String)> {
    let setting = pointer.rsplit('/').next().unwrap_or_default();
    if pointer == HOOKS {
        return describe::hooks(value);
    }
    if COMMANDS.contains(&pointer) {
        return vec![describe::one(setting, value)];
    }
    describe::parts(setting, value)
}

/// Gemini's own file of variables; values may be anybody's keys, so the names are told.
fn look_at_variables(folder: &Path, prefix: &str, gathered: &mut Gathered) {
    let shown = format!("{prefix}.gemini/.env");
    let Some(text) = reading::text(&folder.join(".gemini/.env"), &shown, gathered) else { return };
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some((variable, _)) = line.split_once('=') {
            gathered.add(&shown, Environment, variable.trim(), line.as_bytes());
        }
    }
}

fn name(folder: &Path, prefix: &str, path: &Path) -> String {
    format!("{prefix}{}", path.strip_prefix(folder).unwrap_or(path).display())
}
