//! The provider interface of the epic. `ARCHITECTURE.md` maps its eight methods to ours, and all of them are called here for
//! Claude Code and for Codex through one trait object.

use std::path::Path;

use liminal_builder::clock;
use liminal_builder::provider::claude_code::ClaudeCode;
use liminal_builder::provider::{OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::ids::SessionId;
use liminal_core::upsert::{Output, Upsert, UpsertBody, UpsertStatus};
use scripted_model::Running;
use tokio::task::JoinSet;

use crate::acp::AcpWorld;
use crate::chat::{Chat, turn_of};
use crate::pin::Pin;
use crate::tap::tap;
use crate::world::{World, assert_knows, both_pins};

both_pins!(tc_2_1b_claude_code_has_all_methods_of_the_interface);

const METHODS: [&str; 8] = [
    "createSession",
    "loadSession",
    "sendMessage",
    "cancelTurn",
    "killSession",
    "isAlive",
    "onUpsert",
    "onTurn",
];

/// Each row names a function or type of ours in the file that defines it.
#[test]
fn tc_2_1a_the_architecture_maps_every_method_of_the_interface() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(repository.join("ARCHITECTURE.md")).unwrap();
    for method in METHODS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{method}` |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {method}"));
        let words: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let [_, item, file] = words[..] else { panic!("{row}: expected the method, our item and its file") };
        let source =
            std::fs::read_to_string(repository.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let name = item.rsplit("::").next().unwrap();
        let is_defined = ["fn ", "enum ", "struct ", "trait "]
            .iter()
            .any(|word| source.lines().any(|line| has_word(line, &format!("{word}{name}"))))
            || source.lines().any(|line| line.trim_start().starts_with(&format!("{name}(")));
        assert!(is_defined, "{file} does not define {item}");
    }
}

/// Whether a name ends where these words do.
fn has_word(line: &str, words: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.split(words).skip(1).any(|rest| !rest.starts_with(is_part))
}

struct Sessions<'a> {
    provider: &'a dyn Provider,
    project: &'a Path,
    tasks: JoinSet<()>,
}

impl Sessions<'_> {
    /// `createSession`, or `loadSession` of a session; `onUpsert` and `onTurn` are the two kinds of outputs.
    async fn open(&mut self, resume: Option<SessionId>) -> Chat {
        let (directory, options) = (self.project.to_owned(), SessionOptions::default());
        let request = OpenRequest { directory, resume, options, past: Vec::new() };
        let agent = self.provider.open(request).await.unwrap();
        let (outlet, outputs) = tap(64);
        let handle = SessionHandle::start(agent, Setup::default(), outlet, &mut self.tasks);
        Chat { handle, log: Vec::new(), outputs }
    }
}

async fn walk(provider: &dyn Provider, project: &Path, model: &Running) {
    let mut sessions = Sessions { provider, project, tasks: JoinSet::new() };
    let mut chat = sessions.open(None).await;
    let session = chat.handle.session_id().clone();
    assert!(session.as_str().starts_with(&format!("{}:", provider.cli_type())));
    assert!(chat.handle.is_alive());

    let turn = chat.turn("say:remember the fox").await;
    let is_answer = |state: &Upsert| {
        let content = matches!(&state.body, UpsertBody::Message(said) if said.content == "remember the fox");
        content && state.turn_id == turn && state.status == UpsertStatus::Complete
    };
    assert!(chat.upserts().any(is_answer), "onUpsert: {:?}", chat.log);
    let turns: Vec<_> = chat.log.iter().filter(|output| matches!(output, Output::Turn(_))).collect();
    assert_eq!(turns.len(), 2, "onTurn: {turns:?}");
    assert!(turns.iter().all(|output| *turn_of(output) == turn), "{turns:?}");

    let turn = chat.send("words:2000 slow:20ms").await.unwrap();
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    assert_eq!(chat.ends(), ["completed", "cancelled"]);
    assert!(chat.handle.is_alive());
    chat.kill().await;
    assert!(!chat.handle.is_alive());
    assert!(chat.handle.send(clock::new_turn_id(), "say:nobody hears".into()).await.is_err());

    let mut again = sessions.open(Some(session.clone())).await;
    assert_eq!(*again.handle.session_id(), session);
    again.turn("say:and on").await;
    assert!(
        again.said().contains(&"remember the fox") && again.said().contains(&"and on"),
        "{:?}",
        again.said()
    );
    assert_knows(model, "and on", "remember the fox");
    again.kill().await;
    again.assert_sound();
}

async fn tc_2_1b_claude_code_has_all_methods_of_the_interface(pin: Pin) {
    let world = World::new(pin).await;
    walk(&ClaudeCode::new(world.settings.clone()), &world.project, world.model()).await;
    world.assert_no_process_is_left();
}

#[tokio::test]
async fn tc_2_1c_codex_has_all_methods_of_the_interface() {
    let codex = AcpWorld::codex().await;
    walk(codex.agent(), &codex.project, codex.model()).await;
    codex.end().await;
}
