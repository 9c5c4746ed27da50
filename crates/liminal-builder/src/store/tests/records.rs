use liminal_core::ids::{ProjectId, SessionId};
use liminal_core::wire::projects::Trust;

use super::*;

fn project(id: &str, path: &str) -> ProjectRow {
    let (trust, trust_hash) = (Trust::Unknown, None);
    ProjectRow { id: id.into(), path: path.into(), name: format!("name of {id}"), trust, trust_hash }
}

fn session(id: &str, project: Option<&str>, updated: i64) -> SessionRow {
    let made = "2026-01-31T12:00:00.123456789Z".parse().unwrap();
    let row = SessionRow::new(id.into(), "claude-code", "/home/dev/ünï".into(), made);
    SessionRow { project_id: project.map(ProjectId::from), updated_at: at(updated), ..row }
}

#[tokio::test]
async fn projects_stay_in_the_order_in_which_they_came() {
    let world = World::new();
    for (id, path, is_new) in [("z", "/z", true), ("a", "/a", true), ("b", "/a", false), ("a", "/c", false)] {
        assert_eq!(world.store.add_project(project(id, path)).await.unwrap(), is_new, "{id} {path}");
    }
    let (trust, hash) = (Trust::Trusted, Some("hash".to_owned()));
    assert!(world.store.decide_trust(&"z".into(), trust, hash.clone()).await.unwrap());
    assert!(!world.store.decide_trust(&"b".into(), trust, None).await.unwrap());
    let world = world.restarted().await;
    let trusted = ProjectRow { trust, trust_hash: hash, ..project("z", "/z") };
    assert_eq!(world.store.projects().await.unwrap(), [trusted.clone(), project("a", "/a")]);
    assert_eq!(world.store.project(&"z".into()).await.unwrap(), Some(trusted));
    assert_eq!(world.store.project(&"b".into()).await.unwrap(), None);
    assert!(world.store.remove_project(&"z".into()).await.unwrap());
    assert!(!world.store.remove_project(&"z".into()).await.unwrap());
    assert!(world.store.add_project(project("y", "/z")).await.unwrap(), "a removed path is free again");
    let ids: Vec<_> = world.store.projects().await.unwrap().into_iter().map(|project| project.id).collect();
    assert_eq!(ids, ["a".into(), ProjectId::from("y")]);
}

#[tokio::test]
async fn sessions_are_read_back_as_they_were_saved_the_newest_first() {
    let world = World::new();
    let rows = [
        session("s1", Some("p"), 3),
        session("s2", Some("p"), 5),
        session("s3", Some("other"), 9),
        session("s4", None, 7),
        session("s5", Some("p"), -4),
    ];
    for row in &rows {
        world.store.save_session(row.clone()).await.unwrap();
    }
    let world = world.restarted().await;
    let names = async |world: &World| {
        let rows = world.store.sessions_of(&"p".into()).await.unwrap();
        rows.into_iter().map(|row| row.session_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&world).await, ["s2", "s1", "s5"]);
    for row in &rows {
        assert_eq!(world.store.session(&row.session_id).await.unwrap().as_ref(), Some(row));
    }
    let touched = SessionChange::Touched { at: at(6), has_failed: Some(true) };
    assert!(world.store.change_session(&"s5".into(), touched).await.unwrap());
    assert_eq!(names(&world).await, ["s5", "s2", "s1"]);
    world.store.save_session(session("s2", Some("other"), 5)).await.unwrap();
    assert_eq!(names(&world).await, ["s5", "s1"], "saving again replaces");
}

#[tokio::test]
async fn every_change_changes_only_what_it_says() {
    let world = World::new();
    let before = session("s", Some("p"), 5);
    world.store.save_session(before.clone()).await.unwrap();
    let options = StoredOptions {
        model: Some("model".to_owned()),
        permission_mode: Some("plan".to_owned()),
        extra_directories: vec!["/extra".into()],
        is_unguarded: true,
        initial_mode: Some("default".to_owned()),
        forked_from: Some("other".into()),
        forked_through: Some("answer".to_owned()),
    };
    let after = SessionRow {
        title: Some("Title".to_owned()),
        title_source: TitleSource::Agent,
        is_archived: true,
        was_killed: true,
        has_failed: true,
        options: options.clone(),
        stamp: Some("stamp".to_owned()),
        updated_at: at(8),
        ..before
    };
    for change in [
        SessionChange::Title("Title".to_owned(), TitleSource::Agent),
        SessionChange::Archived(true),
        SessionChange::Killed(true),
        SessionChange::Touched { at: at(8), has_failed: Some(true) },
        SessionChange::Touched { at: at(7), has_failed: None },
        SessionChange::Options(options),
        SessionChange::Stamp(Some("stamp".to_owned())),
    ] {
        assert!(world.store.change_session(&"s".into(), change.clone()).await.unwrap(), "{change:?}");
        assert!(!world.store.change_session(&"nobody".into(), change).await.unwrap());
    }
    let world = world.after_kill();
    assert_eq!(world.store.session(&"s".into()).await.unwrap(), Some(after));
}

#[tokio::test]
async fn a_title_gives_way_to_one_that_counts_as_much_or_more() {
    use TitleSource::{Agent, Prompt, User};
    let world = World::new();
    let id = SessionId::from("s");
    world.store.save_session(session("s", None, 1)).await.unwrap();
    let steps = [
        (Prompt, "Prompt"),
        (Prompt, "Prompt 2"),
        (Agent, "Agent"),
        (Prompt, "Agent"),
        (Agent, "Agent 2"),
        (User, "User"),
        (Agent, "User"),
        (Prompt, "User"),
        (User, "User 2"),
    ];
    for (number, (source, expected)) in steps.into_iter().enumerate() {
        let is_kept = expected.starts_with(&format!("{source:?}"));
        let title = if is_kept { expected.to_owned() } else { format!("unwanted {number}") };
        world.store.change_session(&id, SessionChange::Title(title, source)).await.unwrap();
        let found = world.store.session(&id).await.unwrap().unwrap();
        assert_eq!(found.title.as_deref(), Some(expected), "step {number}");
    }
}

#[tokio::test]
async fn a_session_goes_with_all_that_belongs_to_it() {
    let world = World::new();
    for id in ["s1", "s2"] {
        let session_id = SessionId::from(id);
        world.store.save_session(session(id, Some("p"), 1)).await.unwrap();
        world.store.enqueue(&session_id, queued("q", "wait"), 5).await.unwrap();
        world.store.begin_receipt(id, "key", "digest", at(1)).await.unwrap();
        let (turn_id, message) = (format!("turn of {id}").into(), "go".to_owned());
        let delivery = Delivery {
            turn_id,
            session_id,
            message,
            client_message_id: None,
            attachments: Vec::new(),
            at: at(1),
        };
        assert!(world.store.begin_delivery(delivery, None).await.unwrap());
    }
    world.store.remove_session(&"s1".into()).await.unwrap();
    world.store.remove_session(&"nobody".into()).await.unwrap();
    let world = world.after_kill();
    assert_eq!(world.store.session(&"s1".into()).await.unwrap(), None);
    for (id, waiting) in [("s1", 0), ("s2", 1)] {
        assert_eq!(world.store.queue(&id.into()).await.unwrap().len(), waiting, "{id}");
    }
    assert_eq!(world.store.unfinished_receipts().await.unwrap(), [("s2".to_owned(), "key".to_owned())]);
    let deliveries = world.store.unfinished_deliveries().await.unwrap();
    assert_eq!(deliveries.iter().map(|delivery| delivery.session_id.as_str()).collect::<Vec<_>>(), ["s2"]);
    assert!(world.store.session(&"s2".into()).await.unwrap().is_some());
}

#[tokio::test]
async fn the_page_finds_what_it_kept_last() {
    let world = World::new();
    assert_eq!(world.store.ui_state().await.unwrap(), None);
    for state in ["", "{\"tabs\":[]}", "not \u{0} JSON \"at\" all ü"] {
        world.store.set_ui_state(state.to_owned()).await.unwrap();
        assert_eq!(world.store.ui_state().await.unwrap().as_deref(), Some(state));
    }
    let world = world.after_kill();
    assert!(world.store.ui_state().await.unwrap().is_some_and(|state| state.ends_with("all ü")));
}

/// A single changed value is told when it is read, whichever column it is in.
#[tokio::test]
async fn a_record_that_is_not_what_was_stored_is_told() {
    let changes = [
        ("UPDATE session_info SET project = 'q'", "q"),
        ("UPDATE session_info SET updated_at = updated_at + 1", "p"),
        (
            "UPDATE session_info SET body = replace(body, '\"is_unguarded\":false', '\"is_unguarded\":true')",
            "p",
        ),
        ("UPDATE session_info SET checksum = checksum + 1", "p"),
    ];
    for (sql, project) in changes {
        let world = World::new();
        world.store.save_session(session("s", Some("p"), 1)).await.unwrap();
        let other = Connection::open(world.path().join("liminal.db")).unwrap();
        assert_eq!(other.execute(sql, []).unwrap(), 1, "{sql}");
        for result in [
            world.store.sessions_of(&project.into()).await.map(drop),
            world.store.session(&"s".into()).await.map(drop),
            world.store.change_session(&"s".into(), SessionChange::Archived(true)).await.map(drop),
        ] {
            assert!(matches!(result, Err(LogError::Damaged(_))), "{sql}: {result:?}");
        }
        assert_eq!(world.store.ui_state().await, Ok(None), "others are not affected");
    }
}
