//! The `liminal` program: reads the command line and hands over.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use liminal_builder::agents::{AgentReport, Machine, install_managed};
use liminal_builder::cli::{Cli, Command, Doctor, Process, Replay, ScriptedModel, Serve};
use liminal_builder::config::Config;
use liminal_builder::filter::{self, Verdict};
use liminal_builder::process::Environment;
use liminal_builder::replay;
use liminal_builder::server::Server;
use scripted_model::{Options, Scenario};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(options) => serve(&options),
        Command::Doctor(options) => doctor(&options),
        Command::Process(options) => process(options),
        Command::Replay(options) => play(&options),
        Command::ScriptedModel(options) => scripted_model(&options),
    };
    result.unwrap_or_else(|error| {
        complain(&error);
        ExitCode::FAILURE
    })
}

fn process(options: Process) -> Result<ExitCode> {
    let verdict = filter::run(options.into(), io::stdin(), io::stdout().lock(), io::stderr())?;
    Ok(match verdict {
        Verdict::Good => ExitCode::SUCCESS,
        Verdict::BadLines => ExitCode::FAILURE,
        Verdict::Stopped => ExitCode::from(2),
    })
}

fn play(options: &Replay) -> Result<ExitCode> {
    let text = if options.file.as_os_str() == "-" {
        io::read_to_string(io::stdin())
    } else {
        std::fs::read_to_string(&options.file)
    };
    let text = text.with_context(|| format!("cannot read {}", options.file.display()))?;
    if options.verbose {
        replay::asides(&text, io::stderr())?;
    }
    replay::run(&text, options.dialect(), options.emit(), io::stdout())?;
    Ok(ExitCode::SUCCESS)
}

#[tokio::main]
async fn doctor(options: &Doctor) -> Result<ExitCode> {
    let environment = Environment::inherited();
    let config = Config::load(options.config.as_deref(), &environment)?;
    let managed = managed_agents(&environment);
    if options.install.is_some() {
        install_managed("@agentclientprotocol/codex-acp@2", &managed, &environment).await?;
    }
    let machine = Machine { config: &config, environment: &environment, managed: &managed };
    let agents = machine.agents().await;
    if options.json {
        say(&serde_json::to_string_pretty(&agents)?)?;
    } else {
        agents.iter().try_for_each(|agent| say(&agent.to_string()))?;
    }
    let any = agents.iter().any(AgentReport::is_usable);
    Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where agents are installed for this program alone.
fn managed_agents(environment: &Environment) -> PathBuf {
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    data.unwrap_or_default().join("liminal-builder/agents")
}

#[tokio::main]
async fn serve(options: &Serve) -> Result<ExitCode> {
    let server = Server::bind(options.host, options.port).await?;
    say(&format!("Liminal Builder is at {}", server.url()))?;
    server.run(interrupted()).await?;
    Ok(ExitCode::SUCCESS)
}

#[tokio::main]
async fn scripted_model(options: &ScriptedModel) -> Result<ExitCode> {
    let scenario = match &options.scenario {
        Some(path) => {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            Some(Scenario::from_json(&text).with_context(|| path.display().to_string())?)
        }
        None => None,
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let model = scripted_model::ScriptedModel::start(Options { address, scenario }).await?;
    say(model.url())?;
    interrupted().await;
    model.shutdown().await;
    Ok(ExitCode::SUCCESS)
}

/// Comes with Ctrl-C or a polite request to end.
async fn interrupted() {
    let Ok(mut terminated) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated.recv() => {}
    }
}

fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

#[expect(clippy::print_stderr, reason = "the one place where a program tells why it failed")]
fn complain(error: &anyhow::Error) {
    eprintln!("liminal: {error:#}");
}
