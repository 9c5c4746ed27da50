mod ending;
mod orphans;
mod starting;
mod sweeping;
