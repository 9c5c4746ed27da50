//! The words of `liminal process` and their help.

use std::time::Duration;

use clap::{Args, ValueEnum};
use liminal_core::processor::{Config, ExtraItems, Profile};

use crate::config::RedisUrl;
use crate::emitter::RetryPolicy;
use crate::filter::{self, Format, Time};

/// Options of `liminal process`.
#[derive(Debug, Args)]
#[command(after_help = PROCESS_HELP)]
pub struct Process {
    /// Which consumers the output is for
    #[arg(long, value_enum, default_value_t = ProfileName::UpsertV1)]
    profile: ProfileName,
    /// How the input's events are written
    #[arg(long, value_enum, default_value_t = FormatName::Canonical)]
    format: FormatName,
    /// Tokens that must be exceeded for the 1st, 2nd, … emission of an item; the last repeats [default: the profile's]
    #[arg(long, value_name = "N,N,…", value_parser = thresholds)]
    gradient: Option<Thresholds>,
    /// Milliseconds of silence after which what an item has gathered goes out
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    timeout_ms: u64,
    /// Milliseconds within which an item's first words go out, however fast others follow [default: no limit]
    #[arg(long, value_name = "MS")]
    first_emission_ms: Option<u64>,
    /// Whose time counts: this machine's, or the events' own for a run that can be repeated exactly
    #[arg(long, value_enum, default_value_t = TimeName::Wall)]
    clock: TimeName,
    /// Show a tool call's final arguments before its output comes
    #[arg(long)]
    announce_arguments: bool,
    /// Stop at the first bad line
    #[arg(long)]
    strict: bool,
    /// Items that Stream B has beyond messages, thoughts, tools and errors
    #[arg(long, value_name = "ITEM,…", value_enum, value_delimiter = ',')]
    extra_items: Vec<ExtraItem>,
    /// How a message is tried again that the Redis does not take
    #[command(flatten)]
    retry: Retry,
    /// Write Stream B messages to the Redis at this address instead of lines to standard output
    #[arg(long, value_name = "URL", value_parser = redis_url, conflicts_with = "profile")]
    pub publish: Option<RedisUrl>,
}

const PROCESS_HELP: &str = "\
Reads one event per line from standard input and writes one output per line as they come due:
  {\"type\":\"session:upsert\",\"sessionId\":…,\"payload\":{…}} and {\"type\":\"session:turn\",…}, or the messages of Stream B.
A bad line is reported on standard error with its number, the place of the fault and what was expected there.
Input that ends inside a turn ends that turn with the error STREAM_ENDED.

With --publish the messages of Stream B go to codex:turn:TURN:upserts in a Redis. One that it does not take is tried
again, by default three times after 1, 2 and 4 seconds; then the run ends.

Exit codes: 0 every line was good, 1 some were bad or not taken, 2 wrong use or, with --strict, stopped at a bad line.

Examples:
  liminal process < events.ndjson
  liminal process --clock events --gradient 10,20,40,80,120 < recorded.ndjson
  liminal process --profile stream-b --format stream-a < old-events.ndjson
  liminal process --publish redis://127.0.0.1:6379 --format stream-a < old-events.ndjson";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProfileName {
    /// Browsers and API clients
    UpsertV1,
    /// The older Redis consumers
    StreamB,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExtraItem {
    /// The agent's task lists
    Plan,
    /// What the agent asks before it acts
    Permission,
}

#[derive(Debug, Clone, Copy, Args)]
struct Retry {
    /// How often a message is tried again that the Redis does not take
    #[arg(long, value_name = "N", default_value_t = 3, requires = "publish")]
    retry_attempts: u32,
    /// Milliseconds before the first of these attempts; each later one waits twice as long
    #[arg(long, value_name = "MS", default_value_t = 1000, requires = "publish")]
    retry_base_ms: u64,
    /// Milliseconds that an attempt waits at most
    #[arg(long, value_name = "MS", default_value_t = 10_000, requires = "publish")]
    retry_max_ms: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// Canonical events
    Canonical,
    /// The snake_case events of the older adapters
    StreamA,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TimeName {
    /// This machine's
    Wall,
    /// The events' own
    Events,
}

/// A newtype, because clap would read a bare list as repeated options.
#[derive(Debug, Clone)]
struct Thresholds(Vec<u64>);

fn thresholds(text: &str) -> Result<Thresholds, String> {
    let numbers = text.split(',').map(str::trim).filter(|number| !number.is_empty());
    let parsed: Result<_, _> = numbers.map(str::parse).collect();
    parsed
        .map(Thresholds)
        .map_err(|_| "give whole numbers with commas between them, such as 10,20,40".to_owned())
}

impl Process {
    /// How a message is tried again that the Redis does not take.
    #[must_use]
    pub const fn retry(&self) -> RetryPolicy {
        let Retry { retry_attempts, retry_base_ms, retry_max_ms } = self.retry;
        RetryPolicy {
            attempts: retry_attempts,
            base: Duration::from_millis(retry_base_ms),
            max: Duration::from_millis(retry_max_ms),
        }
    }
}

impl From<Process> for filter::Options {
    fn from(process: Process) -> Self {
        let profile = match process.profile {
            _ if process.publish.is_some() => Profile::StreamB,
            ProfileName::UpsertV1 => Profile::UpsertV1,
            ProfileName::StreamB => Profile::StreamB,
        };
        let format = match process.format {
            FormatName::Canonical => Format::Canonical,
            FormatName::StreamA => Format::StreamA,
        };
        let time = match process.clock {
            TimeName::Wall => Time::Wall,
            TimeName::Events => Time::Events,
        };
        Self { profile, format, config: config(&process, profile), time, strict: process.strict }
    }
}

fn redis_url(text: &str) -> Result<RedisUrl, String> {
    RedisUrl::parse(text).ok_or_else(|| "give an address such as redis://127.0.0.1:6379".to_owned())
}

fn config(process: &Process, profile: Profile) -> Config {
    let mut config = Config::new(profile).with_idle_timeout(Duration::from_millis(process.timeout_ms));
    if let Some(Thresholds(thresholds)) = &process.gradient {
        config = config.with_gradient(thresholds);
    }
    if let Some(within) = process.first_emission_ms {
        config = config.with_first_emission(Duration::from_millis(within));
    }
    if !process.extra_items.is_empty() {
        let has = |item| process.extra_items.contains(&item);
        let extra = ExtraItems { plans: has(ExtraItem::Plan), permissions: has(ExtraItem::Permission) };
        config = config.with_extra_items(extra);
    }
    if process.announce_arguments { config.announcing_arguments() } else { config }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_a_list_of_numbers() {
        assert_eq!(thresholds("10, 20,40").unwrap().0, [10, 20, 40]);
        assert!(thresholds("").unwrap().0.is_empty());
        for bad in ["ten", "1;2", "-1", "1.5"] {
            assert!(thresholds(bad).is_err(), "{bad}");
        }
    }
}
