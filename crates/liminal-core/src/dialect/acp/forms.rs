//! Forms that an agent wants filled in, `elicitation/create` with the mode `form`. Owns how the fields of a form become
//! questions, and the answers to these its content.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::dialect::fields::{flag, list, object, objects, text};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{AnswerType, PermissionOption, PermissionOptionKind, Question, QuestionOption};

/// The option that sends the answers.
pub(super) const ANSWER: &str = "accept";
const DECLINE: &str = "decline";
/// A longer description is no heading.
const HEADER_LIMIT: usize = 30;
const YES: &str = "Yes";
const NO: &str = "No";

/// A form as it was asked.
#[derive(Debug)]
pub(super) struct Form {
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    key: String,
    shown: Question,
    kind: Kind,
    is_required: bool,
    /// Its answer is not to be kept.
    is_secret: bool,
}

#[derive(Debug)]
enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    /// One of the values, by what each is called.
    OneOf(BTreeMap<String, String>),
    /// Any of the values, by what each is called.
    AnyOf(BTreeMap<String, String>),
}

impl Form {
    /// Reads the parameters of a request. `None` is a form with a field that no question stands for.
    pub(super) fn read(params: &Map<String, Value>) -> Option<Self> {
        (text(params, "mode") == Some("form")).then_some(())?;
        let schema = object(params, "requestedSchema")?;
        let required: BTreeSet<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
        let mut fields = Vec::new();
        for (key, property) in object(schema, "properties").into_iter().flatten() {
            fields.push(Field::read(key, property.as_object()?, required.contains(key.as_str()))?);
        }
        part_namesakes(&mut fields);
        Some(Self { fields })
    }

    pub(super) fn questions(&self) -> Vec<Question> {
        self.fields.iter().map(|field| field.shown.clone()).collect()
    }

    pub(super) fn options() -> Vec<PermissionOption> {
        let option = |id: &str, name: &str, kind| PermissionOption {
            option_id: id.to_owned(),
            name: name.to_owned(),
            kind,
        };
        vec![
            option(ANSWER, "Answer", PermissionOptionKind::AllowOnce),
            option(DECLINE, "Skip", PermissionOptionKind::RejectOnce),
        ]
    }

    /// What goes to the agent.
    pub(super) fn response(
        &self,
        option_id: &str,
        answers: &BTreeMap<String, String>,
    ) -> Result<Value, ErrorInfo> {
        if option_id != ANSWER {
            return Ok(json!({ "action": DECLINE }));
        }
        let mut content = Map::new();
        for field in &self.fields {
            match answers.get(&field.shown.question).filter(|answer| !answer.is_empty()) {
                Some(answer) => drop(content.insert(field.key.clone(), field.value(answer)?)),
                None if field.is_required => {
                    return Err(refused(format!("answer the question `{}`", field.shown.question)));
                }
                None => {}
            }
        }
        Ok(json!({ "action": ANSWER, "content": content }))
    }

    /// The answers without those that are nobody's business.
    pub(super) fn to_keep(&self, answers: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let is_secret = |question: &String| {
            self.fields.iter().any(|field| field.is_secret && field.shown.question == *question)
        };
        let kept = answers.iter().filter(|(question, _)| !is_secret(question));
        kept.map(|(question, answer)| (question.clone(), answer.clone())).collect()
    }
}

/// The result for a form that nobody filled in.
pub(super) fn cancelled() -> Value {
    json!({ "action": "cancel" })
}

impl Field {
    fn read(key: &str, property: &Map<String, Value>, is_required: bool) -> Option<Self> {
        let (kind, options) = kind(property)?;
        let title = text(property, "title");
        let described = text(property, "description").filter(|words| !words.is_empty());
        let header = described.filter(|words| title.is_some() && words.chars().count() <= HEADER_LIMIT);
        let question = match (title, described) {
            (Some(title), Some(words)) if header.is_none() => format!("{title}: {words}"),
            (Some(title), _) => title.to_owned(),
            (None, words) => words.unwrap_or(key).to_owned(),
        };
        let multi_select = matches!(kind, Kind::AnyOf(_));
        let header = header.map(str::to_owned);
        let codex = object(property, "_meta").and_then(|meta| object(meta, "codex"));
        let is_secret = codex.is_some_and(|codex| flag(codex, "isSecret"));
        let answer_type = answer_type(&kind);
        let shown =
            Question { question, header, multi_select, options, answer_type, is_optional: !is_required };
        Some(Self { key: key.to_owned(), shown, kind, is_required, is_secret })
    }

    fn value(&self, answer: &str) -> Result<Value, ErrorInfo> {
        let read = match &self.kind {
            Kind::Text => Some(Value::from(answer)),
            Kind::Integer => answer.trim().parse::<i64>().ok().map(Value::from),
            Kind::Number => answer.trim().parse::<f64>().ok().map(Value::from),
            Kind::Boolean => [(YES, true), (NO, false)]
                .iter()
                .find(|(word, _)| *word == answer)
                .map(|(_, is)| Value::from(*is)),
            Kind::OneOf(values) => values.get(answer).cloned().map(Value::from),
            Kind::AnyOf(values) => {
                let chosen = answer.split(',').map(|label| values.get(label.trim()).cloned());
                chosen.collect::<Option<Vec<String>>>().map(Value::from)
            }
        };
        read.ok_or_else(|| {
            let wanted = match self.kind {
                Kind::Integer => "a whole number",
                Kind::Number => "a number",
                Kind::Text | Kind::Boolean | Kind::OneOf(_) | Kind::AnyOf(_) => "one of its options",
            };
            refused(format!("answer the question `{}` with {wanted}", self.shown.question))
        })
    }
}

/// What an answer has to be, so that clients can check it before they send it.
const fn answer_type(kind: &Kind) -> Option<AnswerType> {
    match kind {
        Kind::Text => None,
        Kind::Integer => Some(AnswerType::Integer),
        Kind::Number => Some(AnswerType::Number),
        Kind::Boolean | Kind::OneOf(_) | Kind::AnyOf(_) => Some(AnswerType::Choice),
    }
}

fn kind(property: &Map<String, Value>) -> Option<(Kind, Vec<QuestionOption>)> {
    match text(property, "type")? {
        "string" => Some(match choices(property, "oneOf") {
            (values, _) if values.is_empty() => (Kind::Text, Vec::new()),
            (values, options) => (Kind::OneOf(values), options),
        }),
        "integer" => Some((Kind::Integer, Vec::new())),
        "number" => Some((Kind::Number, Vec::new())),
        "boolean" => {
            let option = |label: &str| QuestionOption { label: label.to_owned(), description: None };
            Some((Kind::Boolean, vec![option(YES), option(NO)]))
        }
        "array" => {
            let (values, options) = choices(object(property, "items")?, "anyOf");
            (!values.is_empty()).then_some((Kind::AnyOf(values), options))
        }
        _ => None,
    }
}

/// What there is to choose: with titles under a key, or as bare values.
fn choices(schema: &Map<String, Value>, key: &str) -> (BTreeMap<String, String>, Vec<QuestionOption>) {
    let titled = objects(schema, key).filter_map(|choice| {
        let value = text(choice, "const")?;
        let description = text(choice, "description").map(str::to_owned);
        Some((text(choice, "title").unwrap_or(value), value, description))
    });
    let bare = list(schema, "enum").iter().filter_map(Value::as_str).map(|value| (value, value, None));
    let (mut values, mut options) = (BTreeMap::new(), Vec::new());
    for (label, value, description) in titled.chain(bare) {
        values.insert(label.to_owned(), value.to_owned());
        options.push(QuestionOption { label: label.to_owned(), description });
    }
    (values, options)
}

/// Answers are given by the text of their question, so no two may be the same.
fn part_namesakes(fields: &mut [Field]) {
    let mut seen = BTreeSet::new();
    for field in fields {
        if !seen.insert(field.shown.question.clone()) {
            field.shown.question = format!("{} ({})", field.shown.question, field.key);
            seen.insert(field.shown.question.clone());
        }
    }
}

fn refused(message: String) -> ErrorInfo {
    ErrorInfo::new(ErrorCode::InvalidRequest, message)
}
