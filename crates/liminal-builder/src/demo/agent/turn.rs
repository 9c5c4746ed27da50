//! One prompt and the scene that answers it. Owns when the next act is due, what the turn waits for and how it ends:
//! exactly once, by its scene, by a cancel or by the end of the session.

use std::time::Duration;

use serde_json::{Value, json};

use super::sessions::not_kept;
use super::{Agent, Outbox, Reply, Session, text};
use crate::demo::files::{self, File};
use crate::demo::performance::{Act, Answered, Deed, Performance};
use crate::demo::rpc::{self, Refusal};
use crate::demo::scene::{Ending, Step};
use crate::demo::settings::{AUTO, MODE};
use crate::demo::store::Line;
use crate::demo::transcript::Transcript;
use crate::demo::updates::{self, Voice};
use crate::demo::{TITLE, scenes};

/// Letters of the first prompt that make the title.
const TITLE_LETTERS: usize = 60;

#[derive(Debug)]
pub(super) struct Turn {
    /// The client's id of the prompt.
    request: Value,
    performance: Performance,
    /// What comes next, and when; nothing while somebody is waited for.
    upcoming: Option<(Duration, Deed)>,
    beat: Duration,
    transcript: Transcript,
    prompt_letters: u64,
    letters: u64,
}

impl Turn {
    fn new(request: Value, prompt: &str, files: &[File], session: &Session, pace: Duration) -> Self {
        let receipt = files::receipt(files).map(Step::say);
        let steps = scenes::answer(prompt, &session.cwd, session.prompts);
        let steps = receipt.into_iter().chain(steps).collect();
        Self {
            request,
            performance: Performance::new(steps, session.settings.manner(), session.prompts),
            upcoming: None,
            beat: pace * session.settings.slowness(),
            transcript: Transcript::default(),
            prompt_letters: prompt.len() as u64,
            letters: 0,
        }
    }

    fn advance(&mut self, now: Duration) {
        let Act { beats, deed } = self.performance.next();
        let is_over = deed == Deed::End(Ending::Never);
        self.upcoming = (!is_over).then(|| (now + self.beat * beats, deed));
    }

    fn tell(&mut self, update: &Value) {
        self.transcript.note(update);
        let said = update.pointer("/content/text").and_then(Value::as_str);
        self.letters += said.map_or(0, str::len) as u64;
    }

    fn usage(&self) -> (u64, u64) {
        (self.prompt_letters.div_ceil(4), self.letters.div_ceil(4))
    }
}

impl Agent {
    /// When something is to be played next.
    pub(in crate::demo) fn next_due(&self) -> Option<Duration> {
        let turns = self.sessions.values().filter_map(|session| session.turn.as_ref());
        turns.filter_map(|turn| turn.upcoming.as_ref().map(|(due, _)| *due)).min()
    }

    /// Plays what is due: of each session one act, so that the client is listened to in between.
    pub(in crate::demo) fn play(&mut self, now: Duration, out: &mut Outbox) {
        let ids: Vec<String> = self.sessions.keys().cloned().collect();
        for id in ids {
            let turn = self.sessions.get_mut(&id).and_then(|session| session.turn.as_mut());
            let Some(turn) = turn else { continue };
            if let Some((_, deed)) = turn.upcoming.take_if(|(due, _)| *due <= now) {
                self.perform(&id, deed, now, out);
            }
        }
    }

    pub(super) fn prompt(
        &mut self,
        request: &Value,
        params: &Value,
        now: Duration,
        out: &mut Outbox,
    ) -> Reply {
        let (id, session) = self.session(params)?;
        if session.turn.is_some() {
            return Err(Refusal::busy());
        }
        let (id, number, prompt) = (id.to_owned(), session.prompts + 1, prompt_text(params));
        let files = files::of_prompt(params);
        self.keep_prompt(&id, (&prompt, &files), number, out).map_err(not_kept)?;
        let pace = self.pace;
        let (_, session) = self.session(params)?;
        session.prompts = number;
        let mut turn = Turn::new(request.clone(), &prompt, &files, session, pace);
        turn.advance(now);
        session.turn = Some(turn);
        Ok(None)
    }

    /// Ends what runs in a session.
    pub(super) fn cancel(&mut self, id: &str, out: &mut Outbox) {
        for (request, _) in self.asked.extract_if(.., |_, asked| asked == id) {
            out.messages.push(rpc::notification("$/cancel_request", &json!({ "requestId": request })));
        }
        self.end(id, Ending::Cancelled, out);
    }

    /// The client answers what was asked. One that does not choose has cancelled the turn: so says the protocol.
    pub(super) fn answered(
        &mut self,
        request: &Value,
        result: Option<&Value>,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(id) = request.as_u64().and_then(|number| self.asked.remove(&number)) else { return };
        let chosen = result.and_then(|result| result.pointer("/outcome/optionId")).and_then(Value::as_str);
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let Some(turn) = &mut session.turn else { return };
        match chosen.map_or(Answered::NotOffered, |option| turn.performance.answer(option)) {
            Answered::Once => turn.advance(now),
            Answered::Always => {
                turn.advance(now);
                session.stop_asking(&id, out);
            }
            Answered::NotOffered => self.end(&id, Ending::Cancelled, out),
        }
    }

    fn perform(&mut self, id: &str, deed: Deed, now: Duration, out: &mut Outbox) {
        match deed {
            Deed::Tell(update) => {
                out.messages.push(rpc::update(id, &update));
                self.go_on(id, now, |turn| turn.tell(&update));
            }
            Deed::Rest => self.go_on(id, now, |_| {}),
            Deed::Ask { call, options } => {
                let params = json!({ "sessionId": id, "toolCall": call, "options": options });
                out.messages.push(rpc::request(self.requests, "session/request_permission", &params));
                self.asked.insert(self.requests, id.to_owned());
                self.requests += 1;
            }
            Deed::End(ending) => self.end(id, ending, out),
        }
    }

    fn go_on(&mut self, id: &str, now: Duration, note: impl FnOnce(&mut Turn)) {
        if let Some(turn) = self.sessions.get_mut(id).and_then(|session| session.turn.as_mut()) {
            note(turn);
            turn.advance(now);
        }
    }

    fn end(&mut self, id: &str, ending: Ending, out: &mut Outbox) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let Some(turn) = session.turn.take() else { return };
        let (input, output) = turn.usage();
        session.used += input + output;
        out.messages.push(rpc::update(id, &updates::usage(session.used)));
        let Turn { request, transcript, .. } = turn;
        // A demo goes on without its memory; the next session that is opened tells that it cannot be used.
        self.store.append(id, transcript.into_updates().into_iter().map(Line::Told)).ok();
        let tokens = json!({ "inputTokens": input, "outputTokens": output, "totalTokens": input + output });
        let stopped = |reason| rpc::result(&request, &json!({ "stopReason": reason, "usage": tokens }));
        match ending {
            Ending::Completed => out.messages.push(stopped("end_turn")),
            Ending::Cancelled | Ending::Never => out.messages.push(stopped("cancelled")),
            Ending::Failed(why) => out.messages.push(rpc::refusal(&request, &Refusal::internal(why))),
            Ending::Crashed => out.crashes = true,
        }
    }

    /// Keeps what the user said before anything is answered, so that a crash does not lose it.
    fn keep_prompt(
        &self,
        id: &str,
        (prompt, files): (&str, &[File]),
        number: u64,
        out: &mut Outbox,
    ) -> std::io::Result<()> {
        let message_id = format!("prompt-{number}");
        let mut lines = vec![Line::Told(updates::text(Voice::User, &message_id, prompt))];
        lines.extend(files.iter().map(|file| Line::Told(updates::user_block(&message_id, &file.link()))));
        if number == 1 {
            let title = title(prompt);
            out.messages.push(rpc::update(id, &updates::title(&title)));
            lines.insert(0, Line::Titled(title));
        }
        self.store.append(id, lines)
    }
}

impl Session {
    fn stop_asking(&mut self, id: &str, out: &mut Outbox) {
        if self.settings.choose(MODE, AUTO).is_ok() {
            out.messages.push(rpc::update(id, &self.settings.update()));
        }
    }
}

fn title(prompt: &str) -> String {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let short: String = line.chars().take(TITLE_LETTERS).collect();
    format!("{TITLE}: {short}")
}

/// The words of a prompt; of what is no file of ours its name.
fn prompt_text(params: &Value) -> String {
    let blocks = params.get("prompt").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let word = |block: &Value| match text(block, "type") {
        "text" => text(block, "text").to_owned(),
        _ => text(block, "name").to_owned(),
    };
    blocks.iter().map(word).collect::<Vec<_>>().join("\n").trim().to_owned()
}
