//! What is sent, written and asked of the system per event of an agent. Prints a line of JSON per figure;
//! `./x bench --check` compares them.
//!
//! Bytes and rows are counted in this process, on simulated time: real sessions, log, database and socket, with an agent
//! that speaks at a given pace and a connection in memory. So they are the same on every machine.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark prints, starts programs and fails by panicking"
)]

#[path = "traffic/agent.rs"]
mod agent;
#[path = "traffic/disk.rs"]
mod disk;
#[path = "traffic/figure.rs"]
mod figure;
#[path = "traffic/machine.rs"]
mod machine;
#[path = "traffic/syscalls.rs"]
mod syscalls;
#[path = "traffic/wire.rs"]
mod wire;

fn main() {
    let mut alone = std::env::args().skip_while(|argument| argument != syscalls::ALONE).skip(1).peekable();
    if alone.peek().is_some() {
        return syscalls::run_alone(alone);
    }
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let parts: [(&str, fn()); 3] =
        [("wire", wire::measure), ("disk", disk::measure), ("syscalls", syscalls::measure)];
    for (name, measure) in parts {
        if only.as_deref().is_none_or(|only| only == name) {
            eprintln!("traffic: {name}");
            measure();
        }
    }
}
