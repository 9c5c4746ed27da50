//! The Redis that is set. Owns what `liminal doctor` tells of it; what it is for is the cluster's business.

use super::report::{blank, with_problem};
use super::{AgentReport, AgentState, Machine};
use crate::cluster;

const NAME: &str = "redis";

impl Machine {
    /// What is known of the Redis that is set, if one is.
    pub async fn redis(&self) -> Option<AgentReport> {
        let url = self.config.redis.url.as_ref()?;
        let (version, problem) = match cluster::examine(url).await {
            Ok(report) => (report.version.clone(), advice([report.advice(), url.advice()])),
            Err(error) => (None, Some(error.to_string())),
        };
        let report = match problem {
            Some(problem) => with_problem(NAME, AgentState::Unusable, problem),
            None => blank(NAME),
        };
        Some(AgentReport { version, ..report })
    }
}

fn advice(all: [Option<&'static str>; 2]) -> Option<String> {
    let all: Vec<_> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}
