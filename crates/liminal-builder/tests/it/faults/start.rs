//! Agents that do not start.

use liminal_builder::provider::SessionOptions;

use crate::world::World;

#[tokio::test]
async fn c03_a_start_that_fails_is_told_and_leaves_nothing() {
    let missing = World::fake().project.join("missing");
    let directory = tempfile::tempdir().unwrap();
    let plain = directory.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    for (program, code) in [(&missing, "SPAWN_FAILED"), (&plain, "SPAWN_FAILED")] {
        let mut world = World::fake();
        world.settings.program = Some(program.clone());
        let error = world.open(None, SessionOptions::default()).await.err().unwrap();
        assert_eq!(error.info().code, code);
        assert!(error.to_string().contains(&program.display().to_string()), "{error}");
        world.assert_no_process_is_left();
    }
    let mut world = World::fake();
    world.project = missing;
    let error = world.open(None, SessionOptions::default()).await.err().unwrap();
    assert_eq!(error.info().code, "PROJECT_DIR_INVALID");
    world.assert_no_process_is_left();
}
