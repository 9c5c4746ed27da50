//! What a turn told, in the short form in which it is kept and replayed: a text in one piece, an output in one piece,
//! the last state of a plan. Owns the shortening; where it is kept is the store's business.

use serde_json::Value;

#[derive(Debug, Default)]
pub(super) struct Transcript {
    updates: Vec<Value>,
}

impl Transcript {
    pub(super) fn note(&mut self, update: &Value) {
        match word(update, "/sessionUpdate") {
            Some("agent_message_chunk" | "agent_thought_chunk") => {
                self.join(update, &["/sessionUpdate", "/messageId"], "/content/text");
            }
            Some("tool_call_update") => {
                self.join(update, &["/toolCallId"], "/_meta/terminal_output/data");
            }
            Some("plan") => {
                self.updates.retain(|earlier| word(earlier, "/sessionUpdate") != Some("plan"));
                self.updates.push(update.clone());
            }
            Some("tool_call") => self.updates.push(update.clone()),
            // How the session stands is told anew to everybody who opens it.
            Some(_) | None => {}
        }
    }

    pub(super) fn into_updates(self) -> Vec<Value> {
        self.updates
    }

    /// Adds a piece to the one before if they belong together, and else keeps it as it is.
    fn join(&mut self, update: &Value, same: &[&str], piece: &str) {
        let added = word(update, piece);
        let last = self.updates.last_mut().filter(|last| {
            word(last, piece).is_some() && same.iter().all(|key| last.pointer(key) == update.pointer(key))
        });
        match (added, last.and_then(|last| last.pointer_mut(piece))) {
            (Some(added), Some(Value::String(text))) => text.push_str(added),
            (Some(_) | None, _) => self.updates.push(update.clone()),
        }
    }
}

fn word<'a>(update: &'a Value, pointer: &str) -> Option<&'a str> {
    update.pointer(pointer).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::super::updates::{self, Voice};
    use super::*;

    #[test]
    fn pieces_of_one_text_and_of_one_output_become_one_and_a_plan_its_last_state() {
        let mut transcript = Transcript::default();
        for update in [
            updates::text(Voice::Thought, "m1", "so "),
            updates::text(Voice::Agent, "m1", "one "),
            updates::text(Voice::Agent, "m1", "two"),
            updates::plan(&[]),
            updates::text(Voice::Agent, "m2", "three"),
            updates::output("c1", "a\n"),
            updates::output("c1", "b\n"),
            updates::output("c2", "other\n"),
            updates::plan(&[]),
            updates::usage(3),
        ] {
            transcript.note(&update);
        }
        let expected = [
            updates::text(Voice::Thought, "m1", "so "),
            updates::text(Voice::Agent, "m1", "one two"),
            updates::text(Voice::Agent, "m2", "three"),
            updates::output("c1", "a\nb\n"),
            updates::output("c2", "other\n"),
            updates::plan(&[]),
        ];
        assert_eq!(transcript.into_updates(), expected);
    }
}
