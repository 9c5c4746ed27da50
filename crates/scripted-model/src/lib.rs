//! A model API on loopback that answers from a script.
//!
//! It lets a real command-line agent run in a test without an account: the agent is pointed at the
//! server's address and gets text, thinking, tool calls and faults, as a scenario file or directives in
//! the prompt say. The same requests always get the same answers: no answer depends on a clock or on chance.
//!
//! ```
//! # async fn example() -> Result<(), scripted_model::StartError> {
//! use scripted_model::{Options, ScriptedModel};
//!
//! let model = ScriptedModel::start(Options::default()).await?;
//! println!("export ANTHROPIC_BASE_URL={}", model.url());
//! model.shutdown().await;
//! # Ok(())
//! # }
//! ```

mod answer;
mod anthropic;
mod api;
mod chat_completions;
mod chunking;
mod conversation;
mod earlier_answers;
mod errand;
mod files;
mod gemini;
mod history;
mod identifiers;
mod journal;
mod keywords;
mod openai;
mod openai_responses;
mod pacing;
mod scenario;
mod script;
mod server;
mod timeline;
mod tokens;
mod wrapping;
mod writes;

pub use journal::RecordedRequest;
pub use scenario::{Scenario, ScenarioError};
pub use server::{Options, Running, ScriptedModel, StartError};
pub use writes::WrittenDelta;

/// Checks that the code in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
