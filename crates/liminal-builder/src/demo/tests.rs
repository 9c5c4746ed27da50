use std::time::Duration;

use serde_json::{Value, json};

use super::agent::{Agent, Outbox};
use super::performance::{Deed, Manner, Performance};
use super::scene::{Ending, Step};
use super::scenes::{self, COMMANDS};
use super::store::Store;

const PACE: Duration = Duration::from_millis(20);
const TALKATIVE: Manner = Manner { thinks: true, asks: true };

/// What a scene does from its beginning to its end or to its first question.
fn deeds(prompt: &str, manner: Manner) -> Vec<Deed> {
    let mut performance = Performance::new(scenes::answer(prompt, "/p", 2), manner, 2);
    let mut deeds = Vec::new();
    loop {
        let deed = performance.next().deed;
        let is_last = matches!(deed, Deed::End(_) | Deed::Ask { .. });
        deeds.push(deed);
        if is_last {
            return deeds;
        }
    }
}

fn updates<'a>(deeds: &'a [Deed], kind: &str) -> Vec<&'a Value> {
    let told = deeds.iter().filter_map(|deed| match deed {
        Deed::Tell(update) => Some(update),
        Deed::Ask { .. } | Deed::Rest | Deed::End(_) => None,
    });
    told.filter(|update| update.get("sessionUpdate") == Some(&kind.into())).collect()
}

fn said(deeds: &[Deed]) -> String {
    let pieces = updates(deeds, "agent_message_chunk");
    pieces.into_iter().filter_map(|update| update.pointer("/content/text")?.as_str()).collect()
}

fn scene_of(prompt: &str) -> Vec<Step> {
    scenes::answer(prompt, "/p", 2)
}

#[test]
fn a_prompt_chooses_its_scene_by_name_or_by_a_word_in_it() {
    for (prompt, name) in [
        ("/plan", "plan"),
        ("plan", "plan"),
        ("PLAN a trip", "plan"),
        ("please edit this file", "diff"),
        ("Show me a table, please", "markdown"),
        ("may I give permission?", "permission"),
        ("crash", "crash"),
        ("/hang now", "hang"),
        ("why does it crash, fail and hang", "help"),
        ("what is the weather like", "help"),
        ("planning is not a word of ours", "help"),
        ("/unknown", "help"),
        ("", "help"),
    ] {
        assert_eq!(scene_of(prompt), scene_of(&format!("/{name}")), "{prompt}");
    }
}

#[test]
fn every_scene_says_that_it_is_a_demo_and_ends_by_itself() {
    for command in &COMMANDS {
        let deeds = deeds(command.name, TALKATIVE);
        assert!(said(&deeds).to_lowercase().contains("demo"), "{}: {}", command.name, said(&deeds));
        assert!(command.description.starts_with("Demo: "), "{}", command.name);
        for call in updates(&deeds, "tool_call") {
            assert!(call.get("title").unwrap().as_str().unwrap().contains("(demo"), "{call}");
        }
    }
}

#[test]
fn only_the_first_turn_of_a_session_begins_by_saying_that_no_model_is_involved() {
    for command in &COMMANDS {
        let steps = scenes::answer(command.name, "/p", 1);
        let [Step::Say(label), rest @ ..] = steps.as_slice() else { panic!("{}", command.name) };
        assert!(label.contains("Demo (scripted)") && label.contains("No model is involved"));
        assert_eq!(rest, scene_of(command.name));
    }
}

#[test]
fn the_default_scene_names_everything_that_can_be_tried() {
    let text = said(&deeds("good morning", TALKATIVE));
    for command in &COMMANDS {
        assert!(text.contains(&format!("| `/{}` |", command.name)), "{}", command.name);
    }
}

#[test]
fn the_document_names_every_command_with_its_keywords() {
    let document = include_str!("../../../../docs/demo-agent.md");
    for command in &COMMANDS {
        let row = document.lines().find(|line| line.starts_with(&format!("| `/{}", command.name)));
        let row = row.unwrap_or_else(|| panic!("{} is not in the document", command.name));
        for keyword in command.keywords {
            assert!(row.contains(&format!("*{keyword}*")), "{}: {keyword}", command.name);
        }
    }
}

#[test]
fn markdown_comes_piece_by_piece_and_nothing_of_it_is_lost() {
    let deeds = deeds("markdown", TALKATIVE);
    let text = said(&deeds);
    assert_eq!(text, include_str!("texts/markdown.md"));
    for part in ["# ", "## ", "1. ", "- [x] ", "|:---", "```rust", "```python", "```sh", "```json", "> "] {
        assert!(text.lines().any(|line| line.starts_with(part)), "{part}");
    }
    let pieces = updates(&deeds, "agent_message_chunk");
    assert!(pieces.len() > 100, "{}", pieces.len());
    assert!(pieces.windows(2).all(|two| two[0].get("messageId") == two[1].get("messageId")));
}

#[test]
fn a_long_answer_has_as_many_words_as_were_asked_for() {
    for (prompt, count) in
        [("words 5000", 5000), ("give me 40 words", 40), ("words", 500), ("words 9999999", 50_000)]
    {
        let steps = scene_of(prompt);
        let [_, Step::Say(text)] = steps.as_slice() else { panic!("{prompt}") };
        assert_eq!(text.split_whitespace().count(), count, "{prompt}");
    }
}

#[test]
fn many_tools_are_as_many_as_were_asked_for_and_all_end() {
    for (prompt, count) in [("tools 50", 50), ("tools", 10), ("/tools 0", 1), ("tools 99999", 1_000)] {
        let deeds = deeds(prompt, TALKATIVE);
        assert_eq!(updates(&deeds, "tool_call").len(), count, "{prompt}");
        let ends =
            updates(&deeds, "tool_call_update").into_iter().filter(|update| update.get("status").is_some());
        assert_eq!(ends.count(), count, "{prompt}");
    }
}

#[test]
fn tools_of_every_kind_are_shown() {
    let shown: Vec<Deed> =
        ["research", "diff", "run"].into_iter().flat_map(|prompt| deeds(prompt, TALKATIVE)).collect();
    let calls = updates(&shown, "tool_call");
    for kind in ["read", "search", "fetch", "edit", "execute"] {
        assert!(calls.iter().any(|call| call.get("kind") == Some(&kind.into())), "{kind}");
    }
    assert!(
        calls.iter().any(|call| call.pointer("/locations/0/path") == Some(&"/p/demo/src/greeting.rs".into()))
    );
}

#[test]
fn an_edit_has_both_texts_and_a_new_file_only_one() {
    let shown = deeds("diff", TALKATIVE);
    let [edit, new] = updates(&shown, "tool_call").try_into().unwrap();
    let (old, now) =
        (edit.pointer("/content/0/oldText").unwrap(), edit.pointer("/content/0/newText").unwrap());
    assert!(old.is_string() && now.is_string() && old != now);
    assert_eq!(new.pointer("/content/0/oldText"), Some(&Value::Null));
}

#[test]
fn a_command_prints_in_colours_line_by_line_and_fails() {
    let shown = deeds("run", TALKATIVE);
    let news = updates(&shown, "tool_call_update");
    let output: Vec<&str> =
        news.iter().filter_map(|update| update.pointer("/_meta/terminal_output/data")?.as_str()).collect();
    assert!(output.len() > 10 && output.concat().contains("\u{1b}[31mFAILED\u{1b}[0m"));
    let end = news.last().unwrap();
    assert_eq!(end.get("status"), Some(&"failed".into()));
    assert_eq!(end.pointer("/_meta/terminal_exit/exit_code"), Some(&101.into()));
}

#[test]
fn a_plan_progresses_until_all_its_tasks_are_done() {
    let shown = deeds("plan", TALKATIVE);
    let done = |plan: &&Value| {
        let entries = plan.get("entries").unwrap().as_array().unwrap();
        entries.iter().filter(|entry| entry.get("status") == Some(&"completed".into())).count()
    };
    assert_eq!(updates(&shown, "plan").iter().map(done).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn thoughts_are_left_out_and_permission_is_taken_as_the_user_set_it() {
    let quiet = Manner { thinks: false, asks: false };
    assert!(updates(&deeds("think", quiet), "agent_thought_chunk").is_empty());
    assert!(!updates(&deeds("think", TALKATIVE), "agent_thought_chunk").is_empty());
    assert!(matches!(deeds("permission", TALKATIVE).last(), Some(Deed::Ask { .. })));
    assert_eq!(deeds("permission", quiet).last(), Some(&Deed::End(Ending::Completed)));
    assert!(
        matches!(deeds("question", quiet).last(), Some(Deed::Ask { .. })),
        "a question cannot be skipped"
    );
}

/// A client on virtual time.
struct Client {
    agent: Agent,
    now: Duration,
    heard: Vec<Value>,
    session: String,
    requests: u64,
    _folder: tempfile::TempDir,
}

impl Client {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = Agent::new(Store::open(folder.path().to_owned()).unwrap(), PACE);
        let (now, heard, session) = (Duration::ZERO, Vec::new(), String::new());
        let mut client = Self { agent, now, heard, session, requests: 0, _folder: folder };
        let opened = client.ask("session/new", json!({ "cwd": "/p", "mcpServers": [] }));
        client.session = opened.pointer("/result/sessionId").unwrap().as_str().unwrap().to_owned();
        client
    }

    fn say(&mut self, message: &Value) {
        let mut out = Outbox::default();
        self.agent.hear(message.to_string().as_bytes(), self.now, &mut out);
        self.heard.append(&mut out.messages);
    }

    /// Sends a request; gives its answer if it is there at once.
    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.requests += 1;
        if !self.session.is_empty() && params.get("sessionId").is_none() {
            params["sessionId"] = self.session.clone().into();
        }
        self.say(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        self.answer_to(self.requests)
    }

    fn prompt(&mut self, text: &str) -> u64 {
        self.ask("session/prompt", json!({ "prompt": [{ "type": "text", "text": text }] }));
        self.requests
    }

    fn answer_to(&self, request: u64) -> Value {
        let is_it =
            |message: &&Value| message.get("id") == Some(&request.into()) && message.get("method").is_none();
        self.heard.iter().find(is_it).cloned().unwrap_or_default()
    }

    /// Lets time pass until nothing is due.
    fn play(&mut self) {
        while let Some(due) = self.agent.next_due() {
            self.now = self.now.max(due);
            let mut out = Outbox::default();
            self.agent.play(self.now, &mut out);
            self.heard.append(&mut out.messages);
        }
    }

    fn told(&self, kind: &str) -> usize {
        let kind = Some(Value::from(kind));
        self.heard
            .iter()
            .filter(|message| message.pointer("/params/update/sessionUpdate") == kind.as_ref())
            .count()
    }
}

#[test]
fn a_turn_tells_a_title_once_and_what_it_used() {
    let mut client = Client::new();
    for _ in 0..2 {
        let request = client.prompt("hello");
        client.play();
        let answer = client.answer_to(request);
        assert_eq!(answer.pointer("/result/stopReason"), Some(&"end_turn".into()));
        assert!(answer.pointer("/result/usage/outputTokens").unwrap().as_u64().unwrap() > 0);
    }
    assert_eq!((client.told("session_info_update"), client.told("usage_update")), (1, 2));
    assert_eq!(client.told("available_commands_update"), 1);
}

#[test]
fn the_slow_model_takes_four_times_as_long() {
    let took = |model: &str| {
        let mut client = Client::new();
        client.ask("session/set_config_option", json!({ "configId": "model", "value": model }));
        client.prompt("words 100");
        client.play();
        client.now
    };
    assert_eq!(took("demo-slow"), took("demo-fast") * 4);
}

#[test]
fn a_cancel_ends_whatever_runs_at_once() {
    for prompt in ["words 5000", "hang", "permission", "plan"] {
        let mut client = Client::new();
        let request = client.prompt(prompt);
        for _ in 0..200 {
            client.now += PACE;
            let mut out = Outbox::default();
            client.agent.play(client.now, &mut out);
            client.heard.append(&mut out.messages);
        }
        client.say(&json!({ "method": "session/cancel", "params": { "sessionId": client.session } }));
        let answer = client.answer_to(request);
        assert_eq!(answer.pointer("/result/stopReason"), Some(&"cancelled".into()), "{prompt}");
        assert_eq!(client.agent.next_due(), None, "{prompt}");
    }
}

#[test]
fn an_answer_that_allows_for_good_ends_the_asking() {
    let mut client = Client::new();
    let answer = |client: &mut Client, option: &str| {
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        let request = client.heard.iter().rev().find(|message| {
            message.get("method").is_some_and(|method| method == "session/request_permission")
        });
        let id = request.unwrap().get("id").unwrap().clone();
        client.say(&json!({ "id": id, "result": outcome }));
        client.play();
    };
    for (option, stops_asking) in [("reject-once", false), ("allow-once", false), ("allow-always", true)] {
        let request = client.prompt("permission");
        client.play();
        assert_eq!(client.answer_to(request), Value::Null, "it waits");
        answer(&mut client, option);
        assert_eq!(client.answer_to(request).pointer("/result/stopReason"), Some(&"end_turn".into()));
        assert_eq!(client.told("config_option_update") == 1, stops_asking, "{option}");
    }
    let request = client.prompt("permission");
    client.play();
    assert_eq!(client.answer_to(request).pointer("/result/stopReason"), Some(&"end_turn".into()));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_code_of_real_agents() {
    let mut client = Client::new();
    client.prompt("hang");
    for (method, params, code) in [
        ("session/prompt", json!({ "prompt": [] }), -32600),
        ("session/load", json!({ "cwd": "/p" }), -32600),
        ("session/load", json!({ "sessionId": "ffff", "cwd": "/p" }), -32002),
        ("session/load", json!({ "sessionId": "../x", "cwd": "/p" }), -32002),
        ("session/prompt", json!({ "sessionId": "ffff" }), -32002),
        ("session/new", json!({ "cwd": "p" }), -32602),
        ("session/list", json!({ "cursor": "x" }), -32602),
        ("session/set_mode", json!({ "modeId": "yolo" }), -32602),
        ("session/set_config_option", json!({ "configId": "colour", "value": "red" }), -32602),
        ("session/fork", json!({}), -32601),
    ] {
        let answer = client.ask(method, params);
        assert_eq!(answer.pointer("/error/code"), Some(&code.into()), "{method}: {answer}");
    }
    client.ask("session/close", json!({}));
    assert_eq!(client.agent.next_due(), None);
}
