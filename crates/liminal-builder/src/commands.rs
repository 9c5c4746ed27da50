//! Commands that work with sessions, as clients of a server like any other. Owns what they ask and what they show; the
//! words are the command line's, and what sessions do is the server's business.

mod approve;
mod asking;
mod conversation;
mod files;
mod list;
mod request_text;
mod run;
mod search;
mod send;
mod server;
mod terminal;
mod transcript;
mod visible_text;

pub use approve::approve;
pub use files::export;
pub use list::list;
pub use run::{attach, run};
pub use search::search;
pub use send::send;
pub use server::{NoAgent, find};
pub use terminal::{json_line, safe};
