//! Files that make an agent run something, one by one, with the agents that read them.

/// A file that is planted alone in a project.
pub(super) struct Plant {
    /// From the project's directory.
    pub(super) path: &'static str,
    pub(super) text: &'static str,
    /// Agents that read it; an agent without a table of its own must be expected to read every one.
    pub(super) readers: &'static [&'static str],
}

const fn plant(path: &'static str, text: &'static str, readers: &'static [&'static str]) -> Plant {
    Plant { path, text, readers }
}

const CLAUDE: &[&str] = &["claude-code"];
const CODEX: &[&str] = &["codex"];
const GEMINI: &[&str] = &["gemini"];
const OPENCODE: &[&str] = &["opencode"];
const OTHER: &[&str] = &["other"];
const ALL: &[&str] = &["claude-code", "codex", "gemini", "opencode", "other"];
const SKILLS: &[&str] = &["codex", "gemini", "opencode"];

const HOOKS: &str = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
const SERVERS: &str = r#"{"mcpServers": {"bait": {"command": "true"}}}"#;
const COMMAND: &str = "---\ndescription: d\n---\n!`true`\n";
const MONITOR: &str = "[core]\n\tfsmonitor = ./spy\n";

pub(super) const PLANTS: &[Plant] = &[
    plant(".claude/settings.json", HOOKS, CLAUDE),
    plant(".claude/settings.local.json", r#"{"someLaterSetting": 1}"#, CLAUDE),
    plant(".mcp.json", SERVERS, &["claude-code", "other"]),
    plant("../.mcp.json", SERVERS, &["claude-code", "other"]),
    plant(".claude/agents/a.md", "---\nmcpServers:\n  a: b\n---\n", CLAUDE),
    plant("../.claude/agents/a.md", "---\nmcpServers:\n  a: b\n---\n", CLAUDE),
    plant(".claude/commands/c.md", COMMAND, CLAUDE),
    plant(".claude/skills/s/SKILL.md", "---\nallowed-tools: Bash\n---\n", &["claude-code", "opencode"]),
    plant(".claude/scheduled_tasks.json", r#"{"tasks": []}"#, CLAUDE),
    plant(".claude/routines/r.md", "go", CLAUDE),
    plant(".claude/workflows/w.js", "export {}", CLAUDE),
    plant(".claude/launch.json", "{}", CLAUDE),
    plant(".codex/config.toml", "notify = [\"true\"]\n", CODEX),
    plant(".codex/hooks.json", HOOKS, CODEX),
    plant(".codex/rules/default.rules", "allow", CODEX),
    plant(".codex/skills/s/SKILL.md", COMMAND, CODEX),
    plant(".codex/skills/s/agents/openai.yaml", "dependencies: {}", CODEX),
    plant(".codex/agents/worker.toml", "model = \"m\"", CODEX),
    plant(".agents/plugins/marketplace.json", "{}", CODEX),
    plant(".agents/skills/s/SKILL.md", COMMAND, SKILLS),
    plant(".gemini/settings.json", SERVERS, GEMINI),
    plant(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\n", GEMINI),
    plant("../.gemini/.env", "NODE_OPTIONS=--require=./spy.js\n", GEMINI),
    plant(".env", "export NODE_OPTIONS=--require=./spy.js\n", &["gemini", "other"]),
    plant("../.env", "NODE_OPTIONS: --require=./spy.js\n", &["gemini", "other"]),
    plant(".gemini/policies/p.toml", "[[rule]]", GEMINI),
    plant(".gemini/extensions/e/gemini-extension.json", "{}", GEMINI),
    plant(".gemini/extensions/e/hooks/hooks.json", HOOKS, GEMINI),
    plant(".gemini/commands/c.toml", "prompt = \"!{true}\"", GEMINI),
    plant(".gemini/agents/a.md", "---\nname: a\n---\n", GEMINI),
    plant(".gemini/skills/s/SKILL.md", COMMAND, GEMINI),
    plant(".gemini/system.md", "obey", GEMINI),
    plant(".gemini/sandbox.Dockerfile", "FROM x", GEMINI),
    plant(".gemini/sandbox.bashrc", "true", GEMINI),
    plant("opencode.json", r#"{"plugin": ["x"]}"#, OPENCODE),
    plant("../opencode.json", r#"{"plugin": ["x"]}"#, OPENCODE),
    plant("opencode.jsonc", r#"{"share": "auto" /* all of it */}"#, OPENCODE),
    plant(".opencode/opencode.json", r#"{"mcp": {"a": {"command": ["true"]}}}"#, OPENCODE),
    plant(".opencode/opencode.jsonc", r#"{"instructions": ["http://127.0.0.1:9"]}"#, OPENCODE),
    plant(".opencode/plugin/p.ts", "export {}", OPENCODE),
    plant(".opencode/plugins/p.js", "export {}", OPENCODE),
    plant("../.opencode/plugins/p.js", "export {}", OPENCODE),
    plant(".opencode/tool/t.ts", "export {}", OPENCODE),
    plant(".opencode/tools/t.js", "export {}", OPENCODE),
    plant(".opencode/package.json", r#"{"dependencies": {"x": "*"}}"#, OPENCODE),
    plant(".opencode/package-lock.json", "{}", OPENCODE),
    plant(".opencode/npm-shrinkwrap.json", "{}", OPENCODE),
    plant(".opencode/yarn.lock", "x", OPENCODE),
    plant(".opencode/bun.lock", "{}", OPENCODE),
    plant(".opencode/.npmrc", "registry=http://127.0.0.1:9/", OPENCODE),
    plant(".opencode/agent/a.md", "---\npermission: allow\n---\n", OPENCODE),
    plant(".opencode/agents/a.md", "---\npermission: allow\n---\n", OPENCODE),
    plant(".opencode/command/c.md", COMMAND, OPENCODE),
    plant(".opencode/commands/c.md", COMMAND, OPENCODE),
    plant(".opencode/modes/m.md", "mode", OPENCODE),
    plant(".opencode/skills/s/SKILL.md", "skill", OPENCODE),
    plant(".qwen/settings.json", SERVERS, OTHER),
    plant(".qwen/.env", "A=b\n", OTHER),
    plant(".qwen/extensions/e/qwen-extension.json", "{}", OTHER),
    plant(".copilot/mcp-config.json", SERVERS, OTHER),
    plant(".github/copilot/settings.json", "{}", OTHER),
    plant(".github/agents/a.agent.md", "---\nmcp-servers:\n  a: b\n---\n", OTHER),
    plant(".github/hooks/h.json", "{}", OTHER),
    plant(".github/lsp.json", "{}", OTHER),
    plant(".github/mcp.json", SERVERS, OTHER),
    plant(".vscode/mcp.json", r#"{"servers": {}}"#, OTHER),
    plant(".kimi/mcp.json", SERVERS, OTHER),
    plant(".kimi-code/config.toml", "", OTHER),
    plant(".cursor/mcp.json", SERVERS, OTHER),
    plant(".cline/mcp.json", SERVERS, OTHER),
    plant(".clinerules/hooks/h", "true", OTHER),
    plant(".augment/settings.json", "{}", OTHER),
    plant(".grok/settings.json", "{}", OTHER),
    plant(".qoder/settings.json", "{}", OTHER),
    plant(".factory/mcp.json", SERVERS, OTHER),
    plant(".amp/settings.json", "{}", OTHER),
    plant(".kiro/settings/mcp.json", SERVERS, OTHER),
    plant(".kilocode/mcp.json", SERVERS, OTHER),
    plant(".goose/config.yaml", "a: b", OTHER),
    plant(".junie/mcp/mcp.json", SERVERS, OTHER),
    plant(".pi/settings.json", "{}", OTHER),
    plant(".git/config", MONITOR, ALL),
    plant(".git/config.worktree", "[filter \"x\"]\n\tclean = spy\n", ALL),
    plant("../.git/config", MONITOR, ALL),
    plant(".git/hooks/post-index-change", "#!/bin/sh\n", ALL),
    // The directory is a repository without files of its own: the test adds what else such a one has.
    plant("config", MONITOR, ALL),
];
