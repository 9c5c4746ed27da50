//! The agent as Claude Code. Owns the conversation: what it is told, and the turn that follows from it.

mod faults;
mod lines;
mod speech;

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::directive::{self, Act, Directive, Tool};
use crate::input::{Heard, Input};
use crate::output::Output;
use crate::{deeds, journal};
use lines::{Scribe, answers_another, response, tool_use, withdrawal};

/// Speaks until its input ends.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut agent = Agent::new(arguments)?;
    if let Ok(prelude) = std::env::var("FAKE_AGENT_PRELUDE") {
        agent.output.bytes(&directive::bytes(&prelude)?)?;
    }
    if let Ok(start) = std::env::var("FAKE_AGENT_START") {
        agent.follow(&directive::read_all(&start)?)?;
    }
    agent.converse()
}

#[derive(PartialEq, Eq)]
enum Listening {
    Continues,
    Ended,
}

struct Agent {
    input: Input,
    output: Output,
    scribe: Scribe,
    /// The number of the next piece of text; counts through all turns.
    serial: u64,
    messages: u64,
    prompts: VecDeque<Value>,
    /// What was answered to the request that waits.
    answer: Option<Value>,
    is_interrupted: bool,
    has_result: bool,
    lingers: bool,
}

impl Agent {
    fn new(arguments: &[String]) -> Result<Self> {
        let named = |argument: &'_ String| {
            let value = argument.strip_prefix("--session-id=").or_else(|| argument.strip_prefix("--resume="));
            value.map(str::to_owned)
        };
        let session = arguments.iter().find_map(named);
        let mode = arguments.iter().find_map(|argument| argument.strip_prefix("--permission-mode="));
        Ok(Self {
            input: Input::start()?,
            output: Output::default(),
            scribe: Scribe::new(session.unwrap_or_default(), mode.unwrap_or("default").to_owned()),
            serial: 0,
            messages: 0,
            prompts: VecDeque::new(),
            answer: None,
            is_interrupted: false,
            has_result: true,
            lingers: false,
        })
    }

    fn converse(mut self) -> Result<()> {
        loop {
            if let Some(prompt) = self.prompts.pop_front() {
                self.turn(&prompt)?;
                continue;
            }
            match self.input.wait() {
                Heard::Line(line) => self.hear(line)?,
                Heard::Nothing => {}
                Heard::End if self.lingers => deeds::hang(),
                Heard::End => return Ok(()),
            }
        }
    }

    fn hear(&mut self, line: Value) -> Result<()> {
        let text = |pointer| line.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        match (text("/type"), text("/request/subtype")) {
            ("user", _) => self.prompts.push_back(line),
            ("control_response", _) => self.answer = Some(line),
            ("control_request", subtype) => {
                self.is_interrupted |= subtype == "interrupt";
                if subtype == "set_permission_mode" {
                    let status = self.scribe.mode(text("/request/mode"));
                    self.output.line(status)?;
                }
                let abilities = json!({ "models": [], "commands": [] });
                self.output.line(response(line.get("request_id").unwrap_or(&Value::Null), &abilities))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Hears what has been said meanwhile.
    fn look(&mut self) -> Result<()> {
        while let Heard::Line(line) = self.input.look() {
            self.hear(line)?;
        }
        Ok(())
    }

    fn turn(&mut self, prompt: &Value) -> Result<()> {
        let text = prompt.pointer("/message/content").and_then(Value::as_str).unwrap_or_default();
        journal::prompted(text)?;
        journal::kept(self.scribe.session(), prompt)?;
        self.output.forget();
        (self.is_interrupted, self.has_result) = (false, true);
        let init = self.scribe.init();
        self.output.line(init)?;
        let echo = self.scribe.echo(prompt);
        self.output.line(echo)?;
        self.follow(&directive::read_all(text)?)?;
        if !self.has_result {
            return Ok(());
        }
        let result = if self.is_interrupted { self.scribe.aborted() } else { self.scribe.completed("") };
        self.output.line(result)
    }

    fn follow(&mut self, directives: &[Directive]) -> Result<()> {
        for directive in directives {
            self.look()?;
            if self.is_interrupted {
                break;
            }
            self.obey(directive)?;
        }
        Ok(())
    }

    fn obey(&mut self, directive: &Directive) -> Result<()> {
        match directive {
            Directive::Say(pieces) => self.text("text", *pieces),
            Directive::Think(pieces) => self.text("thinking", *pieces),
            Directive::Open(pieces) => self.open_text("text", *pieces).map(drop),
            Directive::Tool(tool) => self.tool(tool),
            Directive::Call(tool) => self.call(tool).map(drop),
            Directive::Mode(mode) => {
                let status = self.scribe.mode(mode);
                self.output.line(status)
            }
            Directive::Ask(command) => self.ask(command, None),
            Directive::AskBriefly(patience, command) => self.ask(command, Some(*patience)),
            Directive::AskFor(tool, requested) => self.ask_for(tool, requested.clone(), None),
            Directive::Line(bytes) => self.long_line(*bytes),
            Directive::Raw(bytes) => self.output.bytes(bytes),
            Directive::Replay => self.output.replay(),
            Directive::Reorder => self.reorder(),
            Directive::Unknown => self.unknown(),
            Directive::Garbage(lines) => self.garbage(*lines),
            Directive::Deep(depth) => self.deep(*depth),
            Directive::Keys(count) => self.keys(*count),
            Directive::Flood(pace) => self.flood(*pace),
            Directive::Clock(messages) => self.clock(*messages),
            Directive::Pace(pieces, pause) => self.paced(*pieces, *pause),
            Directive::Shape(shape) => {
                self.output.shape(*shape);
                Ok(())
            }
            Directive::Act(act) => self.act(*act),
        }
    }

    fn act(&mut self, act: Act) -> Result<()> {
        match act {
            Act::Hang => deeds::hang(),
            Act::Stall(pause) => {
                if let Heard::Line(line) = self.input.wait_for(pause) {
                    self.hear(line)?;
                }
            }
            Act::StopReading => self.input.stop(),
            Act::Exit(code) => std::process::exit(code),
            Act::Signal(number) => deeds::end_by_signal(number)?,
            Act::NoResult => self.has_result = false,
            Act::Linger => self.lingers = true,
            Act::CloseOutput => deeds::close_output()?,
            Act::CloseInput => deeds::close_input()?,
            Act::Spawn(descent) => deeds::spawn(descent)?,
            Act::IgnoreTerm => deeds::ignore_term()?,
            Act::Stderr(bytes) => deeds::complain(bytes)?,
        }
        Ok(())
    }

    fn ask(&mut self, command: &str, patience: Option<Duration>) -> Result<()> {
        let input: Map<String, Value> = [("command".to_owned(), Value::from(command))].into_iter().collect();
        let tool = Tool { name: "Bash".to_owned(), input: input.clone() };
        self.ask_for(&tool, input, patience)
    }

    fn ask_for(
        &mut self,
        tool: &Tool,
        requested: Map<String, Value>,
        patience: Option<Duration>,
    ) -> Result<()> {
        let call = self.call(tool)?;
        let command = requested.get("command").and_then(Value::as_str).unwrap_or(&tool.name).to_owned();
        let ask = self.scribe.ask(&call, &Tool { name: tool.name.clone(), input: requested });
        self.output.line(ask.clone())?;
        if self.await_answer(&ask, patience)? == Listening::Ended {
            return Ok(());
        }
        if self.answer.is_none() && !self.is_interrupted {
            self.output.line(withdrawal(&ask))?;
        }
        let answer = self.answer.take().unwrap_or_default();
        let behavior =
            answer.pointer("/response/response/behavior").and_then(Value::as_str).unwrap_or("none");
        let result = self.scribe.tool_result(&call, &format!("{behavior}: {command}"), behavior != "allow");
        self.output.line(result)
    }

    /// Waits for the answer to a request, an interrupt or the end of its patience.
    fn await_answer(&mut self, ask: &Value, patience: Option<Duration>) -> Result<Listening> {
        self.answer = None;
        while self.answer.is_none() && !self.is_interrupted {
            match patience.map_or_else(|| self.input.wait(), |patience| self.input.wait_for(patience)) {
                // An answer may cross the withdrawal of its request.
                Heard::Line(line) if answers_another(ask, &line) => {}
                Heard::Line(line) => self.hear(line)?,
                Heard::Nothing => break,
                Heard::End => return Ok(Listening::Ended),
            }
        }
        Ok(Listening::Continues)
    }

    fn tool(&mut self, tool: &Tool) -> Result<()> {
        let call = self.call(tool)?;
        let output = format!("result {}", self.next_serial());
        let result = self.scribe.tool_result(&call, &output, false);
        self.output.line(result)
    }

    fn call(&mut self, tool: &Tool) -> Result<String> {
        let message = self.start_message()?;
        let call = format!("toolu_{}", self.next_serial());
        let block = tool_use(&call, tool);
        let empty = Tool { name: tool.name.clone(), input: Map::new() };
        let input = serde_json::to_string(&tool.input)?;
        let lines = [
            self.scribe.block_start(0, &tool_use(&call, &empty)),
            self.scribe.delta(0, &json!({ "type": "input_json_delta", "partial_json": input })),
            self.scribe.whole(&message, &block),
            self.scribe.block_stop(0),
            self.scribe.stop_reason("tool_use"),
            self.scribe.message_stop(),
        ];
        lines.into_iter().try_for_each(|line| self.output.line(line))?;
        Ok(call)
    }

    const fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}
