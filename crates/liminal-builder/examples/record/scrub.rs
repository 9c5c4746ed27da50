//! Takes this machine out of a recording: its paths, its ports, its numbers of processes. The texts in which the
//! program describes its commands are cut, because they are long and nobody's business here.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

const WORDS_KEPT: usize = 3;

pub(crate) struct Scrubber {
    replacements: Vec<(String, String)>,
}

impl Scrubber {
    pub(crate) fn new(home: &Path, project: &Path, model: &str) -> Self {
        let (home, project) = (home.display().to_string(), project.display().to_string());
        let replacements = [
            (slug(&project), "-home-dev-project".to_owned()),
            (project, "/home/dev/project".to_owned()),
            (slug(&home), "-home-dev".to_owned()),
            (home, "/home/dev".to_owned()),
            (model.to_owned(), "http://127.0.0.1:8000".to_owned()),
        ];
        Self { replacements: replacements.into() }
    }

    pub(crate) fn scrubbed(&self, recording: &str) -> Result<String> {
        let read = |line: &str| serde_json::from_str(&self.replaced(line));
        let mut lines = recording.lines().map(read).collect::<Result<Vec<Line>, _>>()?;
        self.replace_in_pieces(&mut lines);
        let mut text = String::new();
        for line in &mut lines {
            cut(&mut line.line);
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        Ok(text)
    }

    fn replaced(&self, text: &str) -> String {
        let replace = |text: String, (found, instead): &(String, String)| text.replace(found, instead);
        self.replacements.iter().fold(text.to_owned(), replace)
    }

    /// A call's arguments come in pieces, and a path may lie across several of them.
    fn replace_in_pieces(&self, lines: &mut [Line]) {
        let mut pieces: Vec<&mut String> = Vec::new();
        for line in lines {
            if line.line.pointer("/event/type").and_then(Value::as_str) == Some("content_block_start") {
                self.replace_across(&mut pieces);
                pieces.clear();
            }
            if let Some(Value::String(piece)) = line.line.pointer_mut("/event/delta/partial_json") {
                pieces.push(piece);
            }
        }
        self.replace_across(&mut pieces);
    }

    /// What changed is laid out over as many pieces as there were.
    fn replace_across(&self, pieces: &mut [&mut String]) {
        let joined: String = pieces.iter().map(|piece| piece.as_str()).collect();
        let replaced = self.replaced(&joined);
        if replaced == joined {
            return;
        }
        let letters: Vec<char> = replaced.chars().collect();
        let mut rest = letters.chunks(letters.len().div_ceil(pieces.len()));
        for piece in pieces {
            **piece = rest.next().unwrap_or_default().iter().collect();
        }
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Line {
    t: f64,
    dir: String,
    line: Value,
}

/// The answer to `initialize` describes all there is, and `init` names a socket by a process id; other lines are left as
/// they are.
fn cut(line: &mut Value) {
    if let Some(socket) = line.pointer_mut("/messaging_socket_path") {
        *socket = Value::from("/tmp/cc-socks/1.sock");
    }
    let Some(answer) = line.pointer_mut("/response/response").and_then(Value::as_object_mut) else { return };
    if answer.contains_key("pid") {
        answer.insert("pid".to_owned(), Value::from(1));
    }
    for key in ["commands", "agents"] {
        for entry in answer.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(Value::String(description)) = entry.get_mut("description") {
                *description = beginning(description);
            }
        }
    }
}

fn beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.get(..WORDS_KEPT) {
        Some(first) if words.len() > WORDS_KEPT => format!("{} …", first.join(" ")),
        _ => text.to_owned(),
    }
}

/// How the program names the folder of a project.
fn slug(path: &str) -> String {
    path.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}
