//! The agent as one of those that speak the Agent Client Protocol. Owns the conversation: what it is told, and the turn
//! that follows from it. Directives that only Claude Code's protocol has a form for are errors.

mod modes;
mod sessions;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::directive::{self, Act, Directive, Tool};
use crate::input::{Heard, Input};
use crate::output::Output;
use crate::{deeds, journal};
use modes::Modes;
use sessions::Refusal;

/// Speaks until its input ends.
pub(crate) fn run() -> Result<()> {
    let mut agent = Agent {
        input: Input::start()?,
        output: Output::default(),
        serial: 0,
        is_cancelled: false,
        has_result: true,
        running: None,
        modes: Modes::of_environment(),
    };
    loop {
        match agent.input.wait() {
            Heard::Line(line) => agent.hear(&line)?,
            Heard::Nothing => {}
            Heard::End => return Ok(()),
        }
    }
}

struct Agent {
    input: Input,
    output: Output,
    /// The number of the next thing; counts through all turns.
    serial: u64,
    is_cancelled: bool,
    has_result: bool,
    /// The client's id of the prompt that is answered.
    running: Option<Value>,
    modes: Modes,
}

impl Agent {
    fn hear(&mut self, line: &Value) -> Result<()> {
        let method = line.get("method").and_then(Value::as_str).unwrap_or_default();
        self.is_cancelled |= method == "session/cancel";
        let (Some(id), false) = (line.get("id"), method.is_empty()) else { return Ok(()) };
        journal::asked(method)?;
        let params = line.get("params").unwrap_or(&Value::Null);
        let reply = match method {
            "initialize" => Ok(sessions::introduction()),
            "session/new" => sessions::made().map(|answer| self.with_modes(answer)),
            "session/set_mode" => self.modes.choose(params),
            "session/set_config_option" => self.modes.choose_option(params),
            "session/load" => self.load(params)?,
            "session/list" => sessions::listed(params)?,
            "session/prompt" => return self.turn(id, params),
            "_session/steering" => return self.steer(id, params),
            _ => Err(Refusal(-32601, format!("{method} is not known"))),
        };
        self.output.line(match reply {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Refusal(code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        })
    }

    /// Tells what was before, and then that the session is open.
    fn load(&mut self, params: &Value) -> Result<Result<Value, Refusal>> {
        let id = text(params, "sessionId");
        if !sessions::is_remembered(id) {
            return Ok(Err(Refusal(-32002, "Resource not found".to_owned())));
        }
        for (kind, said) in [("user_message_chunk", "asked in"), ("agent_message_chunk", "said in")] {
            self.say(params, kind, &format!("{said} {id}"))?;
        }
        Ok(Ok(self.with_modes(json!({}))))
    }

    fn with_modes(&self, mut answer: Value) -> Value {
        self.modes.tell(&mut answer);
        answer
    }

    /// Takes a message into the turn that runs. One that says `late` comes too late, one that says `silent` is not
    /// answered, and one that says `over` ends the turn before it is.
    fn steer(&mut self, id: &Value, params: &Value) -> Result<()> {
        let said = params.pointer("/prompt/0/text").and_then(Value::as_str).unwrap_or_default();
        let outcome = match said {
            "silent" => return Ok(()),
            "late" => "promptRequired",
            _ => "injected",
        };
        if let Some(turn) = self.running.take_if(|_| said == "over") {
            self.has_result = false;
            self.output
                .line(json!({ "jsonrpc": "2.0", "id": turn, "result": { "stopReason": "end_turn" } }))?;
        }
        self.output.line(json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } }))
    }

    fn turn(&mut self, id: &Value, params: &Value) -> Result<()> {
        let prompt = params.pointer("/prompt/0/text").and_then(Value::as_str).unwrap_or_default();
        journal::prompted(prompt)?;
        (self.is_cancelled, self.has_result) = (false, true);
        self.running = Some(id.clone());
        for directive in directive::read_all(prompt)? {
            while let Heard::Line(line) = self.input.look() {
                self.hear(&line)?;
            }
            if self.is_cancelled {
                break;
            }
            self.obey(&directive, params)?;
        }
        if !self.has_result {
            return Ok(());
        }
        let reason = if self.is_cancelled { "cancelled" } else { "end_turn" };
        self.output.line(json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": reason } }))
    }

    fn obey(&mut self, directive: &Directive, params: &Value) -> Result<()> {
        match directive {
            Directive::Say(pieces) => self.pieces(params, "agent_message_chunk", *pieces),
            Directive::Think(pieces) => self.pieces(params, "agent_thought_chunk", *pieces),
            Directive::Tool(tool) => self.tool(params, tool),
            Directive::Ask(command) => self.ask(params, command),
            Directive::Raw(bytes) => self.output.bytes(bytes),
            Directive::Shape(shape) => {
                self.output.shape(*shape);
                Ok(())
            }
            Directive::Act(act) => self.act(*act),
            Directive::Mode(mode) => {
                let update = self.modes.change(mode);
                self.update(params, &update)
            }
            Directive::Open(_)
            | Directive::Call(_)
            | Directive::AskFor(..)
            | Directive::AskBriefly(..)
            | Directive::Line(_)
            | Directive::Replay
            | Directive::Reorder
            | Directive::Unknown
            | Directive::Garbage(_)
            | Directive::Deep(_)
            | Directive::Keys(_)
            | Directive::Flood(_)
            | Directive::Clock(_)
            | Directive::Pace(..) => bail!("{directive:?} has no form in this protocol"),
        }
    }

    fn act(&mut self, act: Act) -> Result<()> {
        match act {
            Act::Hang => deeds::hang(),
            Act::Stall(pause) => {
                if let Heard::Line(line) = self.input.wait_for(pause) {
                    self.hear(&line)?;
                }
            }
            Act::Exit(code) => std::process::exit(code),
            Act::Signal(number) => deeds::end_by_signal(number)?,
            Act::NoResult => self.has_result = false,
            Act::Stderr(bytes) => deeds::complain(bytes)?,
            Act::StopReading
            | Act::Linger
            | Act::CloseOutput
            | Act::CloseInput
            | Act::Spawn(_)
            | Act::IgnoreTerm => bail!("{act:?} is done by Claude Code alone"),
        }
        Ok(())
    }

    fn pieces(&mut self, params: &Value, kind: &str, count: u64) -> Result<()> {
        for _ in 0..count {
            let piece = format!("piece {} ", self.next());
            self.say(params, kind, &piece)?;
        }
        Ok(())
    }

    fn say(&mut self, params: &Value, kind: &str, words: &str) -> Result<()> {
        let content = json!({ "type": "text", "text": words });
        self.update(params, &json!({ "sessionUpdate": kind, "content": content }))
    }

    /// A command that ends by the code that its arguments tell, as Codex's adapter tells it.
    fn tool(&mut self, params: &Value, tool: &Tool) -> Result<()> {
        let call = format!("call-{}", self.next());
        let told = json!({ "sessionUpdate": "tool_call", "toolCallId": call, "name": tool.name, "kind": "execute",
            "title": tool.name, "status": "in_progress", "rawInput": tool.input });
        self.update(params, &told)?;
        let output =
            json!({ "terminal_output": { "data": format!("result of {call}\n"), "terminal_id": call } });
        self.update(
            params,
            &json!({ "sessionUpdate": "tool_call_update", "toolCallId": call, "_meta": output }),
        )?;
        let code = tool.input.get("exit").cloned().unwrap_or_else(|| Value::from(0));
        let exit = json!({ "terminal_exit": { "exit_code": code, "signal": null, "terminal_id": call } });
        let end = json!({ "sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed", "_meta": exit });
        self.update(params, &end)
    }

    fn ask(&mut self, params: &Value, command: &str) -> Result<()> {
        let (call, request) = (format!("call-{}", self.next()), format!("ask-{}", self.next()));
        let told = json!({ "toolCallId": call, "title": command, "kind": "execute", "status": "pending" });
        let options = json!([
            { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
            { "optionId": "maybe", "name": "Perhaps for ever", "kind": "allow_somehow" },
            { "optionId": "no", "name": "No", "kind": "reject_once" },
        ]);
        let asked = json!({ "sessionId": text(params, "sessionId"), "toolCall": told, "options": options });
        let method = "session/request_permission";
        self.output.line(json!({ "jsonrpc": "2.0", "id": request, "method": method, "params": asked }))?;
        let answer = self.answer_to(&request)?;
        let chosen = answer.pointer("/result/outcome/optionId").and_then(Value::as_str).unwrap_or("nobody");
        let content = json!([{ "type": "content", "content": { "type": "text", "text": format!("{chosen}: {command}") } }]);
        let status = if chosen == "yes" { "completed" } else { "failed" };
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": call, "status": status, "content": content });
        self.update(params, &update)
    }

    fn answer_to(&mut self, request: &str) -> Result<Value> {
        loop {
            match self.input.wait() {
                Heard::Line(line) if text(&line, "id") == request => return Ok(line),
                Heard::Line(line) => self.hear(&line)?,
                Heard::Nothing | Heard::End => return Ok(Value::Null),
            }
        }
    }

    fn update(&mut self, params: &Value, update: &Value) -> Result<()> {
        let params = json!({ "sessionId": text(params, "sessionId"), "update": update });
        self.output.line(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
    }

    const fn next(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}

fn text<'a>(fields: &'a Value, key: &str) -> &'a str {
    fields.get(key).and_then(Value::as_str).unwrap_or_default()
}
