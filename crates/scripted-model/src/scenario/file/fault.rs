//! The faults of a scenario file: `{"drop": {…}}`, `{"stall": {…}}` or `{"errorEvent": {…}}`.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::answer::{Fault, FaultKind, Place};

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (after_deltas, after_blocks, kind) = match FaultFields::deserialize(deserializer)? {
            FaultFields::Drop { after_deltas, after_blocks } => (after_deltas, after_blocks, FaultKind::Drop),
            FaultFields::Stall { after_deltas, after_blocks, for_ms } => {
                (after_deltas, after_blocks, FaultKind::Stall(for_ms.map(Duration::from_millis)))
            }
            FaultFields::ErrorEvent { after_deltas, after_blocks, r#type, message } => {
                (after_deltas, after_blocks, FaultKind::error_event(r#type, message))
            }
        };
        let place = place(after_deltas, after_blocks).map_err(serde::de::Error::custom)?;
        Ok(Self { place, kind })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum FaultFields {
    Drop {
        after_deltas: Option<usize>,
        after_blocks: Option<usize>,
    },
    Stall {
        after_deltas: Option<usize>,
        after_blocks: Option<usize>,
        for_ms: Option<u64>,
    },
    ErrorEvent {
        after_deltas: Option<usize>,
        after_blocks: Option<usize>,
        r#type: Option<String>,
        message: Option<String>,
    },
}

fn place(after_deltas: Option<usize>, after_blocks: Option<usize>) -> Result<Place, &'static str> {
    match (after_deltas, after_blocks) {
        (Some(_), Some(_)) => Err("a fault takes afterDeltas or afterBlocks, not both"),
        (None, Some(blocks)) => Ok(Place::AfterBlocks(blocks)),
        (Some(deltas), None) => Ok(Place::AfterDeltas(deltas)),
        (None, None) => Ok(Place::default()),
    }
}
