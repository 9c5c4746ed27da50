//! `--record`: the directory is ready when the server starts, or the server does not start.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tokio::process::Command;
use tokio::time::timeout;

use super::machine::Machine;
use crate::chat::PATIENCE;
use crate::support::liminal;

fn with_record(directory: &Path) -> Machine {
    let mut machine = Machine::new();
    let path: &'static str = Box::leak(directory.display().to_string().into_boxed_str());
    machine.flags = vec!["--record", path];
    machine
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn d21_a_missing_directory_for_recordings_is_created_for_this_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a/recordings");
    let machine = with_record(&directory);
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    server.stop().await;
    assert_eq!((mode(&directory), mode(&folder.path().join("a"))), (0o700, 0o700));
    let files: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.iter().map(|file| mode(file)).collect::<Vec<_>>(), [0o600], "{files:?}");
}

#[tokio::test]
async fn a_server_that_cannot_record_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for directory in [&file, &file.join("below"), Path::new("/proc/recordings")] {
        let data = folder.path().join("data");
        let record = directory.display().to_string();
        let mut command = liminal(&["serve", "--port", "0", "--no-open", "--record", &record, "--data-dir"]);
        command.arg(&data).env("HOME", folder.path());
        let ended = Command::from(command).kill_on_drop(true).output();
        let output = timeout(PATIENCE, ended).await.expect("it ends by itself").unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{said}");
        assert!(said.contains(&record) && said.contains("--record"), "{said}");
        assert!(!data.exists(), "nothing else was begun");
    }
}
