//! A conversation as Markdown. Owns its layout; what agents and tools said is fenced so that none of it is taken for
//! the document's own.

use std::fmt::Write;

use liminal_core::event::Origin;
use liminal_core::upsert::{ToolCallBody, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::rest::SessionStatus;

use super::{Said, said};
use crate::log::Entry;

pub(super) fn write(status: &SessionStatus, entries: &[Entry]) -> String {
    let title = status.view.title.as_deref().unwrap_or("Untitled session");
    let mut out = format!("# {}\n\n", one_line(title));
    line(&mut out, &format!("- Agent: {}", status.cli_type));
    line(&mut out, &format!("- Directory: `{}`", status.directory));
    line(&mut out, &format!("- Session: `{}`", status.session_id));
    for entry in entries {
        match said(entry) {
            Some(Said::Item(item)) => write_item(&mut out, &item),
            Some(Said::Turn(event)) => write_turn(&mut out, &event),
            None => {}
        }
    }
    out
}

fn write_item(out: &mut String, item: &Upsert) {
    match &item.body {
        UpsertBody::Message(message) => {
            let who = match message.origin {
                Origin::User => "You",
                Origin::Agent => "Agent",
                Origin::System => "Note",
            };
            block(out, &format!("## {who}"), &message.content);
            for file in &message.attachments {
                let (name, kind) = (one_line(&file.name), one_line(&file.mime_type));
                line(out, &format!("\n*Attached: {name} ({kind}, {} bytes)*", file.bytes));
            }
        }
        UpsertBody::Thinking(thinking) => block(out, "### Thinking", &quoted(&thinking.content)),
        UpsertBody::ToolCall(call) => write_call(out, call),
        UpsertBody::Plan(plan) => {
            let entries =
                plan.entries.iter().map(|entry| format!("- {} ({})", entry.content, entry.status.as_str()));
            block(out, "### Plan", &entries.collect::<Vec<_>>().join("\n"));
        }
        UpsertBody::Permission(asked) => block(out, "### Asked", &one_line(&asked.request.title)),
    }
    if item.status == UpsertStatus::Error {
        let (code, message) = (item.error_code.as_deref(), item.error_message.as_deref());
        line(
            out,
            &format!("\n> Failed: {} {}", code.unwrap_or_default(), one_line(message.unwrap_or_default())),
        );
    }
}

fn write_call(out: &mut String, call: &ToolCallBody) {
    let title = call.details.title.as_deref().unwrap_or_default();
    line(out, &format!("\n### Tool: {} {}", call.tool_name, one_line(title)));
    let arguments = serde_json::to_string_pretty(&call.tool_arguments).unwrap_or_default();
    if arguments != "{}" {
        line(out, &fenced(&arguments, "json"));
    }
    for diff in &call.details.diffs {
        let old = diff.old_text.as_deref().unwrap_or_default();
        let removed = old.lines().map(|line| format!("-{line}"));
        let added = diff.new_text.lines().map(|line| format!("+{line}"));
        let body: Vec<String> =
            std::iter::once(format!("--- {}", diff.path)).chain(removed).chain(added).collect();
        line(out, &fenced(&body.join("\n"), "diff"));
    }
    if let Some(output) = call.tool_output.as_deref().filter(|output| !output.is_empty()) {
        line(out, &fenced(output, "text"));
    }
}

fn write_turn(out: &mut String, event: &TurnEvent) {
    match event {
        TurnEvent::TurnStarted { .. } => {}
        TurnEvent::TurnComplete { status, .. } => line(out, &format!("\n---\n*Turn {}*", status.as_str())),
        TurnEvent::TurnError { error_code, error_message, .. } => {
            line(out, &format!("\n---\n*Turn failed: {error_code} {}*", one_line(error_message)));
        }
    }
}

fn block(out: &mut String, heading: &str, body: &str) {
    line(out, &format!("\n{heading}\n\n{}", body.trim_end()));
}

fn line(out: &mut String, text: &str) {
    // Writing to a text cannot fail.
    writeln!(out, "{text}").ok();
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// Longer than any fence inside.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_holds_whatever_is_inside() {
        assert_eq!(fenced("a\n", "text"), "```text\na\n```");
        assert_eq!(fenced("```\nx\n```", "text"), "````text\n```\nx\n```\n````");
    }
}
