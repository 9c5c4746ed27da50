//! A simulated disk below the real database: slow, full, failing, or without power at any moment. Owns the files of one
//! run, what of them is synced, and what a server that dies leaves of them.
//!
//! Between two lives only the write-ahead log grows, so what was synced is a beginning of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use liminal_builder::log::LogError;
use liminal_builder::log::sqlite::{Hands, Settings, SqliteLog};
use tokio::time::{Instant, sleep_until};

use super::super::figures::Chance;
use super::world::{World, millis, pause, seconds};

const DATABASE: &str = "liminal.db";
const WRITE_AHEAD: &str = "liminal.db-wal";

/// The files of one run.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    world: World,
    place: Arc<Mutex<Place>>,
}

#[derive(Debug)]
struct Place {
    root: tempfile::TempDir,
    life: usize,
    synced: u64,
    /// How long the write-ahead log was after each write since.
    written: Vec<u64>,
}

/// What is left of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Death {
    /// It was stopped, and has left one whole file.
    Stopped,
    /// Everything that was written is there.
    Killed,
    /// Everything that was synced is there, and of the rest a beginning.
    PowerLost,
}

impl Disk {
    pub(super) fn new(world: &World, template: &[u8]) -> Self {
        let root = directory();
        let place = Place { root, life: 0, synced: 0, written: Vec::new() };
        fs::create_dir(place.directory()).unwrap();
        fs::write(place.directory().join(DATABASE), template).unwrap();
        Self { world: world.clone(), place: Arc::new(Mutex::new(place)) }
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.place.lock().unwrap().directory()
    }

    pub(super) fn open(&self) -> (SqliteLog, Hands) {
        let opened = SqliteLog::by_hand(&self.directory().join(DATABASE), Settings::default()).unwrap();
        self.sync();
        opened
    }

    /// Writes and syncs until the log is closed.
    pub(super) async fn work(self, mut hands: Hands) {
        let mut chance = self.world.chance();
        let mut sync_at: Option<Instant> = None;
        loop {
            if sync_at.is_none() && hands.is_unsynced() {
                sync_at = Some(Instant::now() + millis(chance.below(25)));
            }
            tokio::select! {
                biased;
                () = sleep_until(sync_at.unwrap_or_else(Instant::now)), if sync_at.is_some() => {
                    sync_at = None;
                    let result = self.try_to_sync(&mut chance);
                    hands.synced(&result);
                }
                is_asked = hands.asked() => {
                    if !is_asked {
                        return;
                    }
                    self.write(&mut hands, &mut chance).await;
                }
            }
        }
    }

    async fn write(&self, hands: &mut Hands, chance: &mut Chance) {
        match chance.below(200) {
            0 if !self.world.is_healed() => {
                self.world.fault("slow disk", "disk");
                pause(seconds(chance.below(8))).await;
            }
            1..40 => pause(millis(chance.below(10))).await,
            _ => {}
        }
        match self.fault(chance) {
            Some(error) => hands.refuse(error),
            None => hands.write(),
        }
        let mut place = self.place.lock().unwrap();
        let length = length(&place.directory().join(WRITE_AHEAD));
        place.written.push(length);
        drop(place);
        self.world.count("writes");
    }

    /// One that fails takes nothing back of what was written.
    fn try_to_sync(&self, chance: &mut Chance) -> Result<(), LogError> {
        if chance.one_in(300) && !self.world.is_healed() {
            self.world.fault("sync failed", "disk");
            return Err(LogError::Failed("a simulated disk that does not sync".to_owned()));
        }
        self.sync();
        Ok(())
    }

    fn fault(&self, chance: &mut Chance) -> Option<LogError> {
        if self.world.is_healed() || !chance.one_in(80) {
            return None;
        }
        if chance.one_in(3) {
            self.world.fault("disk failed", "disk");
            return Some(LogError::Failed("a simulated fault of the disk".to_owned()));
        }
        self.world.fault("disk full", "disk");
        Some(LogError::Full)
    }

    fn sync(&self) {
        let mut place = self.place.lock().unwrap();
        place.synced = length(&place.directory().join(WRITE_AHEAD));
        place.written.clear();
    }

    /// Leaves to the next server what this one has left; to be called while nothing of it has been dropped.
    pub(super) fn survive(&self, death: Death) {
        let mut place = self.place.lock().unwrap();
        let before = place.directory();
        let kept = match death {
            Death::Stopped => return,
            Death::Killed => length(&before.join(WRITE_AHEAD)),
            Death::PowerLost => place.left_of(&mut self.world.chance()),
        };
        let writes = place.written.len();
        self.world.note(format_args!("{death:?}, {writes} writes after the last sync"));
        place.life += 1;
        let after = place.directory();
        fs::create_dir(&after).unwrap();
        fs::copy(before.join(DATABASE), after.join(DATABASE)).unwrap();
        let log = fs::read(before.join(WRITE_AHEAD)).unwrap_or_default();
        fs::write(after.join(WRITE_AHEAD), &log[..usize::try_from(kept).unwrap()]).unwrap();
        if death == Death::PowerLost {
            start_machine_again(&after.join(DATABASE));
        }
    }
}

impl Place {
    /// What was synced and some of the writes since, the last of them perhaps in part. Counted in writes and not in bytes,
    /// because ids and times make files of different lengths.
    fn left_of(&self, chance: &mut Chance) -> u64 {
        let whole = chance.index(self.written.len() + 1);
        let kept = whole.checked_sub(1).map_or(self.synced, |last| self.written[last]);
        let torn = self.written.get(whole).filter(|_| chance.one_in(2)).map_or(0, |next| (next - kept) / 2);
        kept + torn
    }

    fn directory(&self) -> PathBuf {
        self.root.path().join(self.life.to_string())
    }
}

/// In memory where there is such a place: it is the simulated disk that is slow, not this one.
pub(super) fn directory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len())
}

/// The machine has another life, too.
fn start_machine_again(database: &Path) {
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.execute("UPDATE meta SET value = 'another' WHERE name = 'boot'", []).unwrap();
}
