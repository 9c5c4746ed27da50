//! Whether a value is what a schema says: as much of JSON Schema as the document uses. A word that is not known here
//! is a fault, so that nothing passes for not having been looked at.

use serde_json::Value;

/// Words that say nothing about values.
const NOTES: [&str; 5] = ["description", "default", "format", "title", "examples"];

pub(super) fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let Some(words) = schema.as_object() else {
        return if schema == &Value::Bool(false) { Err("nothing is allowed".to_owned()) } else { Ok(()) };
    };
    words.iter().try_for_each(|(word, meaning)| keyword(document, schema, word, meaning, value))
}

fn keyword(
    document: &Value,
    schema: &Value,
    word: &str,
    meaning: &Value,
    value: &Value,
) -> Result<(), String> {
    let check = |schema: &Value, value: &Value| check(document, schema, value);
    match word {
        _ if NOTES.contains(&word) => Ok(()),
        "$ref" => {
            let target = meaning.as_str().and_then(|target| document.pointer(target.strip_prefix('#')?));
            check(target.ok_or_else(|| format!("no schema at {meaning}"))?, value)
        }
        "type" => holds(is_of(meaning, value), || format!("expected {meaning}, found {value}")),
        "const" => holds(meaning == value, || format!("expected {meaning}, found {value}")),
        "enum" => {
            holds(list(meaning).contains(value), || format!("expected one of {meaning}, found {value}"))
        }
        "minimum" => bound(meaning, value, |value, limit| value >= limit),
        "maximum" => bound(meaning, value, |value, limit| value <= limit),
        "required" => list(meaning).iter().try_for_each(|name| {
            let is_there =
                value.as_object().is_none_or(|object| object.contains_key(name.as_str().unwrap_or_default()));
            holds(is_there, || format!("{name} is missing in {value}"))
        }),
        "properties" => object(meaning).try_for_each(|(name, schema)| match value.get(name) {
            Some(field) => check(schema, field).map_err(|fault| format!("{name}: {fault}")),
            None => Ok(()),
        }),
        "additionalProperties" => {
            let own = |name: &String| schema.get("properties").is_some_and(|own| own.get(name).is_some());
            let others = object(value).filter(|(name, _)| !own(name));
            others.into_iter().try_for_each(|(name, field)| {
                check(meaning, field).map_err(|fault| format!("{name}: {fault}"))
            })
        }
        "items" => list(value).iter().try_for_each(|item| check(meaning, item)),
        "allOf" => list(meaning).iter().try_for_each(|schema| check(schema, value)),
        "anyOf" => fits(document, meaning, value, |fitting| fitting > 0),
        "oneOf" => fits(document, meaning, value, |fitting| fitting == 1),
        other => Err(format!("`{other}` is not known to this check")),
    }
}

fn fits(document: &Value, choices: &Value, value: &Value, enough: fn(usize) -> bool) -> Result<(), String> {
    let results: Vec<_> = list(choices).iter().map(|choice| check(document, choice, value)).collect();
    let faults: Vec<_> = results.iter().filter_map(|result| result.as_ref().err().cloned()).collect();
    holds(enough(results.len() - faults.len()), || {
        format!("{value} fits no choice, or too many: {}", faults.join("; "))
    })
}

fn bound(limit: &Value, value: &Value, is_inside: fn(f64, f64) -> bool) -> Result<(), String> {
    let (Some(limit), Some(value)) = (limit.as_f64(), value.as_f64()) else { return Ok(()) };
    holds(is_inside(value, limit), || format!("{value} is beyond {limit}"))
}

fn is_of(kinds: &Value, value: &Value) -> bool {
    match kinds {
        Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
        kind => match kind.as_str().unwrap_or_default() {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        },
    }
}

fn holds(is_so: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(fault()) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
