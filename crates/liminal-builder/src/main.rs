//! The `liminal` program: reads the command line and hands over.

use std::future::Future;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use liminal_builder::agents::{self, AgentReport, Detector, Machine, install_managed};
use liminal_builder::cli::{
    Auth, AuthAction, Cli, Command, DemoAgent, Doctor, Process, Replay, Serve, ShowConfig, Url,
};
use liminal_builder::commands;
use liminal_builder::config::{Config, Redis, Sources, usual_data_directory};
use liminal_builder::demo;
use liminal_builder::emitter::Emitter;
use liminal_builder::exit::{self, Exit};
use liminal_builder::filter::{self, Verdict};
use liminal_builder::process::Environment;
use liminal_builder::replay;
use liminal_builder::serve;
use liminal_builder::stream_b::RedisPublisher;
use tokio::signal::unix::{SignalKind, signal};

/// The exit code of a program that the system killed for want of memory.
const CRASHED: u8 = 137;
/// Version 2 follows current Codex.
const CODEX_PACKAGE: &str = "@agentclientprotocol/codex-acp@2";

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(options) => serve(&options),
        Command::Url(options) => end(url(&options)),
        Command::Auth(options) => end(auth(&options)),
        Command::Ls(options) => end(commands::list(&options)),
        Command::Run(options) => end(commands::run(&options, note)),
        Command::Send(options) => end(commands::send(&options)),
        Command::Attach(options) => end(commands::attach(&options)),
        Command::Approve(options) => end(commands::approve(&options)),
        Command::Export(options) => end(commands::export(&options)),
        Command::Search(options) => end(commands::search(&options)),
        Command::Doctor(options) => doctor(&options),
        Command::Config(options) => show_config(&options),
        Command::Process(options) => process(options),
        Command::Replay(options) => play(&options),
        Command::DemoAgent(options) => demo_agent(options),
    };
    result.unwrap_or_else(|error| {
        complain(&error);
        exit::code_of(&error)
    })
}

/// Runs a command to its end.
fn end(command: impl Future<Output = Result<Exit>>) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(command);
    // A thread may still wait for a line that nobody types any more.
    runtime.shutdown_background();
    match ended {
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        ended => Ok(ended?.into()),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn process(options: Process) -> Result<ExitCode> {
    let verdict = match options.publish.clone() {
        Some(address) => {
            let publisher = RedisPublisher::new(address, Redis::default().stream_b_kept())?;
            let emitter = Emitter::new(publisher, options.retry());
            filter::publish(options.into(), io::stdin(), emitter, io::stderr())?
        }
        None => filter::run(options.into(), io::stdin(), io::stdout().lock(), io::stderr())?,
    };
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
    let managed = serve::managed_agents(&environment);
    if options.install.is_some() {
        let folder = managed.display();
        note(&format!("installing {CODEX_PACKAGE} into {folder}; it takes about 450 MB and some time"));
        install_managed(CODEX_PACKAGE, &managed, &environment).await?;
    }
    let data = usual_data_directory(&environment).unwrap_or_default();
    let (detector, detection) = Detector::start(Machine { config, environment, managed, data });
    let agents = detector.settled().await;
    detection.close().await;
    let any = agents.iter().any(|agent| agent.is_usable() && !agent.built_in);
    let agents: Vec<AgentReport> = agents.into_iter().chain(detector.machine().redis().await).collect();
    if options.json {
        say(&serde_json::to_string_pretty(&agents)?)?;
    } else {
        agents.iter().try_for_each(|agent| say(&one_line(&agents::line(agent))))?;
    }
    Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

#[tokio::main]
async fn serve(options: &Serve) -> Result<ExitCode> {
    let sources = Sources::of_process(options.settings.place.config.as_deref());
    let config = sources.with_flags(options.settings.flags()).load()?.config;
    let plan = serve::Plan::new(config, Environment::inherited())?;
    let (recordings, opens_browser) = (options.record.clone(), !options.no_open);
    let plan = serve::Plan { recordings, opens_browser, ..plan };
    serve::run(plan, say, interrupted).await?;
    Ok(ExitCode::SUCCESS)
}

async fn url(options: &Url) -> Result<Exit> {
    say(&commands::find(&options.place)?.fresh_url().await?)?;
    Ok(Exit::Good)
}

async fn auth(options: &Auth) -> Result<Exit> {
    let AuthAction::Rotate(options) = &options.action;
    commands::find(&options.place)?.rotate().await?;
    say(
        "all browsers and programs are logged out; `liminal url` prints an address to let a browser in, server.json has the new token",
    )?;
    Ok(Exit::Good)
}

fn demo_agent(options: DemoAgent) -> Result<ExitCode> {
    let options = demo::Options { state: options.state, pace: Duration::from_millis(options.pace) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(demo::run(options, tokio::io::stdin(), tokio::io::stdout()));
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    Ok(match ended? {
        demo::Ended::ByClient => ExitCode::SUCCESS,
        demo::Ended::Crashed => ExitCode::from(CRASHED),
    })
}

/// Comes with Ctrl-C or a polite request to end. It listens as soon as it is called, not only when it is awaited.
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let (mut terminated, mut stopped) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = stopped.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Escapes control characters: versions, paths and values may come from programs and files that nobody checked. Escaped
/// inside a JSON string, they still read as the same text.
fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{}", commands::safe(line))
}

/// A line break in what a program reported must not begin a line of the report.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join(" ")
}

fn complain(error: &anyhow::Error) {
    note(&format!("{error:#}"));
}

#[expect(clippy::print_stderr, reason = "the one place where a program tells what is not its output")]
fn note(line: &str) {
    eprintln!("liminal: {}", commands::safe(line));
}
