//! The core from outside. One binary for all suites, because linking each on its own costs more than running it.
//!
//! The modules are marked as tests, so that what they share may fail like one.

#[cfg(test)]
mod contracts;
#[cfg(test)]
mod correlated;
#[cfg(test)]
mod directories;
#[cfg(test)]
mod history;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod process;
#[cfg(test)]
mod replay;
