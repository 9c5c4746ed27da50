//! Strict reading of JSON. Owns how a fault in foreign JSON is told: where it is and what was expected there.
//! Knows nothing of the types it reads.
//!
//! The good case is read once, straight into the type. Only a line that fails is read again, slowly, to find
//! the place of its fault.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

/// A fault in foreign JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Where: `payload.deltaContent`; empty when the whole text is at fault.
    pub path: String,
    /// What should be there.
    pub expected: String,
    /// What is there instead.
    pub found: String,
}

impl ReadError {
    /// A fault at a place.
    pub fn new(path: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { path: path.into(), expected: expected.into(), found: found.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        write!(formatter, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for ReadError {}

/// Reads the body of a request: one JSON object and nothing behind it.
pub fn body<T: de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ReadError> {
    object!(T, utf8(bytes)?, "")
}

/// Reads a JSON object into `$type` that stands at `$at` (empty for a whole text).
macro_rules! object {
    ($type:ty, $json:expr, $at:expr) => {
        // The closure is what lets a type that borrows be read from a text that lives shorter.
        $crate::read::object_or_fault::<$type>($json, $at, |text| $crate::read::fault::<$type>(text))
    };
}
pub(crate) use object;

/// What `object!` stands for.
pub(crate) fn object_or_fault<'a, T: Deserialize<'a>>(
    json: &'a str,
    at: &str,
    fault: fn(&str) -> Option<Fault>,
) -> Result<T, ReadError> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = from_map(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| explain(&error, json, at, fault))
}

/// Reads text of UTF-8; bytes that are not are a fault of the whole.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, ReadError> {
    std::str::from_utf8(bytes).map_err(|error| {
        ReadError::new("", "UTF-8 text", format!("a byte that is not at {}", error.valid_up_to()))
    })
}

/// For `deserialize_with`: an object, never the array that derived structs would also take.
pub(crate) fn from_map<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Object<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_map(Object(std::marker::PhantomData))
}

/// For `deserialize_with`: an object, or nothing.
pub(crate) fn optional_map<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<FromMap<T>>::deserialize(deserializer)?.map(|FromMap(value)| value))
}

/// For `deserialize_with`: an array of objects.
pub(crate) fn list_of_maps<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<FromMap<T>>::deserialize(deserializer)?.into_iter().map(|FromMap(value)| value).collect())
}

struct FromMap<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FromMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_map(deserializer).map(FromMap)
    }
}

/// Joins the place of an object and the name of one of its fields.
pub(crate) fn join(at: &str, field: &str) -> String {
    match (at, field) {
        (_, "" | ".") => at.to_owned(),
        ("", _) => field.to_owned(),
        _ => format!("{at}.{field}"),
    }
}

/// One fault as the JSON library tells it.
#[derive(Debug)]
pub(crate) struct Fault {
    path: Path,
    error: serde_json::Error,
}

/// Reads again, slowly, keeping track of the place.
pub(crate) fn fault<'a, T: Deserialize<'a>>(json: &'a str) -> Option<Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let error = serde_path_to_error::deserialize::<_, FromMap<T>>(&mut deserializer).err()?;
    Some(Fault { path: error.path().clone(), error: error.into_inner() })
}

fn explain(error: &serde_json::Error, json: &str, at: &str, fault: fn(&str) -> Option<Fault>) -> ReadError {
    let Some(found) = fault(json).filter(|_| error.is_data()) else { return not_json(error) };
    let message = without_position(&found.error);
    let place = join(at, &found.path.to_string());
    let Some(field) = missing_field(&message) else {
        let (found, expected) = split_message(&message);
        return ReadError::new(place, expected, found);
    };
    ReadError::new(join(&place, field), expectation(json, &found.path, field, fault), "nothing")
}

fn not_json(error: &serde_json::Error) -> ReadError {
    ReadError::new("", "one JSON object", format!("text that is not JSON ({error})"))
}

/// serde names a missing field only in its message; the tests pin that wording.
fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}

/// What the type wants of a missing field, asked by giving it the one value that no required field takes.
fn expectation(json: &str, parent: &Path, field: &str, fault: fn(&str) -> Option<Fault>) -> String {
    const UNTOLD: &str = "an object";
    let Some(probe) = with_null(json, parent, field) else { return UNTOLD.to_owned() };
    fault(&probe).map_or_else(|| UNTOLD.to_owned(), |fault| split_message(&without_position(&fault.error)).1)
}

fn with_null(json: &str, parent: &Path, field: &str) -> Option<String> {
    let mut root: Value = serde_json::from_str(json).ok()?;
    let object = parent.iter().try_fold(&mut root, |value, segment| match segment {
        Segment::Map { key } => value.get_mut(key),
        Segment::Seq { index } => value.get_mut(index),
        Segment::Enum { .. } | Segment::Unknown => Some(value),
    })?;
    object.as_object_mut()?.insert(field.to_owned(), Value::Null);
    Some(root.to_string())
}

fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rfind(" at line ").and_then(|end| message.get(..end)).unwrap_or(&message).to_owned()
}

/// Takes apart serde's "invalid type: integer `5`, expected a string".
fn split_message(message: &str) -> (String, String) {
    let Some((found, expected)) = message.split_once(", expected ") else {
        return (message.to_owned(), "a valid value".to_owned());
    };
    let found = found.split_once(": ").map_or(found, |(_, found)| found);
    (shortened(in_words(found)), in_words(expected).to_owned())
}

/// The JSON library speaks of Rust's types; people who write JSON do not.
fn in_words(term: &str) -> &str {
    match term {
        "u64" | "u32" | "u16" => "a whole number, not negative",
        "i64" => "a whole number",
        "f64" => "a number",
        "a sequence" => "an array",
        "sequence" => "array",
        "map" => "object",
        _ => term,
    }
}

/// A fault is told to people; the text at fault may be a megabyte.
fn shortened(found: &str) -> String {
    const SHOWN: usize = 120;
    match found.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", found.get(..end).unwrap_or_default()),
        None => found.to_owned(),
    }
}
