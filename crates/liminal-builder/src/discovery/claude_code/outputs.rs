//! The files that commands have written to in the background. Owns which of them are read, and how much: their paths come
//! from the session's files, and they may be of any size, or gone.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use liminal_core::dialect::claude::history::HistoryReader;

use super::super::files;

/// How much of one file is shown.
const LIMIT: u64 = 1024 * 1024;
/// How much is read for one session.
const TOTAL: u64 = 16 * LIMIT;
/// Stands behind what was cut.
const CUT: &str = "\n[the rest is too long to be shown]";

/// Reads what the commands of a session have written, as far as it is still there.
pub(super) fn read(reader: &mut HistoryReader) {
    let found = reader.output_files().map(|(task, path)| (task.to_owned(), PathBuf::from(path)));
    let found: Vec<(String, PathBuf)> = found.filter(|(task, path)| is_output_file(path, task)).collect();
    let mut left = TOTAL;
    for (task, path) in found {
        let Ok(text) = beginning(&path, LIMIT.min(left)) else { continue };
        left = left.saturating_sub(text.len() as u64);
        reader.push_output(&task, &text);
    }
}

fn beginning(path: &Path, limit: u64) -> io::Result<String> {
    let file = files::open(path)?;
    let is_longer = file.metadata()?.len() > limit;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(if is_longer { text + CUT } else { text })
}

/// `…/tasks/ID.output`: a session cannot have just any file shown.
fn is_output_file(path: &Path, task: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    path.is_absolute() && folder == Some("tasks") && name == Some(&format!("{task}.output"))
}
