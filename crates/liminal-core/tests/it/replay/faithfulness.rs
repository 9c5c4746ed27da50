//! What Claude Code said in a recording is what is shown of it: each of its lines again, in its place, once.

use std::collections::BTreeMap;

use liminal_core::dialect::Notice;
use liminal_core::replay::{Direction, Recording};
use serde_json::Value;

/// The prefix of the result of a tool that the user stopped.
const REJECTED: &str = "The user doesn't want to proceed";
/// The requests that only clients with hooks or tools of their own get.
const NOT_OURS: [&str; 2] = ["control_request hook_callback", "control_request mcp_message"];

pub(crate) struct Played {
    /// The lines of the agent.
    said: Vec<Value>,
    /// What was added to files that were followed.
    files: Vec<Value>,
    /// The payloads of the events.
    events: Vec<Value>,
    /// The last state of each item, by the order of their first.
    items: Vec<Value>,
    notices: Vec<Notice>,
}

impl Played {
    pub(crate) fn new(
        recording: &Recording,
        events: Vec<Value>,
        upserts: Vec<Value>,
        notices: Vec<Notice>,
    ) -> Self {
        let said = recording.lines().iter().filter(|line| line.direction == Direction::Out);
        let said = said.map(|line| line.line.clone()).collect();
        let files = recording.lines().iter().filter(|line| line.direction == Direction::File);
        let files = files.map(|line| line.line.clone()).collect();
        let events = events.into_iter().map(|mut event| event["payload"].take()).collect();
        let upserts = upserts.into_iter().filter(|output| output["type"] == "session:upsert");
        let mut order = BTreeMap::new();
        let mut items: Vec<Value> = Vec::new();
        for mut upsert in upserts {
            let upsert = upsert["payload"].take();
            let id = (upsert["turnId"].to_string(), upsert["itemId"].to_string());
            let place = *order.entry(id).or_insert(items.len());
            if place == items.len() { items.push(upsert) } else { items[place] = upsert }
        }
        Self { said, files, events, items, notices }
    }

    pub(crate) fn check(&self) {
        self.every_text_is_shown_once_and_in_order();
        self.every_call_is_shown_with_what_it_was_told();
        self.every_result_is_shown_with_its_output();
        self.every_task_list_is_shown();
        self.every_question_is_shown_once();
        self.every_note_is_told();
        self.every_turn_ends_as_its_result_says();
        self.prices_add_up();
        self.tokens_add_up();
        self.every_line_is_understood();
    }

    fn every_text_is_shown_once_and_in_order(&self) {
        let lines = self.lines("assistant").filter(|line| line["message"]["model"] != "<synthetic>");
        let texts = lines.flat_map(content).filter_map(|block| {
            block["text"].as_str().or_else(|| block["thinking"].as_str()).map(str::to_owned)
        });
        let said: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        // A text that broke off for good was never told as a whole.
        let whole = self.items.iter().filter(|item| item["status"] != "error" && is_by_agent(item));
        let shown: Vec<String> = whole.map(|item| item["content"].as_str().unwrap().to_owned()).collect();
        assert_eq!(shown, said, "every text is shown exactly once");
    }

    fn every_call_is_shown_with_what_it_was_told(&self) {
        let calls = self.lines("assistant").flat_map(|line| content(line).map(move |block| (line, block)));
        for (line, call) in calls.filter(|(_, block)| block["type"] == "tool_use" && !is_task_list(block)) {
            let shown = self.call(&call["id"]);
            assert_eq!(shown["toolName"], call["name"]);
            // What permission was asked for is what runs, whatever was announced.
            let input = self.requested(&call["id"]).unwrap_or(&call["input"]);
            assert_eq!(shown["toolArguments"], *input);
            assert_eq!(shown["parentCallId"], line["parent_tool_use_id"], "sub-agents are nested");
        }
    }

    fn requested(&self, call: &Value) -> Option<&Value> {
        let mut requests = self.lines("control_request").map(|line| &line["request"]);
        let asked =
            requests.find(|request| request["tool_use_id"] == *call && request["subtype"] == "can_use_tool");
        asked.map(|request| &request["input"])
    }

    fn every_result_is_shown_with_its_output(&self) {
        let results = self.lines("user").flat_map(|line| content(line).map(move |block| (line, block)));
        for (line, result) in results.filter(|(_, block)| self.is_shown_result(block)) {
            let (shown, output) = (self.call(&result["tool_use_id"]), output(&result["content"]));
            if shown["detached"] == true {
                self.background_call_ends_as_it_was_told(shown);
                continue;
            }
            if output.starts_with(REJECTED) {
                assert!(shown["toolOutput"].is_null() && shown["status"] != "complete", "{shown}");
                continue;
            }
            if output.contains("[Subagent hand-back]") {
                let report = shown["toolOutput"].as_str().unwrap();
                assert!(
                    !report.is_empty() && report.lines().all(|line| output.contains(&format!("  {line}")))
                );
            } else {
                assert_eq!(shown["toolOutput"], output);
            }
            assert_eq!(shown["toolOutputIsError"], result["is_error"] == true);
            let details = &line["tool_use_result"];
            let changed = details["structuredPatch"].is_array() && details["filePath"].is_string();
            assert!(!changed || shown["diffs"][0]["path"] == details["filePath"], "{shown}");
            let read = &details["file"]["filePath"];
            assert!(read.is_null() || shown["locations"][0]["path"] == *read, "{shown}");
        }
        let outputs = self.events.iter().filter(|event| event["finalItem"]["type"] == "function_call_output");
        let results = self.lines("user").flat_map(content);
        let told = results
            .filter(|block| self.is_shown_result(block) && !output(&block["content"]).starts_with(REJECTED))
            .filter(|block| self.call(&block["tool_use_id"])["detached"] != true);
        let finished =
            self.items.iter().filter(|item| item["detached"] == true && item["status"] == "complete");
        assert_eq!(outputs.count(), told.count() + finished.count(), "every result is shown exactly once");
    }

    /// The immediate result of a call in the background is not its end: a notification is, or the end of its agent.
    fn background_call_ends_as_it_was_told(&self, shown: &Value) {
        let notes = self.lines("system").filter(|line| line["subtype"] == "task_notification");
        let told: Vec<&Value> = notes.filter(|line| line["tool_use_id"] == shown["callId"]).collect();
        let Some(told) = told.first() else {
            return assert_eq!(shown["errorCode"], "BACKGROUND_ENDED", "{shown}");
        };
        if told["status"] == "stopped" {
            return assert_eq!(shown["errorCode"], "BACKGROUND_ENDED", "{shown}");
        }
        assert_eq!(shown["status"], "complete", "{shown}");
        assert_eq!(shown["toolOutputIsError"], told["status"] == "failed", "{shown}");
        let written = self.written(&told["task_id"]);
        let output = if written.is_empty() { told["summary"].as_str().unwrap() } else { &written };
        assert_eq!(shown["toolOutput"], output);
    }

    /// What a command in the background wrote to its file.
    fn written(&self, task: &Value) -> String {
        let of_task = self.files.iter().filter(|line| line["task"] == *task);
        let written: String = of_task.map(|line| line["text"].as_str().unwrap()).collect();
        // The newest version adds how the command ended, which is shown anyway.
        let before_end =
            written.strip_suffix("]\n").and_then(|rest| rest.rsplit_once("\n[exited with code "));
        before_end.map_or(written.clone(), |(before, _)| before.to_owned())
    }

    /// The calls of one tool show as the list they tell; the last one stays.
    fn every_task_list_is_shown(&self) {
        let lists = self.lines("assistant").flat_map(content).filter(|block| is_task_list(block));
        let Some(last) = lists.last() else { return };
        let plan = self.items.iter().rfind(|item| item["type"] == "plan").expect("a task list is shown");
        let words = |tasks: &Value| -> Vec<(Value, Value)> {
            let tasks = tasks.as_array().unwrap().iter();
            tasks.map(|task| (task["content"].clone(), task["status"].clone())).collect()
        };
        assert_eq!(words(&plan["entries"]), words(&last["input"]["todos"]));
    }

    fn is_shown_result(&self, block: &Value) -> bool {
        let mut lists = self.lines("assistant").flat_map(content).filter(|call| is_task_list(call));
        block["type"] == "tool_result" && lists.all(|call| call["id"] != block["tool_use_id"])
    }

    fn every_question_is_shown_once(&self) {
        let asked = self.lines("control_request").filter(|line| line["request"]["subtype"] == "can_use_tool");
        let asked: Vec<&Value> = asked.collect();
        let shown: Vec<&Value> = self.items.iter().filter(|item| item["type"] == "permission").collect();
        assert_eq!(shown.len(), asked.len());
        for (item, line) in shown.iter().zip(asked) {
            assert_eq!(item["callId"], line["request"]["tool_use_id"]);
            assert!(item["options"].as_array().is_some_and(|options| options.len() >= 3));
            let is_withdrawn = self
                .lines("control_cancel_request")
                .any(|withdrawn| withdrawn["request_id"] == line["request_id"]);
            let is_unanswered = item["status"] == "error" && item["outcome"]["optionId"].is_null();
            assert!(!is_withdrawn || is_unanswered, "{item}");
        }
    }

    fn every_note_is_told(&self) {
        for (subtype, words) in
            [("api_retry", "The model's API failed"), ("compact_boundary", "The conversation was compacted")]
        {
            let said = self.lines("system").filter(|line| line["subtype"] == subtype);
            let notes = self.items.iter().filter(|item| item["origin"] == "system");
            let shown = notes.filter(|note| note["content"].as_str().unwrap().starts_with(words));
            assert_eq!(shown.count(), said.count(), "{subtype}");
        }
    }

    fn every_turn_ends_as_its_result_says(&self) {
        // Before the first turn a result tells why the program did not start.
        let since = self.said.iter().position(|line| line["subtype"] == "init").unwrap_or(self.said.len());
        let (mut expected, mut is_between) = (Vec::new(), false);
        for line in self.said.iter().skip(since) {
            match line["type"].as_str() {
                Some("result") => {
                    is_between = true;
                    expected.extend((!is_empty_turn(line)).then(|| end_of(line)));
                }
                Some("system") if line["subtype"] == "init" => is_between = false,
                // A sub-agent that continues between turns has a turn of its own that does not wait for it.
                Some("system") if line["subtype"] == "task_started" && line["is_backgrounded"] == true => {
                    expected.extend(is_between.then_some("completed"));
                }
                _ => {}
            }
        }
        let ends = self.events.iter().filter(|event| event["type"] == "response_done");
        let found: Vec<&str> = ends.map(|end| end["status"].as_str().unwrap()).collect();
        assert_eq!(found, expected);
    }

    fn prices_add_up(&self) {
        let prices = self.events.iter().filter_map(|event| event["usage"]["costUsd"].as_f64());
        let told: f64 = self.totals().iter().filter_map(|result| result["total_cost_usd"].as_f64()).sum();
        let difference = prices.sum::<f64>() - told;
        assert!(difference.abs() < 1e-9, "{difference}");
    }

    /// The models' counts have everything that was paid for.
    fn tokens_add_up(&self) {
        let totals = self.totals();
        let ends: Vec<&Value> = self.events.iter().filter(|event| event["type"] == "response_done").collect();
        for name in ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"] {
            let shown: u64 = ends.iter().filter_map(|end| end["usage"][name].as_u64()).sum();
            let models = totals.iter().filter_map(|result| result["modelUsage"].as_object());
            let counts = models.flat_map(|models| models.values()).filter_map(|model| model[name].as_u64());
            assert_eq!(shown, counts.sum::<u64>(), "{name}");
        }
    }

    /// The results that have the sums of everything: the last one, and the last before each time the count begins anew.
    fn totals(&self) -> Vec<&Value> {
        let (mut totals, mut last) = (Vec::new(), None);
        for line in &self.said {
            match line["type"].as_str() {
                Some("result") => last = Some(line),
                Some("conversation_reset") => totals.extend(last.take()),
                _ => {}
            }
        }
        totals.extend(last);
        totals
    }

    fn every_line_is_understood(&self) {
        for notice in &self.notices {
            let Notice::Unknown { kind, sample } = notice else { continue };
            assert!(NOT_OURS.contains(&kind.as_str()), "{kind}: {sample}");
        }
    }

    fn lines<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.said.iter().filter(move |line| line["type"] == kind)
    }

    fn call(&self, id: &Value) -> &Value {
        let mut calls = self.items.iter().filter(|item| item["type"] == "tool_call" && item["callId"] == *id);
        calls.next().unwrap_or_else(|| panic!("the call {id} is not shown"))
    }
}

fn end_of(result: &Value) -> &'static str {
    match result["is_error"] == true {
        true if result["terminal_reason"].as_str().is_some_and(|why| why.starts_with("aborted_")) => {
            "cancelled"
        }
        true => "error",
        false => "completed",
    }
}

/// The newest version announces turns in which nothing happens: for each task of an agent that was killed.
fn is_empty_turn(result: &Value) -> bool {
    result["num_turns"] == 0 && result["origin"]["kind"] == "task-notification"
}

fn is_by_agent(item: &Value) -> bool {
    item["type"] == "thinking" || (item["type"] == "message" && item["origin"] == "agent")
}

fn is_task_list(block: &Value) -> bool {
    block["name"] == "TodoWrite" && block["input"]["todos"].is_array()
}

fn content(line: &Value) -> impl Iterator<Item = &Value> {
    line["message"]["content"].as_array().into_iter().flatten()
}

fn output(content: &Value) -> String {
    let Some(blocks) = content.as_array() else { return content.as_str().unwrap_or_default().to_owned() };
    blocks.iter().map(|block| block["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}
