//! Every permission mode that the real Claude Code offers here: it can be chosen, the agent confirms it, and it holds after
//! a restart of the server.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{SessionState, SessionStatus};
use serde_json::json;

use super::client::Client;
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(every_mode_that_is_offered_is_confirmed_and_survives_a_restart);

/// What becomes of an edit.
#[derive(Debug, PartialEq, Eq)]
enum Edit {
    Asked,
    Made,
    Refused,
}

async fn edit(server: &Client, id: &SessionId, mode: &str) -> Edit {
    let path = server.project.join(format!("{mode}.txt"));
    let prompt = format!("tool:Write {}", json!({ "file_path": path, "content": "x" }));
    server.send(id, &prompt).await;
    let is_settled = |status: &SessionStatus| status.view.turn.is_none() || !status.view.pending.is_empty();
    let status = server.until(id, is_settled).await;
    if !status.view.pending.is_empty() {
        return Edit::Asked;
    }
    if path.exists() { Edit::Made } else { Edit::Refused }
}

async fn choose(server: &Client, mode: &str) -> (String, SessionId) {
    let id = server.create("claude-code").await;
    server.until(&id, |status| status.view.state == SessionState::Idle).await;
    let wish = json!({ "permissionMode": mode, "confirmUnguarded": true });
    server.post(&format!("/api/session/{id}/configure"), wish).await.read::<SessionStatus>(200);
    server.until(&id, |status| status.view.agent.permission_mode.as_deref() == Some(mode)).await;
    (mode.to_owned(), id)
}

async fn every_mode_that_is_offered_is_confirmed_and_survives_a_restart(pin: Pin) {
    let mut machine = Machine::with_claude(pin).await;
    machine.flags.push("--allow-bypass");
    // Claude Code lets root bypass permissions only in a sandbox.
    machine.settings = machine.settings.replace("env = { ", "env = { IS_SANDBOX = \"1\", ");
    let server = machine.start().await;
    let first = server.create("claude-code").await;
    let offered = server.status(&first).await.view.agent.abilities.permission_modes;
    let modes: Vec<&str> = offered.iter().map(|mode| mode.id.as_str()).collect();
    let expected = BTreeMap::from([
        ("default", Edit::Asked),
        ("acceptEdits", Edit::Made),
        ("plan", Edit::Asked),
        ("dontAsk", Edit::Refused),
        ("bypassPermissions", Edit::Made),
    ]);
    assert_eq!(
        modes.iter().copied().collect::<std::collections::BTreeSet<_>>(),
        expected.keys().copied().collect()
    );
    // The program takes `auto`, in which a model decides; it is not offered here, and that is said.
    let wish = json!({ "permissionMode": "auto" });
    let refused = server.post(&format!("/api/session/{first}/configure"), wish).await;
    refused.assert_problem(400, "INVALID_REQUEST");
    assert!(modes.iter().all(|mode| refused.body.contains(mode)), "{refused:?}");
    let chosen: BTreeMap<String, SessionId> =
        join_all(modes.iter().map(|mode| choose(&server, mode))).await.into_iter().collect();
    server.stop().await;

    let server = machine.start_bare().await;
    let edits = chosen.iter().map(async |(mode, id)| {
        let kept = server.status(id).await.view.agent.permission_mode;
        let edit = edit(&server, id, mode).await;
        let confirmed = server.status(id).await.view;
        assert_eq!((kept.as_ref(), confirmed.agent.permission_mode.as_ref()), (Some(mode), Some(mode)));
        assert_eq!(confirmed.is_unguarded, mode == "bypassPermissions");
        (mode.as_str(), edit)
    });
    assert_eq!(join_all(edits).await.into_iter().collect::<BTreeMap<_, _>>(), expected);
    server.stop().await;
}
