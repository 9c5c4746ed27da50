//! A question of an agent, as a person answers it line by line. Owns what counts as which answer; who is asked and how
//! the answer travels is not known here.

use std::collections::BTreeMap;
use std::time::Duration;

use liminal_core::event::{PermissionOption, PermissionOptionKind, PermissionRequest, Question};
use liminal_core::ids::ItemId;
use liminal_core::wire::rest::PermissionAnswer;

use super::request_text::{describe, summary};
use super::terminal::safe_line;

/// Nobody has read a request that was shown more recently: what is typed by then answers nothing.
const UNREAD: Duration = Duration::from_millis(700);

/// Whether a request has been shown for long enough to be answered.
pub(super) fn is_read(shown_for: Duration) -> bool {
    shown_for >= UNREAD
}

/// A question that waits.
#[derive(Debug, Clone)]
pub(super) struct Asking {
    pub(super) item: ItemId,
    request: PermissionRequest,
    answers: BTreeMap<String, String>,
}

impl Asking {
    pub(super) const fn new(item: ItemId, request: PermissionRequest) -> Self {
        Self { item, request, answers: BTreeMap::new() }
    }

    /// What is asked, on one line.
    pub(super) fn summary(&self) -> String {
        summary(&self.request)
    }

    /// What is asked now, completely, with the answers to choose from.
    pub(super) fn prompt(&self) -> String {
        let (asked, choices) = match self.question() {
            Some(question) => (safe_line(&question.question), labels(question)),
            None => (
                describe(&self.request),
                self.request.options.iter().map(|option| option.name.clone()).collect(),
            ),
        };
        let choices = choices.iter().enumerate();
        let choices = choices.map(|(at, choice)| format!("\n  {}) {}", at + 1, safe_line(choice)));
        let hint = match self.request.accepts_reason && self.question().is_none() {
            true => "\n  A reason for a rejection goes behind its number.",
            false => "",
        };
        format!("? {asked}{}{hint}", choices.collect::<String>())
    }

    /// Forgets the answers to a form that were refused; they are asked for again.
    pub(super) fn start_over(&mut self) {
        self.answers.clear();
    }

    /// Takes a line; gives the whole answer once there is one. A line that is no answer changes nothing.
    pub(super) fn take(&mut self, line: &str) -> Option<PermissionAnswer> {
        let line = line.trim();
        let Some(question) = self.question().cloned() else { return self.option(line) };
        if line.is_empty() {
            return None;
        }
        let labels = labels(&question);
        let chosen = choice(line, labels.len()).and_then(|at| labels.get(at).cloned());
        self.answers.insert(question.question, chosen.unwrap_or_else(|| line.to_owned()));
        let is_whole = self.question().is_none();
        is_whole.then(|| PermissionAnswer { option_id: None, answers: self.answers.clone(), reason: None })
    }

    /// The answer that allows nothing, if the question takes one.
    pub(super) fn denial(&self) -> Option<PermissionAnswer> {
        let of_kind = |kind| self.request.options.iter().find(move |option| option.kind == kind);
        let denial = of_kind(PermissionOptionKind::RejectOnce);
        denial.or_else(|| of_kind(PermissionOptionKind::RejectAlways)).map(chosen)
    }

    /// The first question that is not answered yet.
    fn question(&self) -> Option<&Question> {
        self.request.questions.iter().find(|question| !self.answers.contains_key(&question.question))
    }

    fn option(&self, line: &str) -> Option<PermissionAnswer> {
        let options = &self.request.options;
        let by_number = choice(line, options.len()).and_then(|at| options.get(at));
        let is_named = |option: &&PermissionOption| option.option_id == line || option.name == line;
        by_number.or_else(|| options.iter().find(is_named)).map(chosen).or_else(|| self.reasoned(line))
    }

    /// A rejection by its number, with a reason behind it. Nothing else is read out of words.
    fn reasoned(&self, line: &str) -> Option<PermissionAnswer> {
        let (number, reason) = line.split_once(char::is_whitespace)?;
        let options = &self.request.options;
        let option = choice(number, options.len()).and_then(|at| options.get(at))?;
        let is_taken = self.request.accepts_reason && option.kind.is_rejection();
        is_taken.then(|| PermissionAnswer { reason: Some(reason.trim().to_owned()), ..chosen(option) })
    }
}

fn chosen(option: &PermissionOption) -> PermissionAnswer {
    PermissionAnswer { option_id: Some(option.option_id.clone()), answers: BTreeMap::new(), reason: None }
}

fn labels(question: &Question) -> Vec<String> {
    question.options.iter().map(|option| option.label.clone()).collect()
}

/// A number from 1 on, as a place from 0 on.
fn choice(line: &str, count: usize) -> Option<usize> {
    line.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < count)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asking(options: &[(&str, &str)], questions: &Value) -> Asking {
        let options: Vec<_> = options
            .iter()
            .map(|(id, kind)| json!({"optionId": id, "name": format!("Do {id}"), "kind": kind}))
            .collect();
        let request = json!({"callId": "c", "title": "a\u{1b}", "options": options, "questions": questions});
        Asking::new("i".into(), serde_json::from_value(request).unwrap())
    }

    #[test]
    fn nothing_answers_a_request_that_has_just_appeared() {
        assert!(!is_read(Duration::ZERO) && !is_read(Duration::from_millis(699)));
        assert!(is_read(Duration::from_millis(700)));
    }

    #[test]
    fn an_option_is_chosen_by_number_id_or_name() {
        let mut asking = asking(&[("yes", "allow_once"), ("no", "reject_once")], &json!([]));
        let prompt = "? Permission needed\n  The agent's words: a‹U+001B›\n  1) Do yes\n  2) Do no";
        assert_eq!(asking.prompt(), prompt);
        for (line, expected) in [
            ("1", Some("yes")),
            (" 2 ", Some("no")),
            ("yes", Some("yes")),
            ("Do no", Some("no")),
            ("", None),
            ("0", None),
            ("3", None),
            ("y", None),
            ("1 please", None),
            ("2 not now", None),
        ] {
            let answer = asking.take(line).and_then(|answer| answer.option_id);
            assert_eq!(answer.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_reason_goes_with_a_rejection_only() {
        let mut asking = asking(&[("yes", "allow_once"), ("no", "reject_once")], &json!([]));
        asking.request.accepts_reason = true;
        let answer = asking.take("2  use the staging server").unwrap();
        assert_eq!(answer.option_id.as_deref(), Some("no"));
        assert_eq!(answer.reason.as_deref(), Some("use the staging server"));
        assert_eq!(asking.take("1 please"), None);
    }

    #[test]
    fn a_denial_is_never_guessed() {
        let denial =
            |options: &[(&str, &str)]| asking(options, &json!([])).denial().and_then(|a| a.option_id);
        assert_eq!(denial(&[("a", "reject_always"), ("b", "reject_once")]).as_deref(), Some("b"));
        assert_eq!(denial(&[("a", "reject_always")]).as_deref(), Some("a"));
        assert_eq!(denial(&[("a", "allow_once"), ("b", "other")]), None);
    }

    #[test]
    fn questions_are_asked_one_after_the_other() {
        let questions = json!([
            {"question": "Which?", "options": [{"label": "red"}, {"label": "blue"}]},
            {"question": "Why?"},
        ]);
        let mut asking = asking(&[("no", "reject_once")], &questions);
        assert_eq!(asking.prompt(), "? Which?\n  1) red\n  2) blue");
        assert_eq!(asking.take(""), None);
        assert_eq!(asking.take("2"), None);
        assert_eq!(asking.prompt(), "? Why?");
        let answer = asking.take("because").unwrap();
        assert_eq!(answer.option_id, None);
        assert_eq!(answer.answers["Which?"], "blue");
        assert_eq!(answer.answers["Why?"], "because");
    }
}
