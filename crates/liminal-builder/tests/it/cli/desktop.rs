//! Somebody starts the server at a desktop: their browser is opened, and it is theirs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::terminal::{CTRL_C, Terminal};
use super::world::World;

/// A server at a terminal of a desktop whose browser is this script.
fn start(world: &World, browser: &str) -> Terminal {
    let programs = world.project().join("bin");
    fs::create_dir(&programs).unwrap();
    let opener = programs.join("xdg-open");
    fs::write(&opener, format!("#!/bin/sh\n{browser}\n")).unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = world.command(&["serve", "--port", "0"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display())).env("DISPLAY", ":0");
    Terminal::start(&command)
}

#[test]
fn a_browser_that_does_not_return_keeps_nobody_waiting_and_goes_on_when_the_server_ends() {
    let world = World::new();
    let mut terminal = start(&world, "cp \"$1\" page; echo $$ > pid.new; mv pid.new pid; exec sleep 1000");
    terminal.shows("Liminal Builder is at");
    let noted = |name: &str| -> PathBuf { world.project().join(name) };
    let browser = world.wait_for(|_| fs::read_to_string(noted("pid")).ok());
    assert!(fs::read_to_string(noted("page")).unwrap().contains("url=http://127.0.0.1:"));
    assert_eq!(world.ask("GET", "/healthz", "").0, 200);
    terminal.types(CTRL_C);
    let (status, shown) = terminal.ends();
    assert_eq!(status.code(), Some(0), "{shown}");
    let browser = Pid::from_raw(browser.trim().parse().unwrap()).unwrap();
    test_kill_process(browser).expect("the browser goes on");
    kill_process(browser, Signal::KILL).unwrap();
}

#[test]
fn a_server_that_is_asked_to_end_as_soon_as_it_tells_where_it_is_ends_well() {
    let world = World::new();
    let (status, shown) = start(&world, "kill -TERM $PPID").ends();
    assert_eq!(status.code(), Some(0), "{shown}");
    assert!(!world.data().join("server.json").exists());
}
