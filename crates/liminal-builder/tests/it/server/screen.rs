//! What a client shows of a session, made of the frames it was sent: each state replaces the earlier one, and items
//! stand in the order of their first `seq`.

use std::collections::BTreeMap;

use liminal_core::ids::ItemId;
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody};
use liminal_core::wire::ServerMessage;
use liminal_core::wire::rest::HistoryPage;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Screen {
    items: BTreeMap<ItemId, (u64, Upsert)>,
    turns: Vec<TurnEvent>,
    seq: u64,
    /// Frames that only said what was added.
    pub(super) appends: usize,
}

impl Screen {
    pub(super) fn of<'a>(frames: impl IntoIterator<Item = &'a ServerMessage>) -> Self {
        let mut screen = Self::default();
        for frame in frames {
            screen.apply(frame);
        }
        screen
    }

    pub(super) fn apply(&mut self, frame: &ServerMessage) {
        match frame {
            ServerMessage::History { entries, turns, seq, .. } => {
                // Their places are not told, but their order is, and all of them stand before what follows.
                let placed = entries.iter().enumerate();
                let placed = placed.map(|(place, item)| (item.item_id.clone(), (place as u64, item.clone())));
                *self = Self { items: placed.collect(), turns: turns.clone(), seq: *seq, appends: 0 };
            }
            ServerMessage::Upsert { seq, first_seq, payload, .. } => {
                self.advance(seq.unwrap());
                let place = match self.items.get(&payload.item_id) {
                    Some((place, _)) => *place,
                    None => first_seq.unwrap() + 1_000_000,
                };
                self.items.insert(payload.item_id.clone(), (place, (**payload).clone()));
            }
            ServerMessage::Turn { seq, payload, .. } => {
                self.advance(seq.unwrap());
                self.turns.push(payload.clone());
            }
            ServerMessage::Append { seq, item_id, base, text, .. } => {
                self.advance(*seq);
                self.appends += 1;
                let (_, item) = self.items.get_mut(item_id).expect("only what is held grows");
                append(item, *base, text);
            }
            _ => {}
        }
    }

    fn advance(&mut self, seq: u64) {
        assert!(seq > self.seq, "{seq} came after {}", self.seq);
        self.seq = seq;
    }

    /// The last change that is shown.
    pub(super) const fn seq(&self) -> u64 {
        self.seq
    }

    /// The items in order.
    pub(super) fn items(&self) -> Vec<Upsert> {
        let mut items: Vec<&(u64, Upsert)> = self.items.values().collect();
        items.sort_by_key(|(place, _)| *place);
        items.into_iter().map(|(_, item)| item.clone()).collect()
    }

    pub(super) fn assert_is(&self, page: &HistoryPage) {
        assert_eq!(self.items(), page.entries);
        assert_eq!(self.turns, page.turns);
        assert_eq!(self.seq, page.seq);
    }
}

fn append(item: &mut Upsert, base: u64, added: &str) {
    let text = match &mut item.body {
        UpsertBody::Message(message) => &mut message.content,
        UpsertBody::Thinking(thinking) => &mut thinking.content,
        UpsertBody::ToolCall(call) => call.tool_output.get_or_insert_default(),
        other => panic!("{other:?} does not grow"),
    };
    let held: Vec<u16> = text.encode_utf16().take(usize::try_from(base).unwrap()).collect();
    assert_eq!(held.len() as u64, base, "only what is held grows");
    *text = String::from_utf16(&held).unwrap() + added;
}

/// The texts of all messages, in order.
pub(super) fn texts(items: &[Upsert]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|item| match &item.body {
            UpsertBody::Message(message) => Some(message.content.as_str()),
            _ => None,
        })
        .collect()
}
