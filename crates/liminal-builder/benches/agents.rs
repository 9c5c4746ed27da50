//! The NFRs of the epic, with the real agents: what it costs to start them and to load their sessions, when their
//! first words are seen, and how late later ones are. Everything is compared with the same program driven without
//! this product, in interleaved runs. Prints a line of JSON per figure; `./x bench agents` compares and keeps them.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    dead_code,
    reason = "a benchmark prints, reads the clock and fails by panicking, and needs only a part of what tests do"
)]

#[path = "agents/adapter.rs"]
mod adapter;
#[path = "../tests/it/reliability/client.rs"]
mod client;
#[path = "agents/deltas.rs"]
mod deltas;
#[path = "agents/dialect.rs"]
mod dialect;
#[path = "agents/figure.rs"]
mod figure;
#[path = "../tests/it/reliability/figures.rs"]
mod figures;
#[path = "agents/listener.rs"]
mod listener;
#[path = "agents/loading.rs"]
mod loading;
#[path = "../tests/it/pin.rs"]
mod pin;
#[path = "agents/relay.rs"]
mod relay;
#[path = "agents/server.rs"]
mod server;
#[path = "agents/spawned.rs"]
mod spawned;
#[path = "agents/starting.rs"]
mod starting;
#[path = "agents/streaming.rs"]
mod streaming;
#[path = "../tests/it/support.rs"]
mod support;
#[path = "../tests/it/tap.rs"]
mod tap;
#[path = "agents/variables.rs"]
mod variables;
#[path = "../tests/it/reliability/world.rs"]
mod world;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use scripted_model::{Options, ScriptedModel};

use dialect::Dialect;

#[derive(Debug, Parser)]
struct Arguments {
    /// Runs of each kind; they alternate.
    #[arg(long, default_value_t = 9)]
    runs: usize,
    /// Another value of the setting, to see that the gate fails.
    #[arg(long)]
    first_emission_ms: Option<u64>,
    /// Cargo names what it runs.
    #[arg(long, hide = true)]
    bench: bool,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Be the relay that the server is compared with
    Relay {
        program: PathBuf,
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::parse();
    if let Some(Role::Relay { program, arguments }) = arguments.role {
        return relay::serve(program, arguments).await;
    }
    let model = ScriptedModel::start(Options::default()).await.unwrap();
    starting::measure(&model, arguments.runs).await;
    loading::measure(&model, arguments.runs).await;
    for dialect in [Dialect::ClaudeCode, Dialect::Codex] {
        streaming::measure(&model, dialect, arguments.runs, arguments.first_emission_ms).await;
    }
}
