//! A person at a terminal: the program runs in a pseudo-terminal of its own, sees what is typed, and is seen.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use liminal_builder::clock::Clock;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, tcgetattr};

use crate::support::Running;

const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at a process that ends by itself.
const LOOK: Duration = Duration::from_millis(10);
pub(super) const CTRL_C: &str = "\u{3}";
pub(super) const CTRL_D: &str = "\u{4}";

pub(super) struct Terminal {
    child: Running,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    shown: String,
    /// How much of what is shown was waited for already.
    seen: usize,
    /// The program's side, by which its modes are known.
    line: File,
    before: Modes,
}

/// How a terminal treats what is typed and shown.
type Modes = (u32, u32, u32, u32);

fn modes(line: &File) -> Modes {
    let Termios { input_modes, output_modes, control_modes, local_modes, .. } = tcgetattr(line).unwrap();
    assert!(local_modes.contains(LocalModes::ISIG), "Ctrl-C is a signal");
    (input_modes.bits(), output_modes.bits(), control_modes.bits(), local_modes.bits())
}

impl Terminal {
    /// Starts a program of which a person sees everything.
    pub(super) fn start(command: &Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let line = File::from(open(name, flags, Mode::empty()).unwrap());
        let before = modes(&line);
        let child = Running(in_terminal(command, &line).spawn().unwrap());
        let (keyboard, mut output) = (File::from(master.try_clone().unwrap()), File::from(master));
        let (sender, screen) = channel();
        // Ends with the terminal, or when nobody looks any more.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keyboard, screen, shown: String::new(), seen: 0, line, before }
    }

    pub(super) fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Waits for the first of these texts; returns which one it was.
    fn shows_one_of(&mut self, texts: &[&str]) -> usize {
        let clock = Clock::start();
        loop {
            let new = self.shown.get(self.seen..).unwrap_or_default();
            let places = texts.iter().enumerate();
            let places = places.filter_map(|(which, text)| Some((new.find(text)? + text.len(), which)));
            if let Some((end, which)) = places.min() {
                self.seen += end;
                return which;
            }
            let rest = PATIENCE.saturating_sub(clock.now().mono);
            match self.screen.recv_timeout(rest) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("none of {texts:?} is shown: {:?}", self.shown)
                }
            }
        }
    }

    /// Types an answer, again as long as the request is too new to be answered, and waits for what follows from it.
    pub(super) fn answers(&mut self, line: &str, outcome: &str) {
        loop {
            self.types(line);
            match self.shows_one_of(&["Not taken as an answer", outcome]) {
                0 => {}
                _ => return,
            }
        }
    }

    /// Waits for this text behind the last one that was waited for.
    pub(super) fn shows(&mut self, text: &str) {
        self.shows_one_of(&[text]);
    }

    /// Waits for the end, after which the terminal must be as it was.
    pub(super) fn ends(mut self) -> (ExitStatus, String) {
        let clock = Clock::start();
        let status = loop {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                break status;
            }
            assert!(clock.now().mono < PATIENCE, "it does not end: {:?}", self.shown);
            if let Ok(bytes) = self.screen.recv_timeout(LOOK) {
                self.shown += &String::from_utf8_lossy(&bytes);
            }
        };
        assert_eq!(modes(&self.line), self.before, "the terminal is as it was");
        while let Ok(bytes) = self.screen.recv_timeout(LOOK) {
            self.shown += &String::from_utf8_lossy(&bytes);
        }
        (status, self.shown)
    }
}

/// The same command in a session of its own whose terminal is this one, so that Ctrl-C reaches it as it does a shell's.
#[expect(clippy::disallowed_methods, reason = "the program under test is started by hand")]
fn in_terminal(command: &Command, line: &File) -> Command {
    let mut wrapped = Command::new("setsid");
    wrapped.arg("--ctty").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        wrapped.current_dir(directory);
    }
    let end = || Stdio::from(line.try_clone().unwrap());
    wrapped.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
    wrapped
}
