use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tokio::io::AsyncReadExt;

use super::super::testing::*;
use super::super::*;

async fn output_of(spec: &ProcessSpec) -> String {
    let mut process = AgentProcess::spawn(spec).unwrap();
    let mut output = String::new();
    process.take_stdout().unwrap().read_to_string(&mut output).await.unwrap();
    output
}

#[tokio::test]
async fn runs_in_its_own_session_with_three_descriptors() {
    // Not close-on-exec, as if whoever started us had left it open.
    let leaked = rustix::io::dup(io::stdin()).unwrap();
    let mut process = AgentProcess::spawn(&shell("echo ready; read -r word")).unwrap();
    // Until then the loader may have a library open.
    wait_ready(&mut process).await;
    let pid = process.identity().pid;
    assert_eq!(platform::process_entry(pid).unwrap().session, pid);
    let mut descriptors: Vec<_> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    descriptors.sort();
    assert_eq!(descriptors, ["0", "1", "2"]);
    drop(leaked);
}

#[tokio::test]
async fn starts_with_default_signals() {
    let status = output_of(&shell("exec cat /proc/self/status")).await;
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim_start_matches(':').trim(), 16).unwrap()
    };
    let broken_pipe = 1 << (Signal::PIPE.as_raw() - 1);
    assert_eq!(mask("SigIgn") & broken_pipe, 0);
    assert_eq!(mask("SigBlk"), 0);
}

#[tokio::test]
async fn carries_its_tags_and_the_callers_variables_in_the_given_directory() {
    let directory = tempfile::tempdir().unwrap();
    let mut spec = shell("pwd -P; exec env");
    spec.cwd = directory.path().to_owned();
    spec.environment = spec.environment.with("MODEL", "small").with("LIMINAL_INSTANCE", "forged");
    let output = output_of(&spec).await;
    let (cwd, environment) = output.split_once('\n').unwrap();
    let variables: BTreeMap<&str, &str> =
        environment.lines().filter_map(|line| line.split_once('=')).collect();
    assert_eq!(Path::new(cwd), directory.path().canonicalize().unwrap());
    assert_eq!(variables["MODEL"], "small");
    assert_eq!(variables["LIMINAL_INSTANCE"], "test");
    assert_eq!(format!("LIMINAL_SESSION={}", variables["LIMINAL_SESSION"]), spec.session.variable());
    assert_ne!(variables["LIMINAL_LAUNCH"], "");
}

#[tokio::test]
async fn each_way_to_fail_has_its_own_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("plain"), "").unwrap();
    // Written by another process: a file we hold open for writing, even in a fork, cannot be run.
    let script = format!(
        "cd '{}'; echo '#!/no/such/interpreter' >script; chmod +x script",
        directory.path().display()
    );
    assert!(std::process::Command::new("sh").args(["-c", &script]).status().unwrap().success());

    let failure = |program: &Path, cwd: &Path| {
        let spec = ProcessSpec { program: program.to_owned(), cwd: cwd.to_owned(), ..shell("") };
        AgentProcess::spawn(&spec).unwrap_err()
    };
    let here = directory.path();
    let not_found = |error| matches!(error, SpawnError::ProgramNotFound { .. });
    let not_executable = |error| matches!(error, SpawnError::NotExecutable { .. });
    let no_directory = |error| matches!(error, SpawnError::DirectoryMissing { .. });
    assert!(not_found(failure(&path("missing"), here)));
    assert!(not_found(failure(&path("plain/missing"), here)));
    assert!(not_found(failure(Path::new("no-such-program-anywhere"), here)));
    assert!(not_executable(failure(&path("plain"), here)));
    assert!(not_executable(failure(&path("script"), here)));
    assert!(not_executable(failure(here, here)));
    assert!(no_directory(failure(Path::new("sh"), &path("missing"))));
    assert!(no_directory(failure(Path::new("sh"), &path("plain"))));
    assert!(no_directory(failure(&path("missing"), &path("missing"))));
}

#[test]
fn error_messages_tell_what_to_do() {
    let program = || PathBuf::from("/opt/claude");
    let source = || io::Error::from(io::ErrorKind::PermissionDenied);
    let cases = [
        (
            SpawnError::ProgramNotFound { program: program() },
            "cannot find the program /opt/claude; install it or correct its path in the settings",
        ),
        (
            SpawnError::NotExecutable { program: program(), source: source() },
            "cannot run /opt/claude (permission denied); make the file executable or choose another",
        ),
        (
            SpawnError::DirectoryMissing { directory: PathBuf::from("/srv/site") },
            "the directory /srv/site is missing or closed to us; restore it or choose another project",
        ),
        (
            SpawnError::Other { program: program(), source: source() },
            "cannot start /opt/claude (permission denied); free memory or processes and try again",
        ),
    ];
    for (error, message) in cases {
        assert_eq!(error.to_string(), message);
    }
}

#[tokio::test]
async fn outlives_the_thread_that_started_it() {
    let runtime = tokio::runtime::Handle::current();
    let start = move || {
        let _context = runtime.enter();
        AgentProcess::spawn(&shell("cat; exit 6")).unwrap()
    };
    let process = thread::spawn(start).join().unwrap();
    assert!(is_alive(process.identity()));
    let patient = StopLadder { close_stdin: Duration::from_secs(20), ..StopLadder::default() };
    assert_eq!(process.stop(&patient).await.exit, Exit::Code(6));
}
