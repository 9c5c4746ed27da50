#![expect(clippy::disallowed_methods, reason = "a stranger to look at is started by hand")]

mod ending;
mod orphans;
mod starting;
mod sweeping;
