//! The server as a client sees it: real connections on loopback, plain HTTP/1.1.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod client;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod scenarios;
