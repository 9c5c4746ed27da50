//! What a program asked of its disk, as `strace` wrote it down. Owns the form of its lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a call was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    Write {
        file: PathBuf,
        at: usize,
        bytes: Vec<u8>,
    },
    Cut {
        file: PathBuf,
        length: usize,
    },
    Sync(PathBuf),
    Remove(PathBuf),
    /// Told to whoever reads the program's output.
    Say(String),
}

/// Calls begin and end, those of several threads at the same time.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Begun(usize, Call),
    Done(usize),
}

/// The calls that concern a directory, and what was said, in the order in which they began and ended.
pub(super) fn read(text: &str, directory: &Path) -> Vec<Moment> {
    let (mut moments, mut unfinished, mut next) = (Vec::new(), BTreeMap::new(), 0);
    for line in text.lines() {
        let (thread, rest) = line.split_once(' ').unwrap();
        let rest = rest.trim_start();
        if rest.starts_with("<...") {
            moments.extend(unfinished.remove(thread).map(Moment::Done));
        } else if let Some(call) = call(rest).filter(|call| concerns(call, directory)) {
            moments.push(Moment::Begun(next, call));
            match rest.ends_with("<unfinished ...>") {
                true => drop(unfinished.insert(thread.to_owned(), next)),
                false => moments.push(Moment::Done(next)),
            }
            next += 1;
        }
    }
    moments
}

fn concerns(call: &Call, directory: &Path) -> bool {
    match call {
        Call::Write { file, .. } | Call::Cut { file, .. } | Call::Sync(file) | Call::Remove(file) => {
            file.starts_with(directory)
        }
        Call::Say(_) => true,
    }
}

fn call(line: &str) -> Option<Call> {
    let (name, arguments) = line.split_once('(')?;
    match name {
        "pwrite64" => {
            let (file, rest) = descriptor(arguments)?;
            let (bytes, rest) = text(rest)?;
            // The length, and where.
            let at = rest.split(", ").nth(2)?;
            Some(Call::Write { file, at: number(at)?, bytes })
        }
        "ftruncate" => {
            let (file, rest) = descriptor(arguments)?;
            Some(Call::Cut { file, length: number(rest.strip_prefix(", ")?)? })
        }
        "fsync" | "fdatasync" => Some(Call::Sync(descriptor(arguments)?.0)),
        "unlink" => Some(Call::Remove(path(text(arguments)?.0))),
        "write" if arguments.starts_with("1<") => {
            Some(Call::Say(String::from_utf8(text(descriptor(arguments)?.1)?.0).unwrap()))
        }
        _ => None,
    }
}

/// `9<\x2f…>`: the file behind a descriptor, and what follows.
fn descriptor(arguments: &str) -> Option<(PathBuf, &str)> {
    let (_, rest) = arguments.split_once('<')?;
    let (name, rest) = rest.split_once('>')?;
    Some((path(bytes(name)), rest))
}

/// `"\x41…"`, perhaps behind a comma, and what follows.
fn text(arguments: &str) -> Option<(Vec<u8>, &str)> {
    let (_, rest) = arguments.split_once('"')?;
    let (text, rest) = rest.split_once('"')?;
    assert!(!rest.starts_with("..."), "strace has cut a text");
    Some((bytes(text), rest))
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit =
        |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap();
    hex.as_bytes().chunks_exact(4).map(|byte| digit(byte[2]) << 4 | digit(byte[3])).collect()
}

fn path(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8(bytes).unwrap().into()
}

fn number(text: &str) -> Option<usize> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text.get(..digits)?.parse().ok()
}

#[test]
fn lines_of_several_threads_are_told_apart() {
    let text = concat!(
        "7 pwrite64(9<\\x2f\\x64\\x2f\\x61>, \"\\x41\\x0a\", 2, 512 <unfinished ...>\n",
        "8 write(1<\\x70>, \"\\x73\\x20\\x35\", 3) = 3\n",
        "8 fsync(4<\\x2f\\x64\\x2f\\x61>) = 0\n",
        "7 <... pwrite64 resumed>)           = 2\n",
        "7 fsync(5<\\x2f\\x65>) = 0\n",
    );
    let file = PathBuf::from("/d/a");
    let expected = [
        Moment::Begun(0, Call::Write { file: file.clone(), at: 512, bytes: b"A\n".to_vec() }),
        Moment::Begun(1, Call::Say("s 5".to_owned())),
        Moment::Done(1),
        Moment::Begun(2, Call::Sync(file)),
        Moment::Done(2),
        Moment::Done(0),
    ];
    assert_eq!(read(text, Path::new("/d")), expected);
}
