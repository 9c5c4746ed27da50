//! Runs a scripted model until Ctrl-C: `cargo run -p scripted-model -- [PORT] [SCENARIO.json]`.

use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};

use scripted_model::{Options, Scenario, ScriptedModel};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let scenario = match arguments.next() {
        Some(path) => Some(Scenario::from_json(&std::fs::read_to_string(path)?)?),
        None => None,
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let model = ScriptedModel::start(Options { address, scenario }).await?;
    writeln!(std::io::stdout(), "{}", model.url())?;
    tokio::signal::ctrl_c().await?;
    for request in model.requests() {
        writeln!(std::io::stderr(), "{request:?}")?;
    }
    model.shutdown().await;
    Ok(())
}
