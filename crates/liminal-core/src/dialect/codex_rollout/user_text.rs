//! What a person wrote of a text in the user's place. Owns the marks of what programs added to it.

/// Editors put what is open in them before the words of the user, and this between the two.
const REQUEST: &str = "## My request for Codex:";
/// Texts for the model begin so.
const CONTEXT: [&str; 9] = [
    "<environment_context",
    "<user_instructions",
    "<permissions instructions",
    "<skills_instructions",
    "<skill>",
    "<turn_aborted",
    "<subagent_notification",
    "<user_shell_command",
    "# AGENTS.md instructions for ",
];

/// What a person wrote of a prompt, if it has words.
pub(super) fn written(text: &str) -> Option<&str> {
    let written = text.split_once(REQUEST).map_or(text, |(_, request)| request).trim();
    (!written.is_empty()).then_some(written)
}

/// What a person wrote of a text that may be no prompt.
pub(super) fn prompt(text: &str) -> Option<&str> {
    let is_context = CONTEXT.iter().any(|start| text.trim_start().starts_with(start));
    if is_context { None } else { written(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_no_prompt() {
        for (text, expected) in [
            ("fix it\nplease", Some("fix it\nplease")),
            ("<div>what is this?</div>", Some("<div>what is this?</div>")),
            ("<environment_context>\n  <cwd>/home/dev</cwd>", None),
            ("\n<user_instructions>\nbe brief", None),
            ("# AGENTS.md instructions for /home/dev\n\n<INSTRUCTIONS>", None),
            (
                "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix",
                Some("fix"),
            ),
            ("## My request for Codex:\n", None),
            (" \n", None),
        ] {
            assert_eq!(prompt(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_known_to_be_a_prompt_may_look_like_anything() {
        assert_eq!(written("<environment_context> is what?"), Some("<environment_context> is what?"));
    }
}
