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
    Auth, AuthAction, Cli, Command, DataDirectory, Doctor, Process, Replay, ScriptedModel, Serve, Url,
};
use liminal_builder::config::Config;
use liminal_builder::filter::{self, Verdict};
use liminal_builder::http::credentials::InMemory;
use liminal_builder::http::{FindAgents, Limits, Options as ServerOptions, Server, ServerFile, client};
use liminal_builder::process::Environment;
use liminal_builder::replay;
use scripted_model::{Options, Scenario};
use tokio::signal::unix::{SignalKind, signal};

/// Version 2 follows current Codex.
const CODEX_PACKAGE: &str = "@agentclientprotocol/codex-acp@2";

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(options) => serve(&options),
        Command::Url(options) => url(&options),
        Command::Auth(options) => auth(&options),
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
        let folder = managed.display();
        note(&format!("installing {CODEX_PACKAGE} into {folder}; it takes about 450 MB and some time"));
        install_managed(CODEX_PACKAGE, &managed, &environment).await?;
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
    usual_data_directory(environment).join("agents")
}

/// Where data lies if nobody says otherwise.
fn usual_data_directory(environment: &Environment) -> PathBuf {
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    data.unwrap_or_default().join("liminal-builder")
}

fn data_directory(options: &DataDirectory) -> PathBuf {
    options.data_dir.clone().unwrap_or_else(|| usual_data_directory(&Environment::inherited()))
}

#[tokio::main]
async fn serve(options: &Serve) -> Result<ExitCode> {
    let data = data_directory(&options.data);
    make_private_directory(&data).with_context(|| format!("cannot make {}", data.display()))?;
    let server = Server::bind(ServerOptions {
        address: SocketAddr::new(options.host, options.port),
        instance: data.canonicalize()?.display().to_string(),
        limits: Limits::default(),
        sessions: Box::new(InMemory::default()),
        find_agents: find_agents(options)?,
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

fn find_agents(options: &Serve) -> Result<FindAgents> {
    let environment = Environment::inherited();
    let config = Config::load(options.config.as_deref(), &environment)?;
    let managed = managed_agents(&environment);
    let place = Arc::new((config, environment, managed));
    Ok(Arc::new(move || {
        let place = Arc::clone(&place);
        Box::pin(async move {
            let (config, environment, managed) = &*place;
            Machine { config, environment, managed }.agents().await
        })
    }))
}

fn url(options: &Url) -> Result<ExitCode> {
    let server = ServerFile::read(&data_directory(&options.data))?;
    say(&client::fresh_url(&server)?)?;
    Ok(ExitCode::SUCCESS)
}

fn auth(options: &Auth) -> Result<ExitCode> {
    let AuthAction::Rotate(options) = &options.action;
    client::rotate(&ServerFile::read(&data_directory(&options.data))?)?;
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

fn complain(error: &anyhow::Error) {
    note(&format!("{error:#}"));
}

#[expect(clippy::print_stderr, reason = "the one place where a program tells what is not its output")]
fn note(line: &str) {
    eprintln!("liminal: {line}");
}
