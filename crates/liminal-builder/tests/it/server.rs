//! The running server as its clients see it: the real binary over real sockets, with the demo agent, an agent that does
//! what it is told, and the real ones. How requests are refused at the gates is in `http`.

mod client;
mod command_lines;
mod events;
mod machine;
mod screen;
mod socket;

mod answers;
mod attachments;
mod attention;
mod background;
mod bypass;
mod confinement;
mod correlation;
mod detection;
mod forks;
mod found;
mod hibernation;
mod idempotency;
mod interrupted;
mod kept_modes;
mod known_projects;
mod lifecycle;
mod listing;
mod made_up;
mod messaging;
mod modes;
pub(crate) mod odd_ids;
mod offers;
mod own_agent;
mod pausing;
mod permissions;
mod pipeline;
mod project_tools;
mod projects;
mod queue;
mod reading;
mod recording;
mod reloading;
mod remembered;
mod starting;
mod steering;
mod streams;
mod suggestions;
mod trust;
