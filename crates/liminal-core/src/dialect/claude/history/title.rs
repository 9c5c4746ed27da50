//! What a session is called. Owns the order of the sources: a person's words, then the program's, then the first
//! prompt.

use super::line::Line;
use crate::dialect::one_line::one_line;

/// The names a session was given so far.
#[derive(Debug, Default)]
pub(super) struct Titles {
    custom: Option<String>,
    generated: Option<String>,
    summaries: Vec<Summary>,
    first_prompt: Option<String>,
    last_prompt: Option<String>,
}

/// A summary names the line it was made for, which may be of another session: older versions wrote the summaries
/// of all sessions of a project into the next new file.
#[derive(Debug)]
struct Summary {
    text: String,
    leaf: Option<String>,
}

/// More than one file ever has; a file of summaries alone must not cost memory of any size.
const SUMMARIES_KEPT: usize = 256;

impl Titles {
    /// Takes the name that a line gives, if it gives one. A later name replaces an earlier one.
    pub(super) fn observe(&mut self, line: &Line) -> bool {
        let named = |field: &str| line.text(field).filter(|text| !text.trim().is_empty()).map(str::to_owned);
        match line.kind() {
            "custom-title" => self.custom = named("customTitle"),
            "ai-title" => self.generated = named("aiTitle").or_else(|| self.generated.take()),
            "last-prompt" => self.last_prompt = named("lastPrompt").or_else(|| self.last_prompt.take()),
            "summary" => {
                let leaf = line.text("leafUuid").map(str::to_owned);
                if let Some(text) = named("summary").filter(|_| self.summaries.len() < SUMMARIES_KEPT) {
                    self.summaries.push(Summary { text, leaf });
                }
            }
            _ => return false,
        }
        true
    }

    /// Takes a prompt; the first one counts.
    pub(super) fn prompt(&mut self, text: &str) {
        if self.first_prompt.is_none() && !text.trim().is_empty() {
            self.first_prompt = Some(text.to_owned());
        }
    }

    pub(super) const fn has_prompt(&self) -> bool {
        self.first_prompt.is_some()
    }

    pub(super) fn first_prompt(&self) -> Option<String> {
        self.first_prompt.as_deref().map(one_line)
    }

    /// The best name. `is_own` tells whether a line with this id is in the session.
    pub(super) fn best(&self, is_own: impl Fn(&str) -> bool) -> Option<String> {
        let own = |summary: &&Summary| summary.leaf.as_deref().is_none_or(&is_own);
        let summary = self.summaries.iter().rfind(own).map(|summary| &summary.text);
        let foreign = self.summaries.last().map(|summary| &summary.text);
        let given = self.custom.as_ref().or(self.generated.as_ref()).or(summary);
        let asked = self.first_prompt.as_ref().or(self.last_prompt.as_ref());
        given.or(asked).or(foreign).map(|title| one_line(title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(lines: &[&str], prompt: Option<&str>) -> Option<String> {
        let mut titles = Titles::default();
        lines.iter().filter_map(|line| Line::read(line.as_bytes())).for_each(|line| {
            assert!(titles.observe(&line));
        });
        prompt.inspect(|prompt| titles.prompt(prompt));
        titles.best(|uuid| uuid == "own")
    }

    #[test]
    fn a_persons_title_goes_before_all_others() {
        let custom = r#"{"type":"custom-title","customTitle":"Mine"}"#;
        let renamed = r#"{"type":"custom-title","customTitle":"Mine again"}"#;
        let cleared = r#"{"type":"custom-title","customTitle":""}"#;
        let generated = r#"{"type":"ai-title","aiTitle":"Generated"}"#;
        let own = r#"{"type":"summary","summary":"Summary","leafUuid":"own"}"#;
        let foreign = r#"{"type":"summary","summary":"Foreign","leafUuid":"other"}"#;
        let last = r#"{"type":"last-prompt","lastPrompt":"Last"}"#;
        for (lines, prompt, expected) in [
            (vec![custom, generated, own], Some("Prompt"), Some("Mine")),
            (vec![custom, renamed], None, Some("Mine again")),
            (vec![custom, generated, cleared], None, Some("Generated")),
            (vec![own, foreign], Some("Prompt"), Some("Summary")),
            (vec![foreign], Some("Prompt"), Some("Prompt")),
            (vec![foreign], None, Some("Foreign")),
            (vec![last], Some("Prompt"), Some("Prompt")),
            (vec![last], None, Some("Last")),
            (vec![], None, None),
        ] {
            assert_eq!(best(&lines, prompt).as_deref(), expected, "{lines:?}");
        }
    }
}
