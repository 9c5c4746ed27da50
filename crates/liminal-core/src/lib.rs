//! The pure half of Liminal Builder: what agents say, and what browsers see of it.
//!
//! Data flows one way: a [`StreamEventEnvelope`](envelope::StreamEventEnvelope) tells what an agent did, a
//! [`UpsertProcessor`](processor::UpsertProcessor) gathers the events of one turn, and the
//! [`Upsert`](upsert::Upsert)s and [`TurnEvent`](upsert::TurnEvent)s it gives out are full states that a client renders by
//! replacing.
//!
//! Nothing here reads a clock, a file, a socket or a random number: time comes in as [`Now`](time::Now),
//! effects go out as values.
//!
//! ```
//! use liminal_core::{envelope, processor::{Config, UpsertProcessor}, time::Now, upsert::Output};
//!
//! let line = r#"{"eventId":"e1","timestamp":"2026-01-01T00:00:00.000Z","turnId":"t1","sessionId":"s1",
//!     "type":"item_done","payload":{"type":"item_done","itemId":"i1",
//!     "finalItem":{"type":"message","content":"Hello","origin":"agent"}}}"#;
//! let event = envelope::read(line)?.event().expect("a type this version knows");
//!
//! let mut processor = UpsertProcessor::new(event.session_id.clone(), event.turn_id.clone(), Config::default());
//! let mut outputs: Vec<Output> = Vec::new();
//! processor.handle_event(&event, Now::at(event.timestamp.instant()), &mut outputs);
//! assert_eq!(outputs.len(), 1);
//! # Ok::<(), liminal_core::read::ReadError>(())
//! ```
#![warn(missing_docs)]

mod item_limit;
mod json;
mod wire_enum;

pub mod contracts;
pub mod dialect;
pub mod envelope;
pub mod error;
pub mod event;
pub mod ids;
pub mod merge;
pub mod ndjson;
pub mod processor;
pub mod queue_gate;
pub mod read;
pub mod replay;
pub mod session;
pub mod stream_a;
pub mod stream_b;
pub mod time;
pub mod trace_context;
pub mod turns;
pub mod upsert;
pub mod wire;
