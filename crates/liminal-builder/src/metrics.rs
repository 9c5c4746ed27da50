//! Counts and durations, for whoever watches the server. Owns their names; passed down to those who count, never reached
//! from everywhere. Labels are words of ours, so that no client can make up new series.

mod cluster;
mod labels;
mod process;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use cluster::ClusterCounts;
use labels::{ByCli, ByCode, ByTurnEnd, ByVerdict};
pub use labels::{TurnEnd, Verdict};

/// From what nobody notices to what nobody waits for.
const FIRST_WORDS: [f64; 12] = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 6.0, 12.0, 30.0, 60.0, 120.0];
/// From a write into memory to a disk that hangs.
const APPENDS: [f64; 10] = [0.000_05, 0.000_2, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0];

/// The metrics. Clones are the same.
#[derive(Debug, Clone)]
pub struct Metrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    turns_started: Family<ByCli, Counter>,
    turns_ended: Family<ByTurnEnd, Counter>,
    upserts: Counter,
    first_words: Histogram,
    resumes: Family<ByVerdict, Counter>,
    rejected: Family<ByCode, Counter>,
    appends: Histogram,
    subscribers: Gauge,
    agents: Gauge,
    queued: Gauge,
    cluster: ClusterCounts,
    published: Counter,
    given_up: Counter,
    unpublished: Gauge,
    memory: Gauge<u64, AtomicU64>,
    descriptors: Gauge<u64, AtomicU64>,
}

/// Something that is counted as long as it lives.
#[derive(Debug)]
pub struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// All at zero.
    #[must_use]
    pub fn new() -> Self {
        let mut inner = Inner {
            registry: Registry::with_prefix("liminal"),
            turns_started: Family::default(),
            turns_ended: Family::default(),
            upserts: Counter::default(),
            first_words: Histogram::new(FIRST_WORDS),
            resumes: Family::default(),
            rejected: Family::default(),
            appends: Histogram::new(APPENDS),
            subscribers: Gauge::default(),
            agents: Gauge::default(),
            queued: Gauge::default(),
            cluster: ClusterCounts::default(),
            published: Counter::default(),
            given_up: Counter::default(),
            unpublished: Gauge::default(),
            memory: Gauge::default(),
            descriptors: Gauge::default(),
        };
        inner.register();
        Self(Arc::new(inner))
    }

    /// A turn began.
    pub fn turn_started(&self, cli_type: &str) {
        self.0.turns_started.get_or_create(&ByCli::new(cli_type)).inc();
    }

    /// A turn ended.
    pub fn turn_ended(&self, cli_type: &str, end: TurnEnd) {
        self.0.turns_ended.get_or_create(&ByTurnEnd::new(cli_type, end)).inc();
    }

    /// Upserts were added to a log.
    pub fn upserts_appended(&self, count: u64) {
        self.0.upserts.inc_by(count);
    }

    /// A turn's first upsert came, so long after its message was sent.
    pub fn first_words(&self, after: Duration) {
        self.0.first_words.observe(after.as_secs_f64());
    }

    /// A reader came back with a cursor.
    pub fn resumed(&self, verdict: Verdict) {
        self.0.resumes.get_or_create(&ByVerdict::new(verdict)).inc();
    }

    /// A request was turned away, with one of our codes.
    pub fn rejected(&self, code: &'static str) {
        self.0.rejected.get_or_create(&ByCode::new(code)).inc();
    }

    /// The log took something in, in this time.
    pub fn log_append(&self, took: Duration) {
        self.0.appends.observe(took.as_secs_f64());
    }

    /// Counts a reader of a session for as long as the value is kept.
    #[must_use]
    pub fn subscriber(&self) -> Counted {
        Counted::new(&self.0.subscribers)
    }

    /// Counts a running agent for as long as the value is kept.
    #[must_use]
    pub fn agent(&self) -> Counted {
        Counted::new(&self.0.agents)
    }

    /// So many messages wait for a turn's end.
    pub fn queued(&self, count: usize) {
        self.0.queued.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// A command went to the server that has its session.
    pub fn forwarded(&self) {
        self.0.cluster.forwarded.inc();
    }

    /// A session of a server that is gone is looked after here.
    pub fn taken_over(&self) {
        self.0.cluster.taken_over.inc();
    }

    /// Another server took a session of this one.
    pub fn lost_session(&self) {
        self.0.cluster.lost.inc();
    }

    /// Whether Redis answers, and how many sessions it does not have all of.
    pub fn shared(&self, redis_answers: bool, behind: usize) {
        self.0.cluster.redis_up.set(redis_answers.into());
        self.0.cluster.behind.set(i64::try_from(behind).unwrap_or(i64::MAX));
    }

    /// A Stream B message is in the Redis.
    pub fn stream_b_published(&self) {
        self.0.published.inc();
    }

    /// Stream B messages will never be in the Redis.
    pub fn stream_b_given_up(&self, count: u64) {
        self.0.given_up.inc_by(count);
    }

    /// So many Stream B messages wait for the Redis.
    pub fn stream_b_waiting(&self, count: usize) {
        self.0.unpublished.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Everything in the text format of Prometheus.
    #[must_use]
    pub fn render(&self) -> String {
        let usage = process::usage();
        self.0.memory.set(usage.memory_bytes);
        self.0.descriptors.set(usage.open_files);
        let mut text = String::new();
        // Writing into a text does not fail.
        encode(&mut text, &self.0.registry).map_or_else(|_| String::new(), |()| text)
    }
}

impl Inner {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("turns_started", "Turns that began", self.turns_started.clone());
        registry.register("turns_ended", "Turns that ended", self.turns_ended.clone());
        registry.register("upserts_appended", "Upserts added to logs", self.upserts.clone());
        let first = "From a message to the first upsert of its turn";
        registry.register_with_unit("first_upsert", first, Unit::Seconds, self.first_words.clone());
        registry.register("resumes", "Readers that came back with a cursor", self.resumes.clone());
        registry.register("requests_rejected", "Requests that were turned away", self.rejected.clone());
        registry.register_with_unit("log_append", "Appends to the log", Unit::Seconds, self.appends.clone());
        registry.register("subscribers", "Readers of sessions now", self.subscribers.clone());
        registry.register("agents", "Agents that run now", self.agents.clone());
        self.cluster.register(registry);
        registry.register("queued_messages", "Messages that wait for a turn's end", self.queued.clone());
        let published = "Stream B messages written to the Redis";
        registry.register("stream_b_published", published, self.published.clone());
        let given_up = "Stream B messages that the Redis did not take";
        registry.register("stream_b_given_up", given_up, self.given_up.clone());
        let waiting = "Stream B messages that wait for the Redis";
        registry.register("stream_b_waiting", waiting, self.unpublished.clone());
        let memory = "Memory in use";
        registry.register_with_unit("resident_memory", memory, Unit::Bytes, self.memory.clone());
        registry.register("open_files", "Open file descriptors", self.descriptors.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, series: &str) -> f64 {
        let line = text.lines().find(|line| line.rsplit_once(' ').is_some_and(|(name, _)| name == series));
        line.expect(series).rsplit_once(' ').unwrap().1.parse().unwrap()
    }

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::new();
        metrics.turn_started("claude-code");
        metrics.turn_ended("claude-code", TurnEnd::Error);
        metrics.upserts_appended(3);
        metrics.first_words(Duration::from_millis(150));
        metrics.resumed(Verdict::Reset);
        metrics.rejected("UNAUTHORIZED");
        metrics.log_append(Duration::from_micros(100));
        metrics.stream_b_published();
        metrics.stream_b_given_up(2);
        let text = metrics.clone().render();
        for (series, expected) in [
            ("liminal_turns_started_total{cli_type=\"claude-code\"}", 1.0),
            ("liminal_turns_ended_total{cli_type=\"claude-code\",status=\"error\"}", 1.0),
            ("liminal_upserts_appended_total", 3.0),
            ("liminal_first_upsert_seconds_bucket{le=\"0.1\"}", 0.0),
            ("liminal_first_upsert_seconds_bucket{le=\"0.2\"}", 1.0),
            ("liminal_resumes_total{verdict=\"reset\"}", 1.0),
            ("liminal_requests_rejected_total{code=\"UNAUTHORIZED\"}", 1.0),
            ("liminal_log_append_seconds_count", 1.0),
            ("liminal_stream_b_published_total", 1.0),
            ("liminal_stream_b_given_up_total", 2.0),
        ] {
            assert!((value(&text, series) - expected).abs() < f64::EPSILON, "{series} in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }

    #[test]
    fn what_lives_is_counted_until_it_is_gone() {
        let metrics = Metrics::new();
        let (first, second) = (metrics.subscriber(), metrics.subscriber());
        let agent = metrics.agent();
        metrics.queued(3);
        let text = metrics.render();
        assert!((value(&text, "liminal_subscribers") - 2.0).abs() < f64::EPSILON);
        drop((first, agent));
        let text = metrics.render();
        for (series, expected) in
            [("liminal_subscribers", 1.0), ("liminal_agents", 0.0), ("liminal_queued_messages", 3.0)]
        {
            assert!((value(&text, series) - expected).abs() < f64::EPSILON, "{series}");
        }
        drop(second);
    }

    #[test]
    fn memory_and_files_are_looked_at_when_asked() {
        let metrics = Metrics::new();
        let text = metrics.render();
        assert!(value(&text, "liminal_resident_memory_bytes") > 100_000.0);
        assert!(value(&text, "liminal_open_files") >= 3.0);
    }
}
