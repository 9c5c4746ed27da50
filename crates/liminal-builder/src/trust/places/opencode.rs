//! What opencode reads. Outside of a repository it looks in every directory up to the root of the file system.

use super::{Form, Only, Place, Reach, Reader, Rule, Table};
use liminal_core::wire::projects::FindingKind::{Environment, Hook, McpServer, Permission, Setting};

const RULES: &[Rule] = &[
    ("/mcp", McpServer),
    ("/plugin", Hook),
    ("/formatter", Hook),
    ("/lsp", Hook),
    ("/experimental", Hook),
    ("/command", Hook),
    ("/permission", Permission),
    ("/policies", Permission),
    ("/tools", Permission),
    ("/agent", Permission),
    ("/mode", Permission),
    ("/provider", Environment),
    ("/enterprise", Environment),
];

const HARMLESS: &[&str] = &[
    "$schema",
    "theme",
    "tui",
    "keybinds",
    "layout",
    "model",
    "small_model",
    "username",
    "autoupdate",
    "compaction",
    "snapshot",
    "watcher",
    "disabled_providers",
];

const SETTINGS: Form = Form::Settings { rules: RULES, harmless: HARMLESS };
const PROGRAMS: Only = Only::Endings(&["js", "ts", "mjs", "mts", "cjs", "cts", "jsx", "tsx"]);
const REACH: Reach = Reach::RepositoryOrRoot;

pub(super) const TABLE: Table = Table {
    readers: &[Reader::Opencode],
    places: &[
        Place::new("opencode.json", REACH, SETTINGS),
        Place::new("opencode.jsonc", REACH, SETTINGS),
        Place::new(".opencode/opencode.json", REACH, SETTINGS),
        Place::new(".opencode/opencode.jsonc", REACH, SETTINGS),
        Place::new(".claude/skills", REACH, Form::Heads),
        Place::new(".agents/skills", REACH, Form::Heads),
        Place::whole(".opencode/plugin", REACH, Hook, PROGRAMS),
        Place::whole(".opencode/plugins", REACH, Hook, PROGRAMS),
        Place::whole(".opencode/tool", REACH, Hook, PROGRAMS),
        Place::whole(".opencode/tools", REACH, Hook, PROGRAMS),
        // It installs packages into the directory as soon as there is one, as npm does.
        Place::whole(".opencode/package.json", REACH, Hook, Only::ALL),
        Place::whole(".opencode/package-lock.json", REACH, Hook, Only::ALL),
        Place::whole(".opencode/npm-shrinkwrap.json", REACH, Hook, Only::ALL),
        Place::whole(".opencode/yarn.lock", REACH, Hook, Only::ALL),
        Place::whole(".opencode/bun.lock", REACH, Hook, Only::ALL),
        Place::whole(".opencode/.npmrc", REACH, Hook, Only::ALL),
        // Agents, modes, commands and skills; it writes the two that are left out itself.
        Place::whole(
            ".opencode",
            REACH,
            Setting,
            Only::Not { endings: &[], names: &["node_modules", ".gitignore"] },
        ),
    ],
};
