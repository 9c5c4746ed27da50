//! The folder of one session's files. Owns what they are called on disk, and that half of one is none.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use liminal_core::dialect::AttachedFile;
use liminal_core::event::Attachment;
use liminal_core::ids::AttachmentId;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AttachmentError, Upload, Use};
use crate::private_file;

const TOLD: &str = "json";
const HALF: &str = "half";

/// What is kept of a file beside its bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Kept {
    pub(super) shown: Attachment,
    is_sent: bool,
    /// The ids of the messages that wait to be sent with it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    waiting: BTreeSet<String>,
    /// When it came, or when that last changed.
    since_ms: i64,
}

impl Kept {
    /// Whether a message has it.
    pub(super) fn is_used(&self) -> bool {
        self.is_sent || !self.waiting.is_empty()
    }

    /// Whether that changed anything.
    fn is_changed_by(&mut self, used: &Use) -> bool {
        match used {
            Use::Sent => !std::mem::replace(&mut self.is_sent, true),
            Use::Waits(message) => self.waiting.insert(message.clone()),
            Use::GivenUp(message) => self.waiting.remove(message),
        }
    }
}

#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Nothing is lost when this comes back, nor is there anything before.
    pub(super) fn add(
        &self,
        upload: Upload,
        id: AttachmentId,
        now: Timestamp,
    ) -> Result<Attachment, AttachmentError> {
        let place = self.place(&id)?;
        private_file::make_directory(&self.0)?;
        let Upload { name, mime_type, content } = upload;
        let shown = Attachment { id: Some(id), name, mime_type, bytes: content.len() as u64 };
        let since_ms = now.as_millisecond();
        let kept = Kept { shown: shown.clone(), is_sent: false, waiting: BTreeSet::new(), since_ms };
        let result = write(&place, &content).and_then(|()| self.tell(&place, &kept));
        if let Err(error) = result {
            // A disk that is full has room again for what is whole.
            fs::remove_file(&place).ok();
            return Err(error.into());
        }
        Ok(shown)
    }

    pub(super) fn find(&self, id: &AttachmentId) -> Result<Kept, AttachmentError> {
        let missing = || AttachmentError::NotFound(id.clone());
        match fs::read(self.place(id)?.with_extension(TOLD)) {
            Ok(text) => serde_json::from_slice(&text).map_err(|_| missing()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn read(&self, id: &AttachmentId) -> Result<AttachedFile, AttachmentError> {
        let shown = self.find(id)?.shown;
        let content = fs::read(self.place(id)?)?;
        Ok(AttachedFile { shown, content: content.into() })
    }

    pub(super) fn mark(&self, id: &AttachmentId, used: &Use, now: Timestamp) -> Result<(), AttachmentError> {
        let mut kept = match self.find(id) {
            Ok(kept) => kept,
            Err(AttachmentError::NotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        if kept.is_changed_by(used) {
            self.tell(&self.place(id)?, &Kept { since_ms: now.as_millisecond(), ..kept })?;
        }
        Ok(())
    }

    /// Takes over a sent file. Nobody writes into the bytes of one, so that both may have the same.
    pub(super) fn take_over(
        &self,
        from: &Self,
        id: &AttachmentId,
        now: Timestamp,
    ) -> Result<(), AttachmentError> {
        let Kept { shown, .. } = from.find(id)?;
        let (theirs, ours) = (from.place(id)?, self.place(id)?);
        private_file::make_directory(&self.0)?;
        // Not every file system has links.
        fs::hard_link(&theirs, &ours).or_else(|_| write(&ours, &fs::read(&theirs)?))?;
        let kept = Kept { shown, is_sent: true, waiting: BTreeSet::new(), since_ms: now.as_millisecond() };
        Ok(self.tell(&ours, &kept)?)
    }

    /// What is told of it goes first: without that it is gone.
    pub(super) fn remove(&self, id: &AttachmentId) -> Result<(), AttachmentError> {
        let place = self.place(id)?;
        fs::remove_file(place.with_extension(TOLD))?;
        Ok(fs::remove_file(place)?)
    }

    pub(super) fn remove_all(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    pub(super) fn unsent(&self) -> io::Result<usize> {
        Ok(self.all()?.filter(|kept| !kept.is_used()).count())
    }

    fn all(&self) -> io::Result<impl Iterator<Item = Kept>> {
        let told = files(&self.0)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == TOLD));
        Ok(told.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()))
    }

    /// An id is one that we made, or none: it becomes a part of a path.
    fn place(&self, id: &AttachmentId) -> Result<PathBuf, AttachmentError> {
        let own = Uuid::try_parse(id.as_str()).ok().map(|uuid| uuid.hyphenated().to_string());
        match own.filter(|own| own == id.as_str()) {
            Some(own) => Ok(self.0.join(own)),
            None => Err(AttachmentError::NotFound(id.clone())),
        }
    }

    /// In one step, so that nobody reads half of it.
    fn tell(&self, place: &Path, kept: &Kept) -> io::Result<()> {
        let half = place.with_extension(HALF);
        fs::remove_file(&half).or_else(unless_missing)?;
        write(&half, &serde_json::to_vec(kept)?)?;
        fs::rename(half, place.with_extension(TOLD))?;
        File::open(&self.0)?.sync_all()
    }

    fn sweep(&self, before: Timestamp) -> io::Result<()> {
        let old: Vec<Kept> =
            self.all()?.filter(|kept| !kept.is_used() && kept.since_ms < before.as_millisecond()).collect();
        for id in old.into_iter().filter_map(|kept| kept.shown.id) {
            self.remove(&id).ok();
        }
        for path in files(&self.0)? {
            let is_half = path.extension().is_none_or(|end| end == HALF)
                && !path.with_extension(TOLD).exists()
                && modified(&path).is_some_and(|modified| modified < before);
            if is_half {
                fs::remove_file(path).or_else(unless_missing)?;
            }
        }
        // Only an empty one goes.
        fs::remove_dir(&self.0).ok();
        Ok(())
    }
}

/// Removes what nobody sent since before then, in all folders.
pub(super) fn sweep(root: &Path, before: Timestamp) -> io::Result<()> {
    files(root)?.into_iter().try_for_each(|path| Folder::new(path).sweep(before))
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn modified(path: &Path) -> Option<Timestamp> {
    Timestamp::try_from(fs::symlink_metadata(path).ok()?.modified().ok()?).ok()
}

fn unless_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// A new file for this user alone, down to the disk.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).custom_flags(no_follow).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}
