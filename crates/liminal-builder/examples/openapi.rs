//! Prints the description of the HTTP API, for `./x gen`.

use std::io::{self, Write};

use liminal_builder::http::openapi;

fn main() -> io::Result<()> {
    io::stdout().write_all(openapi::text().as_bytes())
}
