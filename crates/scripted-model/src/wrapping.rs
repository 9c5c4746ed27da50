//! What agents write around the prompts of their users, so that only the user's words give directives.
//!
//! It knows the habits of agents and no API.

/// Text in these tags is written by the agent, wherever it stands.
const AGENT_TAGS: [&str; 10] = [
    "system-reminder",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "command-name",
    "command-message",
    "command-args",
    "environment_context",
    "session_context",
    "context",
];

/// Text that opens like this is the agent's as a whole.
const AGENT_OPENINGS: [&str; 3] =
    ["# AGENTS.md instructions", "Generate a title for this conversation:", "[Image: source: "];

/// The words of the user in the texts of one message, if there are any.
pub(crate) fn spoken(texts: &[&str]) -> Option<String> {
    let spoken: Vec<String> = texts.iter().filter_map(|text| spoken_in(text)).collect();
    Some(spoken.join("\n")).filter(|prompt| !prompt.is_empty())
}

/// The words of the user in one text, if there are any.
pub(crate) fn spoken_in(text: &str) -> Option<String> {
    let text = AGENT_TAGS.iter().fold(text.to_owned(), |text, tag| without_tag(&text, tag));
    let text = text.trim();
    let wrapped = text.is_empty()
        || is_one_element(text)
        || AGENT_OPENINGS.iter().any(|opening| text.starts_with(opening));
    (!wrapped).then(|| text.to_owned())
}

fn without_tag(text: &str, tag: &str) -> String {
    let (start, end) = (format!("<{tag}"), format!("</{tag}>"));
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(&start) {
        let opened = inside.starts_with(['>', ' ']);
        let Some((_, after)) = inside.split_once(&end).filter(|_| opened) else { break };
        kept.push_str(before);
        rest = after;
    }
    kept + rest
}

/// Whether the whole text is one element whose name no person would type, such as `<user_instructions>`.
/// Agents invent new ones with every release.
fn is_one_element(text: &str) -> bool {
    let Some((name, _)) = text.strip_prefix('<').and_then(|text| text.split_once('>')) else { return false };
    let plain = |character: char| character.is_ascii_alphanumeric() || "_- ".contains(character);
    name.chars().all(plain) && name.contains(['_', '-', ' ']) && text.ends_with(&format!("</{name}>"))
}

#[cfg(test)]
mod tests;
