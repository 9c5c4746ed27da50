//! What agents without a table of their own are known to read. To such an agent all other tables apply as well.

use super::{Form, Only, Place, Reach, Reader, Table, gemini};
use liminal_core::wire::projects::FindingKind::{McpServer, Setting};

const SERVERS: Form = Form::Settings { rules: &[("/mcpServers", McpServer)], harmless: &["$schema"] };
const REACH: Reach = Reach::RepositoryOrRoot;

const fn folder(path: &'static str) -> Place {
    Place::whole(path, REACH, Setting, Only::NO_PROMPTS)
}

pub(super) const TABLE: Table = Table {
    readers: &[Reader::Other],
    places: &[
        Place::new(".mcp.json", Reach::Root, SERVERS),
        Place::new(
            ".qwen/settings.json",
            REACH,
            Form::Settings { rules: gemini::RULES, harmless: gemini::HARMLESS },
        ),
        Place::new(".qwen/.env", Reach::Root, Form::Variables),
        Place::new(".env", Reach::Root, Form::Variables),
        folder(".qwen"),
        folder(".copilot"),
        folder(".github/copilot"),
        Place::new(".github/agents", REACH, Form::Heads),
        folder(".github/hooks"),
        folder(".github/lsp.json"),
        folder(".github/mcp.json"),
        folder(".vscode/mcp.json"),
        folder(".kimi"),
        folder(".kimi-code"),
        folder(".cursor"),
        folder(".cline"),
        folder(".clinerules"),
        folder(".augment"),
        folder(".grok"),
        folder(".qoder"),
        folder(".factory"),
        folder(".amp"),
        folder(".kiro"),
        folder(".kilocode"),
        folder(".goose"),
        folder(".junie"),
        folder(".pi"),
    ],
};
