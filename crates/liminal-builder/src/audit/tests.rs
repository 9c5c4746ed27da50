use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::*;

fn entry(target: &str) -> Entry {
    Entry {
        actor: Actor::Browser("0123456789abcdef".to_owned()),
        address: Some("::ffff:127.0.0.1".parse().unwrap()),
        action: Action::Permission,
        target: Some(target.to_owned()),
        outcome: "ok".into(),
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[tokio::test]
async fn s50_an_entry_tells_who_did_what_to_what_and_how_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::open(folder.path(), None, Clock::start()).unwrap();
    audit.settle(entry("claude-code:1")).await.unwrap();
    let path = folder.path().join("audit.log");
    let written = lines(&fs::read_to_string(&path).unwrap());
    let line = written.first().unwrap();
    assert_eq!(line["actor"], "browser:01234567");
    assert_eq!((&line["address"], &line["action"]), (&"127.0.0.1".into(), &"permission".into()));
    assert_eq!((&line["target"], &line["outcome"]), (&"claude-code:1".into(), &"ok".into()));
    assert!(line["time"].as_str().unwrap().ends_with('Z'));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn what_clients_say_cannot_forge_a_line_nor_leave_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::open(folder.path(), None, Clock::start()).unwrap();
    let target =
        format!("a\n{{\"actor\":\"token\"}}\u{1b}[2J\u{9b} ghp_A1b2C3d4E5f6G7h8I9j0 {}", "x".repeat(9_000));
    audit.settle(entry(&target)).await.unwrap();
    let text = fs::read_to_string(folder.path().join("audit.log")).unwrap();
    assert_eq!(lines(&text).len(), 1);
    assert!(text.len() < 2_000 && !text.contains("ghp_") && !text.contains('\u{9b}'), "{text}");
}

#[tokio::test]
async fn everything_is_kept_in_order_over_many_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("audit-7.log"), "earlier\n").unwrap();
    let writer = Writer::with_limit(folder.path(), 1_000).unwrap();
    let audit = Audit::start(writer, Clock::start()).unwrap();
    for number in 0..2_000 {
        audit.note(entry(&number.to_string())).await;
    }
    audit.close().await;
    assert_eq!(fs::read_to_string(folder.path().join("audit-7.log")).unwrap(), "earlier\n");
    let mut text = String::new();
    let set_aside = (8..).map(|number| folder.path().join(format!("audit-{number}.log")));
    for path in set_aside.take_while(|path| path.exists()) {
        text += &fs::read_to_string(path).unwrap();
    }
    assert!(!text.is_empty());
    text += &fs::read_to_string(folder.path().join("audit.log")).unwrap();
    let targets: Vec<_> =
        lines(&text).iter().map(|line| line["target"].as_str().unwrap().to_owned()).collect();
    assert_eq!(targets, (0..2_000).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_line_that_was_cut_off_stays_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.log");
    fs::write(&path, "{\"time\":\"2026").unwrap();
    let audit = Audit::open(folder.path(), None, Clock::start()).unwrap();
    audit.settle(entry("a")).await.unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert_eq!(lines(text.lines().nth(1).unwrap()).first().unwrap()["target"], "a");
}

#[tokio::test]
async fn a_link_is_refused_and_a_disk_that_fails_is_told_to_whoever_waits() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("audit.log")).unwrap();
    assert!(Audit::open(folder.path(), None, Clock::start()).is_err());
    fs::remove_file(folder.path().join("audit.log")).unwrap();
    // Every write begins a new file here, and the directory for it is gone.
    let writer = Writer::with_limit(folder.path(), 0).unwrap();
    let audit = Audit::start(writer, Clock::start()).unwrap();
    let path = folder.path().to_owned();
    drop(folder);
    assert!(!path.exists());
    assert!(matches!(audit.settle(entry("a")).await, Err(AuditError::Write(_))));
    audit.note(entry("b")).await;
    audit.close().await;
}

/// A directory that can be taken away and brought back, as a disk that is full for a while.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn away(&self) -> PathBuf {
        self.folder.path().join("away")
    }

    /// Every write begins a new file, so it fails while the directory is away.
    fn new() -> (Self, Audit) {
        let disk = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(disk.path()).unwrap();
        let audit = Audit::start(Writer::with_limit(&disk.path(), 0).unwrap(), Clock::start()).unwrap();
        (disk, audit)
    }

    fn targets(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path()).unwrap().map(|file| file.unwrap().path()).collect();
        names.sort_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
        let text: String = names.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        lines(&text).iter().map(|line| line["target"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn entries_that_the_disk_does_not_accept_are_written_later_in_order_but_for_those_that_failed() {
    let (disk, audit) = Disk::new();
    fs::rename(disk.path(), disk.away()).unwrap();
    audit.note(entry("a")).await;
    assert!(matches!(audit.settle(entry("failed")).await, Err(AuditError::Write(_))));
    audit.note(entry("b")).await;
    assert!(audit.settle(entry("failed too")).await.is_err());
    fs::rename(disk.away(), disk.path()).unwrap();
    audit.settle(entry("c")).await.unwrap();
    assert_eq!(disk.targets(), ["a", "b", "c"]);
    audit.close().await;
    assert_eq!(disk.targets(), ["a", "b", "c"]);
}

#[tokio::test]
async fn entries_that_wait_for_the_disk_are_bounded_and_written_at_the_end() {
    let (disk, audit) = Disk::new();
    fs::rename(disk.path(), disk.away()).unwrap();
    for number in 0..1_500 {
        audit.note(entry(&number.to_string())).await;
    }
    assert!(audit.settle(entry("all came")).await.is_err());
    fs::rename(disk.away(), disk.path()).unwrap();
    audit.close().await;
    assert_eq!(disk.targets(), (0..1_024).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn d25_the_system_log_gets_a_copy_also_after_it_was_started_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let audit = Audit::open(folder.path(), Some(path.clone()), Clock::start()).unwrap();
    audit.settle(entry("nobody listens")).await.unwrap();
    for target in ["first", "second"] {
        let system = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
        audit.settle(entry(target)).await.unwrap();
        let mut heard = [0; 4096];
        let length = system.recv(&mut heard).unwrap();
        let heard = std::str::from_utf8(heard.get(..length).unwrap()).unwrap();
        assert!(heard.starts_with("<86>liminal-builder["), "{heard}");
        let (_, line) = heard.split_once("]: ").unwrap();
        assert_eq!(lines(line).first().unwrap()["target"], target);
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(lines(&fs::read_to_string(folder.path().join("audit.log")).unwrap()).len(), 3);
}
