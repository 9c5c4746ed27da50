//! Recordings of agents and what they give, reviewed and kept. `UPDATE=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use liminal_core::dialect::Notice;
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::processor::{Config, Dropped, Profile};
use liminal_core::replay::{Audience, EventLines, Recording, UpsertLines};
use liminal_core::time::Now;
use serde_json::Value;

use crate::directories::names_in;

/// One test for each recording of a folder, by its name and by `check`.
macro_rules! recordings {
    ($($name:ident)+) => {
        $crate::directories::one_test_each! { FOLDER.names(); check; $($name)+ }
    };
}
pub(crate) use recordings;

/// The recordings of one kind of agent.
pub(crate) struct Folder(pub(crate) &'static str);

impl Folder {
    fn path(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(self.0)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        names_in(&self.path())
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name).join("in.ndjson")).unwrap()
    }

    pub(crate) fn recording(&self, name: &str) -> Recording {
        Recording::read(&self.text(name)).unwrap()
    }

    pub(crate) fn compare(&self, name: &str, file: &str, found: &str) {
        let path = self.path().join(name).join(file);
        if std::env::var_os("UPDATE").is_some() {
            return fs::write(path, found).unwrap();
        }
        let expected =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "line {} of {}", number + 1, path.display());
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "lines of {}", path.display());
    }
}

pub(crate) fn event_lines(played: impl Fn(&mut dyn Audience)) -> String {
    let mut lines = EventLines::default();
    played(&mut lines);
    String::from_utf8(lines.bytes().to_vec()).unwrap()
}

pub(crate) fn upsert_lines(played: impl Fn(&mut dyn Audience)) -> String {
    let config = Config::new(Profile::UpsertV1).announcing_arguments();
    let mut lines = UpsertLines::new(config, Profile::UpsertV1);
    played(&mut lines);
    assert_eq!(lines.turns().dropped(), Dropped::default(), "the processor understands every event");
    String::from_utf8(lines.bytes().to_vec()).unwrap()
}

/// What the session is told beside the events.
pub(crate) fn notices(played: impl Fn(&mut dyn Audience)) -> Vec<Notice> {
    struct Notices(Vec<Notice>);

    impl Audience for Notices {
        fn advance(&mut self, _: Now) {}
        fn event(&mut self, _: &StreamEventEnvelope, _: Now) {}
        fn end(&mut self, _: Now) {}

        fn notice(&mut self, notice: &Notice) {
            self.0.push(notice.clone());
        }
    }

    let mut notices = Notices(Vec::new());
    played(&mut notices);
    notices.0
}

pub(crate) fn parsed(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
