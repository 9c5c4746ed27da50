//! A simulated agent: what it does with a prompt, and all that can go wrong with it, by its own chance. Owns one
//! process's life; speaks in the lines of `speech`.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use liminal_builder::process::Exit;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::timeout;

use super::super::figures::Chance;
use super::provider::{Life, Said, exited, output_ended};
use super::speech::{self, Speech, Told};
use super::world::{World, millis, pause, seconds};

/// Why an agent does not go on with what it does.
enum Stop {
    Interrupted,
    Dead,
}

type Going = Result<(), Stop>;

pub(super) struct Agent {
    number: u64,
    world: World,
    chance: Chance,
    heard: UnboundedReceiver<Told>,
    says: UnboundedSender<Said>,
    does_not_read: Arc<AtomicBool>,
    speech: Speech,
    prompts: VecDeque<(String, Value)>,
    answers: VecDeque<(String, String)>,
    is_interrupted: bool,
    ignores_cancel: bool,
    last: Option<Value>,
}

impl Agent {
    pub(super) fn new(
        number: u64,
        world: World,
        (heard, says): (UnboundedReceiver<Told>, UnboundedSender<Said>),
        does_not_read: Arc<AtomicBool>,
    ) -> Self {
        let mut chance = world.chance();
        let ignores_cancel = chance.one_in(8);
        Self {
            number,
            world,
            chance,
            heard,
            says,
            does_not_read,
            speech: Speech::new(number),
            prompts: VecDeque::new(),
            answers: VecDeque::new(),
            is_interrupted: false,
            ignores_cancel,
            last: None,
        }
    }

    /// Lives until it ends itself or is ended.
    pub(super) async fn live(mut self, life: Life) {
        if self.chance.one_in(30) {
            drop(self.crash());
        } else {
            self.converse().await;
        }
        // What it said is read after its end as well.
        drop(life);
    }

    async fn converse(&mut self) {
        loop {
            if let Some((text, line)) = self.prompts.pop_front() {
                if matches!(self.turn(text, &line).await, Err(Stop::Dead)) {
                    return;
                }
                continue;
            }
            let Some(told) = self.heard.recv().await else { return };
            if self.hear(told).await.is_err() {
                return;
            }
        }
    }

    async fn hear(&mut self, told: Told) -> Going {
        match told {
            Told::Prompt { text, line } => self.prompts.push_back((text, line)),
            Told::Answer { request, behavior } => self.answered(request, behavior),
            Told::Control { request, subtype } if subtype == "interrupt" => {
                if self.ignores_cancel {
                    self.world.fault("cancel ignored", format_args!("agent {}", self.number));
                } else {
                    self.is_interrupted = true;
                    self.write(speech::response(&request), None);
                }
            }
            Told::Control { request, .. } => {
                if self.chance.one_in(40) {
                    self.world.fault("silent start", format_args!("agent {}", self.number));
                    return pending().await;
                }
                pause(millis(self.chance.below(300))).await;
                self.write(speech::response(&request), None);
            }
        }
        Ok(())
    }

    fn answered(&mut self, request: String, behavior: String) {
        let question = request.clone();
        self.world.note(format_args!("agent {} is answered {question}: {behavior}", self.number));
        let mut state = self.world.lock();
        let times = state.promises.heard.entry(question.clone()).or_default();
        *times += 1;
        let is_twice = *times > 1;
        let is_forged = behavior == "allow" && !state.promises.allowed.contains(&question);
        drop(state);
        self.world.must(!is_twice, || format!("{question} was answered twice"));
        self.world.must(!is_forged, || format!("{question} was allowed and nobody had said so"));
        self.answers.push_back((request, behavior));
    }

    async fn look(&mut self) -> Going {
        while let Ok(told) = self.heard.try_recv() {
            self.hear(told).await?;
        }
        if std::mem::take(&mut self.is_interrupted) { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn write(&mut self, line: Value, begins: Option<String>) {
        let bytes = serde_json::to_vec(&line).unwrap();
        self.last = Some(line);
        // Nobody may be listening any more.
        self.says.send(Said::Line { bytes, begins }).ok();
    }

    /// Says one line, after a while, unless something happens to it first.
    async fn say(&mut self, line: Value) -> Going {
        let time = match self.chance.below(60) {
            0 => self.chance.below(20_000),
            1..10 => self.chance.below(400),
            10..30 => self.chance.below(20),
            _ => 0,
        };
        if time > 0 {
            pause(millis(time)).await;
        }
        self.look().await?;
        if self.chance.one_in(250) {
            return self.crash();
        }
        self.write(line, None);
        Ok(())
    }

    async fn say_all(&mut self, lines: Vec<Value>) -> Going {
        for line in lines {
            self.say(line).await?;
        }
        Ok(())
    }

    fn crash(&mut self) -> Going {
        let exits = [Exit::Code(0), Exit::Code(1), Exit::Code(137), Exit::Signal(9), Exit::Signal(11)];
        let exit = exits[self.chance.index(exits.len())];
        self.world.fault("crash", format_args!("agent {}", self.number));
        self.says.send(Said::End(exited(exit))).ok();
        Err(Stop::Dead)
    }

    async fn turn(&mut self, text: String, line: &Value) -> Going {
        self.is_interrupted = false;
        match self.chance.below(60) {
            0 => return self.crash(),
            1 => {
                self.world.fault("prompt unheard", format_args!("agent {}", self.number));
                return pending().await;
            }
            2 => pause(seconds(self.chance.below(40))).await,
            _ => pause(millis(self.chance.below(50))).await,
        }
        self.world.note(format_args!("agent {} begins {text}", self.number));
        self.world.count("turns begun");
        let init = self.speech.init();
        self.write(init, Some(text));
        match self.perform(line).await {
            Err(Stop::Interrupted) => self.wind_up().await,
            other => other,
        }
    }

    async fn perform(&mut self, prompt: &Value) -> Going {
        if !self.chance.one_in(20) {
            let echo = self.speech.echo(prompt);
            self.say(echo).await?;
        }
        for _ in 0..self.chance.below(5) {
            self.act().await?;
        }
        self.end().await
    }

    /// It was interrupted; some go on talking for a while.
    async fn wind_up(&mut self) -> Going {
        if self.chance.one_in(3) {
            self.world.fault("output after cancel", format_args!("agent {}", self.number));
            let pieces = ["late ".to_owned(), "words".to_owned()];
            for line in self.speech.text("text", &pieces) {
                pause(millis(self.chance.below(300))).await;
                self.write(line, None);
            }
        }
        if self.chance.one_in(10) {
            return self.crash();
        }
        let aborted = self.speech.aborted();
        self.write(aborted, None);
        Ok(())
    }

    async fn act(&mut self) -> Going {
        match self.chance.below(12) {
            0..4 => self.talk("text").await,
            4 | 5 => self.talk("thinking").await,
            6 | 7 => self.work().await,
            8 | 9 => self.ask().await,
            10 => self.nonsense(),
            _ => {
                pause(seconds(self.chance.below(90))).await;
                Ok(())
            }
        }
    }

    async fn talk(&mut self, kind: &str) -> Going {
        let pieces: Vec<String> = (0..self.chance.index(12)).map(|piece| "word ".repeat(piece + 1)).collect();
        let lines = self.speech.text(kind, &pieces);
        self.say_all(lines).await
    }

    async fn work(&mut self) -> Going {
        let call = format!("call_{}", self.world.number());
        let lines = self.speech.call(&call, "Bash", &json!({ "command": "ls" }));
        self.say_all(lines).await?;
        let result = self.speech.result_of(&call, "a b c");
        self.say(result).await
    }

    fn nonsense(&mut self) -> Going {
        let repeated = self.last.clone();
        match self.chance.below(3) {
            0 => self.write(json!("no line of any agent"), None),
            1 => self.write(speech::response(&json!("nobody")), None),
            _ => repeated.into_iter().for_each(|line| self.write(line, None)),
        }
        Ok(())
    }

    /// Asks before it acts, or asks a question, and waits; some take it back.
    async fn ask(&mut self) -> Going {
        let number = self.world.number();
        let (request, call) = (format!("ask-{number}"), format!("call_{number}"));
        let (name, input) = if self.chance.one_in(3) {
            let options =
                json!([{ "label": "red", "description": "" }, { "label": "blue", "description": "" }]);
            let question = json!({ "question": request, "header": "h", "options": options });
            ("AskUserQuestion", json!({ "questions": [question] }))
        } else {
            ("Bash", json!({ "command": request }))
        };
        let lines = self.speech.call(&call, name, &input);
        self.say_all(lines).await?;
        self.say(speech::ask(&request, &call, name, &input)).await?;
        self.world.note(format_args!("agent {} asks {request}", self.number));
        self.world.count("questions");
        self.await_answer(&request).await?;
        let result = self.speech.result_of(&call, "done");
        self.say(result).await
    }

    async fn await_answer(&mut self, request: &str) -> Going {
        let patience = if self.chance.one_in(6) { self.chance.below(20) } else { 100_000 };
        while self.answers.iter().all(|(answered, _)| answered != request) {
            match timeout(seconds(patience), self.heard.recv()).await {
                Ok(Some(told)) => self.hear(told).await?,
                Ok(None) => return Err(Stop::Dead),
                Err(_) => {
                    self.write(speech::withdrawal(request), None);
                    return Ok(());
                }
            }
            self.look().await?;
        }
        Ok(())
    }

    async fn end(&mut self) -> Going {
        match self.chance.below(24) {
            0 => return self.crash(),
            1 | 2 => {
                self.world.fault("hang", format_args!("agent {}", self.number));
                return self.hang().await;
            }
            3 => {
                self.world.fault("output closed", format_args!("agent {}", self.number));
                self.says.send(Said::End(output_ended())).ok();
                return pending().await;
            }
            4 => {
                self.world.fault("input unread", format_args!("agent {}", self.number));
                self.does_not_read.store(true, Ordering::Relaxed);
            }
            5 | 6 => {
                let failed = self.speech.failed();
                return self.say(failed).await;
            }
            7 => {
                self.world.fault("end twice", format_args!("agent {}", self.number));
                let result = self.speech.completed();
                self.say(result).await?;
            }
            _ => {}
        }
        let result = self.speech.completed();
        self.say(result).await
    }

    /// Says nothing more until it is interrupted.
    async fn hang(&mut self) -> Going {
        loop {
            let Some(told) = self.heard.recv().await else { return Err(Stop::Dead) };
            self.hear(told).await?;
            self.look().await?;
        }
    }
}
