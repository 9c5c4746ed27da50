//! Moments in records. Owns their two forms: text in bodies, microseconds in columns that are compared.

use jiff::Timestamp;
use liminal_core::time::Timestamp as WireTimestamp;
use rusqlite::types::Value;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    WireTimestamp::from(*at).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    WireTimestamp::deserialize(deserializer).map(WireTimestamp::instant)
}

pub(super) fn column(at: Timestamp) -> Value {
    Value::Integer(at.as_microsecond())
}
