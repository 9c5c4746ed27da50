//! Prints the generated files as one JSON object, contents by path, for `./x gen`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use liminal_core::contracts;

fn main() -> io::Result<()> {
    let files = contracts::files().into_iter().map(|file| (file.path, file.contents));
    let files: BTreeMap<String, String> = files.collect();
    io::stdout().write_all(serde_json::to_string(&files)?.as_bytes())
}
