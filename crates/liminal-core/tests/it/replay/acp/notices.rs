//! What a session learns of a recording and no item shows, one line each: its settings, its title, how full the
//! context is, what was refused and what nobody understood.

use liminal_core::dialect::{AgentOption, Notice};
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::replay::Audience;
use liminal_core::time::Now;

#[derive(Default)]
struct NoticeLines(String);

pub(crate) fn notice_lines(play: impl FnOnce(&mut dyn Audience)) -> String {
    let mut lines = NoticeLines::default();
    play(&mut lines);
    lines.0
}

impl Audience for NoticeLines {
    fn advance(&mut self, _: Now) {}

    fn event(&mut self, _: &StreamEventEnvelope, _: Now) {}

    fn notice(&mut self, notice: &Notice) {
        self.0.push_str(&words(notice));
        self.0.push('\n');
    }

    fn end(&mut self, _: Now) {}
}

fn words(notice: &Notice) -> String {
    match notice {
        Notice::Ready(abilities) => {
            let modes: Vec<&str> = abilities.permission_modes.iter().map(|mode| mode.id.as_str()).collect();
            let models: Vec<&str> = abilities.models.iter().map(|model| model.id.as_str()).collect();
            format!("ready: modes {}; models {}", modes.join(" "), models.join(" "))
        }
        Notice::TurnBound { turn } => format!("turn {turn} bound"),
        Notice::TurnOpened { turn } => format!("turn {turn} opened"),
        Notice::TurnMerged { turn, into } => format!("turn {turn} merged into {into}"),
        Notice::Steered { turn, into } => format!("message {turn} taken into {into}"),
        Notice::NotSteered { turn, error } => format!("message {turn} not taken: {error:?}"),
        Notice::AgentSession { id } => format!("session {id}"),
        Notice::Model { model } => format!("model {model}"),
        Notice::PermissionMode { mode } => format!("permission mode {mode}"),
        Notice::Title { title } => format!("title {title}"),
        Notice::Commands(commands) => {
            let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
            format!("commands {}", names.join(" "))
        }
        Notice::AgentOptions(options) => {
            format!("options {}", options.iter().map(chosen).collect::<Vec<_>>().join(" "))
        }
        Notice::Context { used, size } => format!("context {used} of {size}"),
        Notice::WholeInput { item_id, .. } => format!("whole input of {item_id}"),
        Notice::AnswerRefused { item_id, error } => format!("answer to {item_id} refused: {error:?}"),
        Notice::CommandRefused(error) => format!("command refused: {error:?}"),
        Notice::Unknown { kind, .. } => format!("unknown {kind}"),
        Notice::FollowOutput { task, path } => format!("follow: {task} {path}"),
        Notice::UnfollowOutput { task } => format!("unfollow: {task}"),
        Notice::Failed(error) => format!("failed: {error:?}"),
    }
}

fn chosen(option: &AgentOption) -> String {
    format!("{}={} of {}", option.id, option.current.as_deref().unwrap_or("nothing"), option.choices.len())
}
