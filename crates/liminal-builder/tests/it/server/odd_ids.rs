//! Ids that nobody was given.

use super::machine::Machine;

/// Escaped as they stand in a path.
pub(crate) const ODD: [&str; 14] = [
    "..%2f..%2fetc%2fpasswd",
    "..",
    "%2e%2e",
    "demo:..%2f..%2ftoken",
    "demo:%00",
    "%00",
    "demo:",
    ":",
    "claude-code:..%5c..%5cx",
    "demo:%F0%9F%98%80",
    "demo:a%20b",
    "-rf",
    "demo:--resume",
    "%FF%FE",
];

#[tokio::test]
async fn c45_s28_ids_that_are_paths_or_nonsense_name_nothing() {
    let machine = Machine::new();
    let server = machine.start().await;
    let before = files(&machine);
    let long = format!("demo:{}", "x".repeat(10_000));
    for id in ODD.iter().copied().chain([long.as_str()]) {
        for deed in ["status", "history", "queue", "upserts", "events", "export", "items/a/output"] {
            let answer = server.get(&format!("/api/session/{id}/{deed}")).await;
            assert!([400, 404].contains(&answer.status), "{id} {deed}: {answer:?}");
        }
        for deed in ["load", "kill", "cancel", "archive"] {
            let answer = server.call("POST", &format!("/api/session/{id}/{deed}"), &[], None).await;
            assert!([400, 404].contains(&answer.status), "{id} {deed}: {answer:?}");
        }
        for path in ["projects", "session"] {
            let answer = server.delete(&format!("/api/{path}/{id}")).await;
            assert!([400, 404, 405].contains(&answer.status), "{id}: {answer:?}");
        }
    }
    assert_eq!(files(&machine), before, "nothing was made for them");
    assert!(server.list().await.is_empty());
    server.stop().await;
}

/// The names of all that lies in the machine's home, but for what grows by itself.
fn files(machine: &Machine) -> Vec<String> {
    let entries = std::fs::read_dir(machine.home.path()).unwrap().map(Result::unwrap);
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
