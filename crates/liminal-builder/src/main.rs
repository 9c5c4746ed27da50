//! The `liminal` program: reads the command line and hands over.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Parser;
use liminal_builder::agents::{AgentReport, Machine, install_managed};
use liminal_builder::cli::{
    Auth, AuthAction, Cli, Command, Doctor, Place, Process, Replay, ScriptedModel, Serve, ShowConfig, Url,
};
use liminal_builder::config::{Config, Sources, usual_data_directory};
use liminal_builder::exit;
use liminal_builder::filter::{self, Verdict};
use liminal_builder::http::credentials::InMemory;
use liminal_builder::http::{FindAgents, Options as ServerOptions, Server, ServerFile, client};
use liminal_builder::process::Environment;
use liminal_builder::replay;
use scripted_model::{Options, Scenario};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(options) => serve(&options),
        Command::Url(options) => url(&options),
        Command::Auth(options) => auth(&options),
        Command::Doctor(options) => doctor(&options),
        Command::Config(options) => show_config(&options),
        Command::Process(options) => process(options),
        Command::Replay(options) => play(&options),
        Command::ScriptedModel(options) => scripted_model(&options),
    };
    result.unwrap_or_else(|error| {
        complain(&error);
        exit::code_of(&error)
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
    usual_data_directory(environment).unwrap_or_default().join("agents")
}

fn show_config(options: &ShowConfig) -> Result<ExitCode> {
    let settings = &options.settings;
    let loaded = Sources::of_process(settings.place.config.as_deref()).with_flags(settings.flags()).load()?;
    if options.json {
        say(&serde_json::to_string_pretty(&loaded.lines())?)?;
    } else {
        loaded.lines().iter().try_for_each(|line| say(&line.to_string()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn data_directory(place: &Place) -> Result<PathBuf> {
    let loaded = Sources::of_process(place.config.as_deref()).with_flags(place.flags()).load()?;
    Ok(loaded.config.data_directory(&Environment::inherited())?)
}

#[tokio::main]
async fn serve(options: &Serve) -> Result<ExitCode> {
    let sources = Sources::of_process(options.settings.place.config.as_deref());
    let config = sources.with_flags(options.settings.flags()).load()?.config;
    let data = config.data_directory(&Environment::inherited())?;
    make_private_directory(&data).with_context(|| format!("cannot make {}", data.display()))?;
    let server = Server::bind(ServerOptions {
        address: SocketAddr::new(config.listen.host, config.listen.port),
        instance: data.canonicalize()?.display().to_string(),
        limits: config.limits.http(),
        sessions: Box::new(InMemory::default()),
        find_agents: find_agents(config),
    });
    let server = server.await?;
    let file = server.file();
    file.write(&data).with_context(|| format!("cannot write to {}", data.display()))?;
    say(&format!("Liminal Builder is at {}", server.fresh_url()))?;
    server.run(interrupted()).await;
    file.remove(&data);
    Ok(ExitCode::SUCCESS)
}

/// Nobody else may look into it, whatever the umask is.
fn make_private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        result => result,
    }
}

fn find_agents(config: Config) -> FindAgents {
    let environment = Environment::inherited();
    let managed = managed_agents(&environment);
    let place = Arc::new((config, environment, managed));
    Arc::new(move || {
        let place = Arc::clone(&place);
        Box::pin(async move {
            let (config, environment, managed) = &*place;
            Machine { config, environment, managed }.agents().await
        })
    })
}

fn url(options: &Url) -> Result<ExitCode> {
    let server = ServerFile::read(&data_directory(&options.place)?)?;
    say(&client::fresh_url(&server)?)?;
    Ok(ExitCode::SUCCESS)
}

fn auth(options: &Auth) -> Result<ExitCode> {
    let AuthAction::Rotate(options) = &options.action;
    client::rotate(&ServerFile::read(&data_directory(&options.place)?)?)?;
    say("all browsers are logged out; `liminal url` prints an address to let one in")?;
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
