//! The page. Owns the files that are embedded in the program; nothing is ever read from disk for a request.

use super::answers::{Page, Style};

const INDEX: &str = include_str!("../../../../web/index.html");
const STYLE: &str = include_str!("../../../../web/style.css");

pub(super) async fn index() -> Page {
    Page(INDEX)
}

pub(super) async fn style() -> Style {
    Style(STYLE)
}
