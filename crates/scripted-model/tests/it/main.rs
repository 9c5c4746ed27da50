//! The server as a client sees it: real connections on loopback, plain HTTP/1.1.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod chat_completions;
#[cfg(test)]
mod client;
#[cfg(test)]
mod every_api;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod gemini;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod openai_responses;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod scenarios;
