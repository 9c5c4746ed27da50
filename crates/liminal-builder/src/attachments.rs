//! Files that were uploaded for messages. Owns where they lie, who may read them and how long they stay. What people
//! call a file is kept in it and is never a name on disk; what a file is good for is not known here.
//!
//! Each has two files in the folder of its session: its bytes, and then what is told of it, without which it does not
//! exist.

mod folder;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use liminal_core::dialect::AttachedFile;
use liminal_core::event::Attachment;
use liminal_core::ids::{AttachmentId, SessionId};
use sha2::{Digest, Sha256};

use folder::Folder;

/// So many files of a session may wait to be sent.
const MOST_UNSENT: usize = 50;
/// What nobody sends for so long is forgotten.
const UNSENT_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
const BETWEEN_SWEEPS: SignedDuration = SignedDuration::from_hours(24);

/// Why something could not be done with a file.
#[derive(Debug, thiserror::Error)]
pub enum AttachmentError {
    /// There is none of this name in this session.
    #[error("there is no file {0} in this session any more; attach it again")]
    NotFound(AttachmentId),
    /// A message has it.
    #[error("the file was sent with a message, and goes with its session")]
    Sent,
    /// So many wait already.
    #[error("{MOST_UNSENT} files of this session wait to be sent; send or remove some")]
    TooMany,
    /// The disk did not do as told.
    #[error("cannot keep the file: {0}")]
    Disk(#[from] io::Error),
}

/// A file as it comes.
#[derive(Debug, Clone)]
pub struct Upload {
    /// What it is called.
    pub name: String,
    /// What kind it is.
    pub mime_type: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// What a message does with a file; several may have the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// It was sent with it, and the file goes with its session.
    Sent,
    /// It waits, under this id, to be sent with it.
    Waits(String),
    /// It waited under this id, and will not be sent.
    GivenUp(String),
}

/// All files of this server; clones are the same.
#[derive(Debug, Clone)]
pub struct Attachments {
    root: PathBuf,
    swept: Arc<Mutex<Option<Timestamp>>>,
    /// Held while it is decided by what is told of a file what is told of it next.
    changing: Arc<Mutex<()>>,
}

impl Attachments {
    /// Those below a data directory.
    #[must_use]
    pub fn kept_in(data: &Path) -> Self {
        Self { root: data.join("attachments"), swept: Arc::default(), changing: Arc::default() }
    }

    /// Keeps a file; it is on disk when this resolves. Once a day, those that nobody sent are looked for.
    pub async fn add(
        &self,
        session: &SessionId,
        upload: Upload,
        id: AttachmentId,
        now: Timestamp,
    ) -> Result<Attachment, AttachmentError> {
        if self.is_sweep_due(now) {
            self.sweep(now).await?;
        }
        self.with(session, move |folder| {
            if folder.unsent()? >= MOST_UNSENT {
                return Err(AttachmentError::TooMany);
            }
            folder.add(upload, id, now)
        })
        .await
    }

    /// What is told of files, in the order of their names.
    pub async fn describe(
        &self,
        session: &SessionId,
        ids: Vec<AttachmentId>,
    ) -> Result<Vec<Attachment>, AttachmentError> {
        self.with(session, move |folder| ids.iter().map(|id| Ok(folder.find(id)?.shown)).collect()).await
    }

    /// A file with its bytes.
    pub async fn read(&self, session: &SessionId, id: AttachmentId) -> Result<AttachedFile, AttachmentError> {
        self.with(session, move |folder| folder.read(&id)).await
    }

    /// Notes what a message does with files. Those that are gone are nobody's.
    pub async fn mark(
        &self,
        session: &SessionId,
        ids: Vec<AttachmentId>,
        used: Use,
        now: Timestamp,
    ) -> Result<(), AttachmentError> {
        self.change(session, move |folder| ids.iter().try_for_each(|id| folder.mark(id, &used, now))).await
    }

    /// Removes a file that no message has.
    pub async fn remove(&self, session: &SessionId, id: AttachmentId) -> Result<(), AttachmentError> {
        self.change(session, move |folder| match folder.find(&id)?.is_used() {
            true => Err(AttachmentError::Sent),
            false => Ok(folder.remove(&id)?),
        })
        .await
    }

    /// Gives files of a session to another one too, as sent ones, and tells which of them there are. They take no room
    /// of their own, and stay when the other session goes.
    pub async fn share(
        &self,
        from: &SessionId,
        to: &SessionId,
        ids: BTreeSet<AttachmentId>,
        now: Timestamp,
    ) -> Result<BTreeSet<AttachmentId>, AttachmentError> {
        let from = self.folder(from);
        self.change(to, move |folder| {
            let mut shared = BTreeSet::new();
            for id in ids {
                match folder.take_over(&from, &id, now) {
                    Ok(()) => drop(shared.insert(id)),
                    Err(AttachmentError::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(shared)
        })
        .await
    }

    /// Removes all files of a session.
    pub async fn forget(&self, session: &SessionId) -> Result<(), AttachmentError> {
        self.with(session, |folder| Ok(folder.remove_all()?)).await
    }

    /// Removes what nobody sent for long, in all sessions.
    pub async fn sweep(&self, now: Timestamp) -> Result<(), AttachmentError> {
        *self.swept.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        let root = self.root.clone();
        blocking(move || Ok(folder::sweep(&root, now - UNSENT_KEPT)?)).await
    }

    fn is_sweep_due(&self, now: Timestamp) -> bool {
        let swept = *self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        swept.is_none_or(|swept| now.duration_since(swept) > BETWEEN_SWEEPS)
    }

    async fn with<T: Send + 'static>(
        &self,
        session: &SessionId,
        work: impl FnOnce(&Folder) -> Result<T, AttachmentError> + Send + 'static,
    ) -> Result<T, AttachmentError> {
        let folder = self.folder(session);
        blocking(move || work(&folder)).await
    }

    async fn change<T: Send + 'static>(
        &self,
        session: &SessionId,
        work: impl FnOnce(&Folder) -> Result<T, AttachmentError> + Send + 'static,
    ) -> Result<T, AttachmentError> {
        let changing = Arc::clone(&self.changing);
        self.with(session, move |folder| {
            let _alone = changing.lock().unwrap_or_else(PoisonError::into_inner);
            work(folder)
        })
        .await
    }

    fn folder(&self, session: &SessionId) -> Folder {
        Folder::new(self.root.join(folder_name(session)))
    }
}

/// A session's id may hold anything; what stands for it on disk may not.
fn folder_name(session: &SessionId) -> String {
    Sha256::digest(session.as_str()).iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, AttachmentError> + Send + 'static,
) -> Result<T, AttachmentError> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests;
