//! What handlers take and answer, read off their types. Owns that the description of a route and its handler cannot
//! differ: a handler whose types say nothing about themselves does not compile as a route.

use std::fmt;
use std::future::Future;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::app::App;
use super::extract::{FileBody, JsonBody, OptionalBody, Path, Query};
use super::problem::ApiError;
use super::ws::Upgrade;

/// A type of the wire, known by its schema.
#[derive(Clone, Copy)]
pub struct Type(fn(&mut SchemaGenerator) -> Schema);

impl Type {
    /// The type; schemas refer to it by its name.
    #[must_use]
    pub const fn of<T: JsonSchema>() -> Self {
        Self(SchemaGenerator::subschema_for::<T>)
    }

    /// The type, spelled out where it stands.
    const fn inline<T: JsonSchema>() -> Self {
        Self(T::json_schema)
    }

    /// Its schema; what it is made of is left in the generator.
    #[must_use]
    pub fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        (self.0)(generator)
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema(&mut SchemaGenerator::default());
        write!(formatter, "Type({})", schema.as_value())
    }
}

/// What a handler answers when all is well.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// What comes with it.
    pub content: Content,
}

/// What comes with an answer.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// Nothing.
    Nothing,
    /// JSON of a type.
    Json(Type),
    /// Text of one of these media types.
    Text(&'static [&'static str]),
    /// A file: JSON of a type, or text of one of these media types.
    File(Type, &'static [&'static str]),
    /// Bytes of one of these media types.
    Bytes(&'static [&'static str]),
    /// Plain text of which a range can be asked for.
    Ranges,
    /// Server-sent events; their data is JSON of a type.
    Events(Type),
    /// A WebSocket.
    Socket,
}

impl Answer {
    /// JSON of a type.
    #[must_use]
    pub const fn json<T: JsonSchema>(status: u16) -> Self {
        Self { status, content: Content::Json(Type::of::<T>()) }
    }

    /// Text with the status of a good answer.
    #[must_use]
    pub const fn text(media_types: &'static [&'static str]) -> Self {
        Self { status: 200, content: Content::Text(media_types) }
    }
}

/// What a handler takes and answers.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Its parameters behind the question mark, as the fields of a type.
    pub query: Option<Type>,
    /// Its body.
    pub body: Option<Type>,
    /// Whether its body may be left out.
    pub is_body_optional: bool,
    /// Whether its body carries a file.
    pub carries_file: bool,
    /// What it answers.
    pub answer: Answer,
}

impl Operation {
    const fn of(answer: Answer) -> Self {
        Self { query: None, body: None, is_body_optional: false, carries_file: false, answer }
    }

    const fn taking<T: Take>(mut self) -> Self {
        if T::QUERY.is_some() {
            self.query = T::QUERY;
        }
        if T::BODY.is_some() {
            self.body = T::BODY;
            self.is_body_optional = T::IS_OPTIONAL;
            self.carries_file = T::CARRIES_FILE;
        }
        self
    }
}

/// Something that handlers take out of requests.
pub(super) trait Take {
    const QUERY: Option<Type> = None;
    const BODY: Option<Type> = None;
    const IS_OPTIONAL: bool = false;
    const CARRIES_FILE: bool = false;
}

impl Take for State<App> {}
impl Take for HeaderMap {}
impl Take for Upgrade {}
impl<T> Take for Extension<T> {}
impl<T> Take for Path<T> {}

impl<T: JsonSchema> Take for Query<T> {
    const QUERY: Option<Type> = Some(Type::inline::<T>());
}

impl<T: JsonSchema> Take for JsonBody<T> {
    const BODY: Option<Type> = Some(Type::of::<T>());
}

impl<T: JsonSchema> Take for OptionalBody<T> {
    const BODY: Option<Type> = Some(Type::of::<T>());
    const IS_OPTIONAL: bool = true;
}

impl<T: JsonSchema> Take for FileBody<T> {
    const BODY: Option<Type> = Some(Type::of::<T>());
    const CARRIES_FILE: bool = true;
}

/// Something that handlers answer with.
pub(super) trait Give {
    const ANSWER: Answer;
}

impl<G: Give> Give for Result<G, ApiError> {
    const ANSWER: Answer = G::ANSWER;
}

impl<T, G: Give, const N: usize> Give for (Extension<T>, [(HeaderName, String); N], G) {
    const ANSWER: Answer = G::ANSWER;
}

/// What is told to those around the handler is not seen outside.
impl<T, G: Give> Give for (Extension<T>, G) {
    const ANSWER: Answer = G::ANSWER;
}

impl<T: JsonSchema> Give for Json<T> {
    const ANSWER: Answer = Answer::json::<T>(200);
}

impl Give for &'static str {
    const ANSWER: Answer = Answer::text(&["text/plain"]);
}

/// A handler that takes `Taken`.
pub(super) trait Described<Taken> {
    const OPERATION: Operation;
}

macro_rules! describe {
    ($($take:ident),*) => {
        impl<F, Answering, $($take),*> Described<($($take,)*)> for F
        where
            F: Fn($($take),*) -> Answering,
            Answering: Future,
            Answering::Output: Give,
            $($take: Take,)*
        {
            const OPERATION: Operation =
                Operation::of(<Answering::Output as Give>::ANSWER)$(.taking::<$take>())*;
        }
    };
}

describe!();
describe!(A);
describe!(A, B);
describe!(A, B, C);
describe!(A, B, C, D);
describe!(A, B, C, D, E);

/// What a handler takes and answers.
pub(super) const fn describe<F: Described<Taken>, Taken>(_: &F) -> Operation {
    F::OPERATION
}
