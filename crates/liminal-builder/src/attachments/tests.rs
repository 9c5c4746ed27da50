use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;
use crate::clock;

fn at(days: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * (20_000 + days))
}

fn upload(content: &[u8]) -> Upload {
    Upload { name: "../../a b.png".to_owned(), mime_type: "image/png".to_owned(), content: content.to_vec() }
}

fn new_id() -> AttachmentId {
    AttachmentId::from(clock::new_session_uuid())
}

struct World {
    data: tempfile::TempDir,
    files: Attachments,
    session: SessionId,
}

impl World {
    fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let files = Attachments::kept_in(data.path());
        Self { data, files, session: SessionId::from("demo:one") }
    }

    async fn add(&self, day: i64) -> AttachmentId {
        self.files.add(&self.session, upload(b"bytes"), new_id(), at(day)).await.unwrap().id.unwrap()
    }

    async fn mark(&self, id: &AttachmentId, used: Use, day: i64) {
        self.files.mark(&self.session, vec![id.clone()], used, at(day)).await.unwrap();
    }

    /// How many files lie on the disk.
    fn on_disk(&self) -> usize {
        let folders = fs::read_dir(self.data.path().join("attachments")).into_iter().flatten();
        folders.map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count()).sum()
    }
}

#[tokio::test]
async fn a_file_is_kept_for_this_user_alone_and_found_by_a_later_server() {
    let world = World::new();
    let id = world.add(0).await;
    let root = world.data.path().join("attachments");
    let folder = fs::read_dir(&root).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&root), mode(&folder)), (0o700, 0o700));
    for file in fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    let later = Attachments::kept_in(world.data.path());
    let read = later.read(&world.session, id.clone()).await.unwrap();
    assert_eq!((&*read.content, read.shown.id), (&b"bytes"[..], Some(id)));
    assert_eq!((read.shown.name.as_str(), read.shown.bytes), ("../../a b.png", 5));
}

#[tokio::test]
async fn an_id_that_we_did_not_make_is_none_and_another_sessions_is_not_found() {
    let world = World::new();
    let id = world.add(0).await;
    let other = SessionId::from("demo:two");
    assert!(matches!(world.files.read(&other, id.clone()).await, Err(AttachmentError::NotFound(_))));
    fs::write(world.data.path().join("secret.json"), "{}").unwrap();
    let upper = id.as_str().to_uppercase();
    for strange in ["", ".", "../../secret", "..", "a/b", "secret\0", upper.as_str()] {
        let strange = AttachmentId::from(strange);
        assert!(matches!(
            world.files.read(&world.session, strange.clone()).await,
            Err(AttachmentError::NotFound(_))
        ));
        assert!(matches!(
            world.files.remove(&world.session, strange).await,
            Err(AttachmentError::NotFound(_))
        ));
    }
}

#[tokio::test]
async fn what_nobody_sends_for_a_week_is_swept_and_what_was_sent_stays() {
    let world = World::new();
    let (old, sent, taken_out) = (world.add(0).await, world.add(0).await, world.add(0).await);
    world.mark(&sent, Use::Sent, 0).await;
    world.mark(&taken_out, Use::Waits("one".to_owned()), 0).await;
    world.mark(&taken_out, Use::GivenUp("one".to_owned()), 5).await;
    // Once a day it is looked for with an upload.
    let new = world.add(8).await;
    let find = |id: &AttachmentId| world.files.describe(&world.session, vec![id.clone()]);
    assert!(matches!(find(&old).await, Err(AttachmentError::NotFound(_))));
    for kept in [&sent, &taken_out, &new] {
        find(kept).await.unwrap();
    }
    world.files.sweep(at(30)).await.unwrap();
    assert!(find(&taken_out).await.is_err() && find(&new).await.is_err());
    find(&sent).await.unwrap();
    assert_eq!(world.on_disk(), 2);
}

#[tokio::test]
async fn a_file_stays_as_long_as_any_message_has_it() {
    let world = World::new();
    let (again, twice) = (world.add(0).await, world.add(0).await);
    world.mark(&again, Use::Sent, 0).await;
    for (message, id) in [("one", &again), ("one", &twice), ("two", &twice)] {
        world.mark(id, Use::Waits(message.to_owned()), 0).await;
    }
    for id in [&again, &twice] {
        world.mark(id, Use::GivenUp("one".to_owned()), 0).await;
        let removed = world.files.remove(&world.session, id.clone()).await;
        assert!(matches!(removed, Err(AttachmentError::Sent)), "{removed:?}");
    }
    world.files.sweep(at(30)).await.unwrap();
    assert_eq!(world.on_disk(), 4);
    world.mark(&twice, Use::GivenUp("two".to_owned()), 0).await;
    world.files.remove(&world.session, twice).await.unwrap();
    assert_eq!(world.on_disk(), 2);
}

#[tokio::test]
async fn a_shared_file_has_its_bytes_once_and_outlives_the_session_it_came_from() {
    let world = World::new();
    let (id, fork) = (world.add(0).await, SessionId::from("demo:fork"));
    let asked = [id.clone(), new_id(), AttachmentId::from("../x")].into();
    let shared = world.files.share(&world.session, &fork, asked, at(0)).await.unwrap();
    assert_eq!(shared, [id.clone()].into());
    let place = |session| world.data.path().join("attachments").join(folder_name(session)).join(id.as_str());
    let inode = |session| fs::metadata(place(session)).unwrap().ino();
    assert_eq!(inode(&world.session), inode(&fork));
    world.files.forget(&world.session).await.unwrap();
    world.files.sweep(at(30)).await.unwrap();
    assert_eq!(&*world.files.read(&fork, id.clone()).await.unwrap().content, b"bytes");
    assert!(matches!(world.files.remove(&fork, id.clone()).await, Err(AttachmentError::Sent)));
}

#[tokio::test]
async fn half_of_a_file_is_none_and_is_swept() {
    let world = World::new();
    let id = world.add(0).await;
    let folder = world.data.path().join("attachments").join(folder_name(&world.session));
    fs::remove_file(folder.join(format!("{id}.json"))).unwrap();
    fs::write(folder.join(format!("{}.half", new_id())), "{").unwrap();
    assert!(matches!(world.files.read(&world.session, id).await, Err(AttachmentError::NotFound(_))));
    // The files are as old as the machine's clock says, which is later than that of the test.
    world.files.sweep(at(400_000)).await.unwrap();
    assert!(!folder.exists());
}

#[tokio::test]
async fn so_many_wait_and_no_more_and_all_go_with_their_session() {
    let world = World::new();
    let mut ids = Vec::new();
    for _ in 0..MOST_UNSENT {
        ids.push(world.add(0).await);
    }
    let add = || world.files.add(&world.session, upload(b""), new_id(), at(0));
    assert!(matches!(add().await, Err(AttachmentError::TooMany)));
    world.files.remove(&world.session, ids.pop().unwrap()).await.unwrap();
    add().await.unwrap();
    world.files.mark(&world.session, ids.clone(), Use::Sent, at(0)).await.unwrap();
    add().await.unwrap();
    assert!(matches!(
        world.files.remove(&world.session, ids.pop().unwrap()).await,
        Err(AttachmentError::Sent)
    ));
    world.files.forget(&world.session).await.unwrap();
    world.files.forget(&world.session).await.unwrap();
    assert_eq!(world.on_disk(), 0);
}
