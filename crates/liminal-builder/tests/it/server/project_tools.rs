//! A tool of an MCP server that the project brings, with the real Claude Code: there once the project is trusted.

use std::fs;

use liminal_core::upsert::UpsertBody;
use liminal_core::wire::projects::Project;
use serde_json::{Value, json};

use super::machine::{Machine, node};
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(a_tool_of_the_project_runs_once_the_project_is_trusted);

/// Answers over its pipes like any other server of this protocol.
const SERVER: &str = r#"
import { createInterface } from 'node:readline';
const tool = { name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'greeter', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: 'unknown' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
});
"#;

async fn a_tool_of_the_project_runs_once_the_project_is_trusted(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    fs::write(machine.project.join("greeter.mjs"), SERVER).unwrap();
    let greeter = json!({ "command": node(), "args": [machine.project.join("greeter.mjs")] });
    fs::write(machine.project.join(".mcp.json"), json!({ "mcpServers": { "greeter": greeter } }).to_string())
        .unwrap();
    fs::create_dir(machine.project.join(".claude")).unwrap();
    let settings = json!({ "enableAllProjectMcpServers": true });
    fs::write(machine.project.join(".claude/settings.json"), settings.to_string()).unwrap();
    let server = machine.start().await;
    server.create_with("claude-code", json!({})).await.assert_problem(403, "TRUST_REQUIRED");
    let project = server.projects().await.remove(0);
    let trust = format!("/api/projects/{}/trust", project.id);
    server.post(&trust, json!({ "trusted": true })).await.read::<Project>(200);

    let id = server.create("claude-code").await;
    let prompt = r#"tool:mcp__greeter__greet {"name":"Ada"}"#;
    server.send(&id, prompt).await;
    let asked = server.question(&id).await;
    let UpsertBody::Permission(body) = &asked.item.body else { panic!("{asked:?}") };
    assert_eq!(
        (body.request.tool_name.as_str(), &body.request.input["name"]),
        ("mcp__greeter__greet", &json!("Ada"))
    );
    server.answer(&asked, "allow_once").await.read::<Value>(200);
    server.until(&id, |status| status.view.turn.is_none()).await;
    let page = server.history(&id).await;
    let output = page.entries.iter().find_map(|item| match &item.body {
        UpsertBody::ToolCall(call) => call.tool_output.clone(),
        _ => None,
    });
    assert_eq!(output.as_deref(), Some("Hello, Ada!"));
    server.stop().await;
}
