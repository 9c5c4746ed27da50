//! The inputs that `./x fuzz` begins with, and those that once broke something: what each target checks holds for all of
//! them.

#[path = "../../../../fuzz/properties/acp_frames.rs"]
mod acp_frames;
#[path = "../../../../fuzz/properties/claude_frames.rs"]
mod claude_frames;
#[path = "../../../../fuzz/properties/credentials.rs"]
mod credentials;
#[path = "../../../../fuzz/properties/cursor.rs"]
mod cursor;
#[path = "../../../../fuzz/properties/envelope.rs"]
mod envelope;
#[path = "../../../../fuzz/properties/host.rs"]
mod host;
#[path = "../../../../fuzz/properties/origin.rs"]
mod origin;
#[path = "../../../../fuzz/properties/processor.rs"]
mod processor;
#[path = "../../../../fuzz/properties/socket_frames.rs"]
mod socket_frames;
#[path = "../../../../fuzz/properties/sse_bytes.rs"]
mod sse_bytes;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a target checks of an input.
type Check = fn(&[u8]);

/// Every target, but for the one that needs a server.
const TARGETS: [(&str, Check); 9] = [
    ("acp_frames", acp_frames::check),
    ("claude_frames", claude_frames::check),
    ("credentials", credentials::check),
    ("cursor", cursor::check),
    ("envelope", envelope::check),
    ("host", host::check),
    ("origin", origin::check),
    ("processor", processor::check),
    ("sse_bytes", sse_bytes::check),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The inputs that are kept for a target, by the name of their files.
fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join("inputs").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).unwrap());
    files.map(|file| read(file.unwrap().path())).collect()
}

#[test]
fn every_target_is_known_here_and_has_inputs() {
    let mut known: Vec<&str> = TARGETS.iter().map(|(target, _)| *target).chain(["socket_frames"]).collect();
    known.sort_unstable();
    assert_eq!(names_in(&folder().join("fuzz_targets")), known);
    assert_eq!(names_in(&folder().join("inputs")), known);
}

#[test]
fn f1_f2_f3_what_fuzzing_checks_holds_for_every_kept_input() {
    for (target, check) in TARGETS {
        for (path, bytes) in inputs(target) {
            // Shown if the check fails.
            println!("{path}");
            check(&bytes);
        }
    }
}

#[test]
fn f4_what_fuzzing_checks_of_sockets_holds_for_every_kept_input() {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(panic);
    }));
    let server = socket_frames::Server::start();
    for (path, bytes) in inputs("socket_frames") {
        println!("{path}");
        server.check(&bytes);
        assert_eq!(PANICS.load(Ordering::SeqCst), 0, "the server panicked");
    }
}
