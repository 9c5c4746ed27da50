//! A disk of a few mebibytes that only its servers see, so that it can be full. Owns a mount namespace of its own, which
//! needs no rights that a user does not have.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::world::{Server, World};
use crate::support::Running;

/// Mounts the disk, says so and stays until its input ends.
const MOUNT: &str = r#"mount -t tmpfs -o "size=$1,mode=700" tmpfs "$2" && echo mounted && exec cat"#;

pub(super) struct SmallDisk {
    /// Keeps the namespace.
    holder: Running,
    /// Where its servers see it.
    place: PathBuf,
}

impl SmallDisk {
    #[expect(clippy::disallowed_methods, reason = "the namespace is of this test, which ends it")]
    pub(super) fn mount(place: &Path, size: &str) -> Self {
        fs::create_dir(place).unwrap();
        let mut unshare = Command::new("unshare");
        unshare.args(["-Urm", "sh", "-c", MOUNT, "sh", size]).arg(place);
        unshare.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = Running(unshare.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(holder.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "mounted\n", "a mount namespace is needed (unshare -Urm)");
        Self { holder, place: place.to_owned() }
    }

    /// Starts a server that has its data there.
    pub(super) fn start(&self, world: &World) -> Server {
        world.start_seen(self.enter(&world.command()), &self.path())
    }

    /// The command, run where the disk is seen.
    #[expect(clippy::disallowed_methods, reason = "the program under test is started by hand")]
    fn enter(&self, command: &Command) -> Command {
        let mut nsenter = Command::new("nsenter");
        nsenter.args(["-U", "-m", "--preserve-credentials", "-t"]).arg(self.holder.0.id().to_string());
        nsenter.arg(command.get_program()).args(command.get_args());
        nsenter.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        nsenter.stdin(Stdio::null()).stdout(Stdio::piped());
        nsenter
    }

    /// The disk as this process sees it.
    pub(super) fn path(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.0.id()));
        root.join(self.place.strip_prefix("/").unwrap())
    }

    /// Takes all the room that is left, until what is given back is dropped.
    pub(super) fn fill(&self) -> Filler {
        let path = self.path().join("filler");
        let mut file = File::create(&path).unwrap();
        let full = std::iter::repeat_with(|| file.write(&[0; 4096])).find_map(Result::err).unwrap();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        Filler(path)
    }
}

pub(super) struct Filler(PathBuf);

impl Drop for Filler {
    fn drop(&mut self) {
        fs::remove_file(&self.0).unwrap();
    }
}
