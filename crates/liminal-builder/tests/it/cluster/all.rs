//! Several servers on one real Redis, shown from outside: the running program, the wire, agents and faults.

mod failover;
mod front;
mod logins;
mod outages;
mod outside;
mod pausing;
mod racing;
mod sharing;
mod starting;
mod switching;
mod team;
