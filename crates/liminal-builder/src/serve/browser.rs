//! Shows the page to whoever started the server. Owns that the one-time code is never on a command line, where every
//! user of the machine could read it.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::process::{Environment, start_detached};

/// The programs by which desktops open a file.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

/// Opens the page if there is somebody at a desktop. Nothing depends on it: the address was printed.
pub(super) fn open(url: &str, data: &Path, environment: &Environment) {
    let Some(opener) = opener(environment) else { return };
    let Ok(page) = write(url, data) else { return };
    if let Err(error) = start_detached(&opener, &[page], environment) {
        tracing::info!(%error, "no browser could be opened");
    }
}

fn opener(environment: &Environment) -> Option<PathBuf> {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment.get(name).is_some());
    let is_watched = io::stdout().is_terminal() && (has_desktop || cfg!(target_os = "macos"));
    is_watched.then(|| OPENERS.iter().find_map(|name| environment.find_program(name))).flatten()
}

/// A page that leads on, which only its owner can read.
fn write(url: &str, data: &Path) -> io::Result<PathBuf> {
    let path = data.join("open.html");
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    write!(
        file,
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={url}\"><title>Liminal Builder</title>"
    )?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn the_code_is_in_a_file_of_its_owner() {
        let data = tempfile::tempdir().unwrap();
        let path = write("http://127.0.0.1:1/#c=secret", data.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(&path).unwrap().contains("url=http://127.0.0.1:1/#c=secret"));
        write("http://127.0.0.1:1/#c=other", data.path()).unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains("secret"));
    }
}
