//! Plays the user of a scenario: says, answers, waits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use liminal_builder::clock;
use liminal_builder::session::{Board, SessionHandle};
use liminal_core::event::Origin;
use liminal_core::ids::ItemId;
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::rest::PermissionAnswer;
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::scenarios::Step;

const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Player {
    handle: SessionHandle,
    outputs: mpsc::Receiver<Output>,
    home: String,
    asked: VecDeque<ItemId>,
    ended: usize,
    has_spoken: bool,
    /// The calls that run in the background.
    background: BTreeSet<ItemId>,
    board: Board,
}

impl Player {
    pub(crate) fn new(
        handle: SessionHandle,
        outputs: mpsc::Receiver<Output>,
        board: Board,
        home: &Path,
    ) -> Self {
        Self {
            handle,
            outputs,
            home: home.display().to_string(),
            asked: VecDeque::new(),
            ended: 0,
            has_spoken: false,
            background: BTreeSet::new(),
            board,
        }
    }

    /// Plays all steps, ends the agent and reads what it still says.
    pub(crate) async fn play(mut self, steps: &[Step]) -> Result<()> {
        for step in steps {
            self.step(step).await.with_context(|| format!("{step:?}"))?;
        }
        let Self { handle, mut outputs, .. } = self;
        let read = async { while outputs.recv().await.is_some() {} };
        tokio::join!(handle.kill(), read);
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Say(text) => self.say(text).await,
            Step::Asked(count) => self.until(|player| player.asked.len() >= *count).await,
            Step::Answer(option_id) => self.answer(option_id, &[]).await,
            Step::AnswerWith(option_id, words) => self.answer(option_id, words).await,
            Step::AnswerLast(option_id) => {
                self.asked.rotate_right(1);
                self.answer(option_id, &[]).await
            }
            Step::Cancel => Ok(self.handle.cancel().await?),
            Step::StopBackground => Ok(self.handle.stop_background().await?),
            Step::Background(0) => self.until(|player| player.background.is_empty()).await,
            Step::Background(count) => self.until(|player| player.background.len() >= *count).await,
            Step::Kill => self.kill(),
            Step::Said => self.until(|player| player.has_spoken).await,
            Step::Ends(count) => {
                self.until(|player| player.ended >= *count).await?;
                self.ended -= count;
                Ok(())
            }
        }
    }

    fn kill(&self) -> Result<()> {
        let pid = self.board.now().view.agent.pid.context("the agent has no process")?;
        let pid = Pid::from_raw(pid.cast_signed()).context("no process has this id")?;
        Ok(kill_process(pid, Signal::KILL)?)
    }

    async fn say(&mut self, text: &str) -> Result<()> {
        let text = text.replace("HOME", &self.home);
        let handle = self.handle.clone();
        let sent = handle.send(clock::new_turn_id(), text.into());
        tokio::pin!(sent);
        loop {
            tokio::select! {
                sent = &mut sent => return Ok(sent.map(drop)?),
                output = self.outputs.recv() => self.hear(output)?,
            }
        }
    }

    async fn answer(&mut self, option_id: &str, words: &[(&str, &str)]) -> Result<()> {
        self.until(|player| !player.asked.is_empty()).await?;
        let item_id = self.asked.pop_front().context("nothing was asked")?;
        let answers: BTreeMap<String, String> =
            words.iter().map(|(question, answer)| ((*question).to_owned(), (*answer).to_owned())).collect();
        let answer = PermissionAnswer { option_id: Some(option_id.to_owned()), answers, reason: None };
        Ok(self.handle.answer(item_id, answer).await?)
    }

    async fn until(&mut self, holds: impl Fn(&Self) -> bool) -> Result<()> {
        while !holds(self) {
            let output = timeout(PATIENCE, self.outputs.recv()).await.context("nothing happens any more")?;
            self.hear(output)?;
        }
        Ok(())
    }

    fn hear(&mut self, output: Option<Output>) -> Result<()> {
        match output {
            None => bail!("the session has ended"),
            Some(Output::Turn(TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. })) => {
                self.ended += 1;
            }
            Some(Output::Upsert(Upsert {
                item_id,
                status: UpsertStatus::Create,
                body: UpsertBody::Permission(_),
                ..
            })) => self.asked.push_back(item_id),
            Some(Output::Upsert(Upsert { body: UpsertBody::Message(message), .. }))
                if message.origin == Origin::Agent =>
            {
                self.has_spoken = true;
            }
            Some(Output::Upsert(Upsert { item_id, status, body: UpsertBody::ToolCall(call), .. }))
                if call.detached =>
            {
                match status {
                    UpsertStatus::Create | UpsertStatus::Update => drop(self.background.insert(item_id)),
                    UpsertStatus::Complete | UpsertStatus::Error => drop(self.background.remove(&item_id)),
                }
            }
            Some(Output::Upsert(_) | Output::Turn(TurnEvent::TurnStarted { .. })) => {}
        }
        Ok(())
    }
}
