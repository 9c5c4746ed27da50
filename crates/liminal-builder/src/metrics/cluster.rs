//! What is counted where several servers share sessions.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug, Default)]
pub(super) struct ClusterCounts {
    pub(super) forwarded: Counter,
    pub(super) taken_over: Counter,
    pub(super) lost: Counter,
    pub(super) redis_up: Gauge,
    pub(super) behind: Gauge,
}

impl ClusterCounts {
    pub(super) fn register(&self, registry: &mut Registry) {
        let forwarded = "Commands handed on to other servers";
        registry.register("commands_forwarded", forwarded, self.forwarded.clone());
        let taken_over = "Sessions taken over from servers that were gone";
        registry.register("sessions_taken_over", taken_over, self.taken_over.clone());
        registry.register("sessions_lost", "Sessions that another server took over", self.lost.clone());
        registry.register("redis_up", "Whether Redis answers; 0 without Redis too", self.redis_up.clone());
        let behind = "Sessions of which Redis does not have everything";
        registry.register("redis_sessions_behind", behind, self.behind.clone());
    }
}
