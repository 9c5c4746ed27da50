//! Files that go with messages.

use std::fs;

use liminal_core::event::{Attachment, Origin};
use liminal_core::ids::{AttachmentId, SessionId};
use liminal_core::upsert::{MessageBody, UpsertBody};
use liminal_core::wire::approvals::SearchResults;
use liminal_core::wire::rest::{MessageAccepted, SessionOpened};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(
    claude_code_gives_the_model_images_and_texts_and_remembers_them,
    claude_code_gives_the_model_a_pdf
);

/// One pixel.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";
/// Some words in Base64.
pub(super) const WORDS: &str = "c29tZSB3b3Jkcw==";

async fn upload(server: &Client, id: &SessionId, name: &str, mime_type: &str, data: &str) -> Answer {
    let body = json!({ "name": name, "mimeType": mime_type, "data": data });
    server.post(&format!("/api/session/{id}/attachments"), body).await
}

pub(super) async fn attach(
    server: &Client,
    id: &SessionId,
    name: &str,
    mime_type: &str,
    data: &str,
) -> Attachment {
    upload(server, id, name, mime_type, data).await.read(201)
}

pub(super) async fn send(server: &Client, id: &SessionId, message: &str, files: &[&Attachment]) -> Answer {
    send_as(server, id, json!({ "message": message }), files).await
}

async fn send_as(server: &Client, id: &SessionId, mut body: Value, files: &[&Attachment]) -> Answer {
    body["attachments"] = files.iter().map(|file| json!(file.id)).collect();
    server.post(&format!("/api/session/{id}/send"), body).await
}

pub(super) async fn at_rest(server: &Client, id: &SessionId) {
    server.until(id, |status| status.view.turn.is_none() && status.view.queue.is_empty()).await;
}

pub(super) async fn messages(server: &Client, id: &SessionId, origin: Origin) -> Vec<MessageBody> {
    let entries = server.history(id).await.entries;
    let message = |body| match body {
        UpsertBody::Message(message) if message.origin == origin => Some(message),
        _ => None,
    };
    entries.into_iter().filter_map(|entry| message(entry.body)).collect()
}

pub(super) fn path(id: &SessionId, file: &Attachment) -> String {
    format!("/api/session/{id}/attachments/{}", file.id.as_ref().unwrap())
}

#[tokio::test]
async fn files_go_with_a_message_are_shown_and_go_with_their_session() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    let takes = server.status(&id).await.view.agent.abilities.attachments;
    assert!(takes.images && takes.files);
    let image = attach(&server, &id, "../../etc/a b.png", "image/png", WORDS).await;
    assert_eq!((image.name.as_str(), image.bytes), ("a b.png", 10));
    let text = attach(&server, &id, "notes.html", "text/html", WORDS).await;
    let unsent = attach(&server, &id, "unsent.txt", "text/plain", "").await;
    send(&server, &id, "zebra", &[&image, &text]).await.read::<MessageAccepted>(202);
    at_rest(&server, &id).await;

    let asked = messages(&server, &id, Origin::User).await.remove(0);
    assert_eq!((asked.content.as_str(), &asked.attachments), ("zebra", &vec![image.clone(), text.clone()]));
    let answered = messages(&server, &id, Origin::Agent).await.remove(0).content;
    assert!(answered.contains("`a b.png`, 10 bytes of image/png"), "{answered}");
    assert!(answered.contains("`notes.html`, 10 bytes of text/html"), "{answered}");

    let shown = server.get(&path(&id, &image)).await;
    assert_eq!((shown.status, shown.body.as_str()), (200, "some words"));
    assert_eq!(shown.header("content-type"), Some("image/png"));
    let download = server.get(&path(&id, &text)).await;
    assert_eq!(download.header("content-type"), Some("application/octet-stream"));
    assert!(
        download.header("content-disposition").unwrap().starts_with("attachment; filename=\"notes.html\"")
    );
    for answer in [&shown, &download] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(answer.header("content-security-policy").unwrap().ends_with("sandbox"), "{answer:?}");
    }
    let exported = server.get(&format!("/api/session/{id}/export?format=md")).await.body;
    assert!(exported.contains("*Attached: a b.png (image/png, 10 bytes)*"), "{exported}");
    let found: SearchResults = server.get("/api/search?q=zebra").await.read(200);
    assert_eq!(found.hits.len(), 1);

    server.delete(&path(&id, &image)).await.assert_problem(409, "WRONG_STATE");
    assert_eq!(server.delete(&path(&id, &unsent)).await.status, 204);
    server.get(&path(&id, &unsent)).await.assert_problem(404, "ATTACHMENT_NOT_FOUND");
    assert_eq!(server.delete(&format!("/api/session/{id}")).await.status, 204);
    assert_eq!(fs::read_dir(machine.data().join("attachments")).unwrap().count(), 0);
    server.stop().await;
}

/// As large as the pictures that people paste, which is more than a web framework takes unless it is told to.
#[tokio::test]
async fn a_file_of_some_megabytes_is_taken_whole() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let file = attach(&server, &id, "long.txt", "text/plain", &"YWJj".repeat(1 << 20)).await;
    assert_eq!(file.bytes, 3 << 20);
    assert_eq!(server.get(&path(&id, &file)).await.body, "abc".repeat(1 << 20));
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_attached_is_told() {
    let mut machine = Machine::with_own(&[]);
    machine.settings += "[limits]\nfile-kib = 16\n";
    let server = machine.start().await;
    let (id, other) = (server.create("demo").await, server.create("demo").await);
    for (name, mime_type, data) in [
        ("a", "image/png", "not base64!"),
        ("a", "image/png", "AAA"),
        ("..", "image/png", WORDS),
        ("a", "png", WORDS),
        ("a", "text/plain\r\nX: y", WORDS),
    ] {
        upload(&server, &id, name, mime_type, data).await.assert_problem(400, "INVALID_REQUEST");
    }
    upload(&server, &id, "a.zip", "application/zip", "AAEC")
        .await
        .assert_problem(422, "ATTACHMENT_NOT_TAKEN");
    let large = upload(&server, &id, "a", "text/plain", &"QUFB".repeat(4200)).await;
    large.assert_problem(413, "BODY_TOO_LARGE");
    assert!(large.body.contains("16384 bytes"), "{large:?}");
    // This agent says nothing of files.
    let own = server.create("mine").await;
    upload(&server, &own, "a.png", "image/png", PNG).await.assert_problem(422, "ATTACHMENT_NOT_TAKEN");

    let theirs = attach(&server, &other, "a.txt", "text/plain", WORDS).await;
    send(&server, &id, "look", &[&theirs]).await.assert_problem(404, "ATTACHMENT_NOT_FOUND");
    server.get(&path(&id, &theirs)).await.assert_problem(404, "ATTACHMENT_NOT_FOUND");
    server.delete(&path(&id, &theirs)).await.assert_problem(404, "ATTACHMENT_NOT_FOUND");
    for strange in ["..%2f..%2ftoken", "%2e%2e", "x"] {
        let answer = server.get(&format!("/api/session/{id}/attachments/{strange}")).await;
        assert_eq!(answer.status, 404, "{answer:?}");
    }
    let many: Vec<&Attachment> = std::iter::repeat_n(&theirs, 11).collect();
    send(&server, &other, "look", &many).await.assert_problem(400, "INVALID_REQUEST");
    assert!(messages(&server, &id, Origin::User).await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn a_file_outlives_a_crash_before_it_is_sent_and_is_sent_once() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    let file = attach(&server, &id, "a.txt", "text/plain", WORDS).await;
    let other = attach(&server, &id, "b.txt", "text/plain", WORDS).await;
    server.crash().await;

    let server = machine.start_bare().await;
    let body = json!({ "message": "", "clientMessageId": "one" });
    let first: MessageAccepted = send_as(&server, &id, body.clone(), &[&file]).await.read(202);
    at_rest(&server, &id).await;
    let again: MessageAccepted = send_as(&server, &id, body.clone(), &[&file]).await.read(202);
    assert_eq!(again, first);
    send_as(&server, &id, body.clone(), &[&other]).await.assert_problem(422, "IDEMPOTENCY_MISMATCH");
    let asked = messages(&server, &id, Origin::User).await;
    assert_eq!(asked.iter().map(|asked| asked.attachments.as_slice()).collect::<Vec<_>>(), [[file]]);
    assert_eq!(
        server.status(&id).await.view.title.as_deref(),
        Some("Demo (scripted): "),
        "its agent names it"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_message_that_waits_keeps_its_files_over_a_crash() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.send(&id, "/hang").await;
    let (kept, given_up) = (
        attach(&server, &id, "a.txt", "text/plain", WORDS).await,
        attach(&server, &id, "b.txt", "text/plain", WORDS).await,
    );
    let waits = async |file: &Attachment| {
        let body = json!({ "message": "later", "queue": true });
        send_as(&server, &id, body, &[file]).await.read::<MessageAccepted>(202).queued.unwrap()
    };
    let (first, second) = (waits(&kept).await, waits(&given_up).await);
    assert_eq!(first.attachments, std::slice::from_ref(&kept));
    server.delete(&path(&id, &kept)).await.assert_problem(409, "WRONG_STATE");
    server.delete(&format!("/api/session/{id}/queue/{}", second.id)).await.read::<Value>(200);
    assert_eq!(server.delete(&path(&id, &given_up)).await.status, 204, "no message has it any more");
    server.crash().await;

    let server = machine.start_bare().await;
    assert_eq!(server.status(&id).await.view.queue[0].attachments, std::slice::from_ref(&kept));
    server.act(&id, "load").await.read::<SessionOpened>(200);
    server.act(&id, "queue/resume").await.read::<Value>(200);
    at_rest(&server, &id).await;
    assert_eq!(messages(&server, &id, Origin::User).await.last().unwrap().attachments, [kept]);
    server.stop().await;
}

#[tokio::test]
async fn a_file_goes_with_as_many_messages_as_name_it_and_stays_as_long_as_one_has_it() {
    let server = Machine::new().start().await;
    let id = server.create("demo").await;
    let sent = attach(&server, &id, "a.txt", "text/plain", WORDS).await;
    for message in ["once", "again"] {
        send(&server, &id, message, &[&sent]).await.read::<MessageAccepted>(202);
        at_rest(&server, &id).await;
    }
    let asked = messages(&server, &id, Origin::User).await;
    assert!(asked.iter().all(|asked| asked.attachments == std::slice::from_ref(&sent)) && asked.len() == 2);
    let answered = messages(&server, &id, Origin::Agent).await;
    assert_eq!(answered.iter().filter(|said| said.content.contains("`a.txt`, 10 bytes")).count(), 2);

    server.send(&id, "/hang").await;
    let fresh = attach(&server, &id, "b.txt", "text/plain", WORDS).await;
    let waits = async |files: &[&Attachment]| {
        let body = json!({ "message": "later", "queue": true });
        send_as(&server, &id, body, files).await.read::<MessageAccepted>(202).queued.unwrap().id
    };
    let (first, second) = (waits(&[&sent, &fresh]).await, waits(&[&fresh]).await);
    let give_up = async |queued| {
        server.delete(&format!("/api/session/{id}/queue/{queued}")).await.read::<Value>(200);
    };
    give_up(first).await;
    server.delete(&path(&id, &sent)).await.assert_problem(409, "WRONG_STATE");
    server.delete(&path(&id, &fresh)).await.assert_problem(409, "WRONG_STATE");
    give_up(second).await;
    assert_eq!(server.delete(&path(&id, &fresh)).await.status, 204);
    assert_eq!(server.get(&path(&id, &sent)).await.body, "some words");
    server.stop().await;
}

/// The files that the model was asked with last.
fn asked_with(machine: &Machine) -> Vec<String> {
    let requests = machine.model.as_ref().unwrap().requests();
    requests.into_iter().rfind(|request| !request.errand && request.stream).unwrap().files
}

/// What is known of the files after this program has forgotten all of its own.
async fn remembered(machine: &Machine, id: &SessionId) -> Vec<MessageBody> {
    fs::remove_dir_all(machine.data()).unwrap();
    let server = machine.start().await;
    server.list().await;
    server.act(id, "load").await.read::<SessionOpened>(200);
    let asked = messages(&server, id, Origin::User).await;
    server.stop().await;
    asked
}

async fn reaches_the_model(machine: Machine, cli_type: &str) -> Vec<MessageBody> {
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    server.until(&id, |status| status.view.agent.abilities.attachments.images).await;
    let image = attach(&server, &id, "a.png", "image/png", PNG).await;
    let text = attach(&server, &id, "b \"c\".txt", "text/plain", WORDS).await;
    send(&server, &id, "say:seen", &[&image, &text]).await.read::<MessageAccepted>(202);
    at_rest(&server, &id).await;
    assert_eq!(asked_with(&machine), [PNG]);
    let asked = messages(&server, &id, Origin::User).await.remove(0);
    assert_eq!((asked.content.as_str(), asked.attachments.len()), ("say:seen", 2));
    assert!(messages(&server, &id, Origin::Agent).await.iter().any(|said| said.content == "seen"));
    server.stop().await;
    remembered(&machine, &id).await
}

fn names(message: &MessageBody) -> Vec<(Option<&str>, &str, u64)> {
    let files = message.attachments.iter();
    files.map(|file| (file.id.as_ref().map(AttachmentId::as_str), file.name.as_str(), file.bytes)).collect()
}

async fn claude_code_gives_the_model_images_and_texts_and_remembers_them(pin: Pin) {
    let asked = reaches_the_model(Machine::with_claude(pin).await, "claude-code").await;
    assert_eq!(asked[0].content, "say:seen");
    assert_eq!(names(&asked[0]), [(None, "image.png", 75), (None, "b \"c\".txt", 10)]);
}

async fn claude_code_gives_the_model_a_pdf(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let pdf = attach(&server, &id, "a.pdf", "application/pdf", "JVBERi0xLjQK").await;
    send(&server, &id, "say:read", &[&pdf]).await.read::<MessageAccepted>(202);
    at_rest(&server, &id).await;
    assert_eq!(asked_with(&machine), ["JVBERi0xLjQK"]);
    server.stop().await;
}

#[tokio::test]
async fn codex_gives_the_model_images_and_texts_and_remembers_them() {
    let asked = reaches_the_model(Machine::with_codex().await, "codex").await;
    assert_eq!(asked[0].content, "say:seen");
    assert_eq!(names(&asked[0]), [(None, "image.png", 75), (None, "b \"c\".txt", 10)]);
}
