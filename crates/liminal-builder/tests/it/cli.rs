//! Commands that work with sessions, as people and scripts run them: the real binary with the demo agent.

mod audit;
mod commands;
mod desktop;
mod interactive;
mod metrics;
mod run;
mod terminal;
mod world;
