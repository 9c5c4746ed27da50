//! What a client shows: the rules of the wire, and a check of each of them with every frame.

use std::collections::BTreeMap;

use liminal_core::ids::{ItemId, TurnId};
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::view::SessionView;
use liminal_core::wire::{Resume, ServerMessage};

#[derive(Debug, Default)]
pub(super) struct Shown {
    epoch: String,
    /// The last frame applied.
    pub(super) seq: u64,
    pub(super) items: BTreeMap<ItemId, Item>,
    pub(super) turns: BTreeMap<TurnId, Turn>,
    pub(super) view: Option<SessionView>,
    pub(super) resets: u64,
    /// What the full disk has not taken yet; each is replaced by what is stored of it.
    pub(super) unstored: BTreeMap<ItemId, Upsert>,
    /// What was told last of the server's disk.
    pub(super) is_disk_full: Option<bool>,
    awaits_history: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// What it is ordered by: those of a history come first.
    place: (bool, u64),
    pub(super) state: Upsert,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Turn {
    pub(super) has_begun: bool,
    /// Every end that was told, by its place.
    pub(super) ends: BTreeMap<u64, TurnEvent>,
}

impl Shown {
    /// Where to go on.
    pub(super) fn cursor(&self) -> Option<String> {
        (!self.epoch.is_empty()).then(|| format!("{}.{}", self.epoch, self.seq))
    }

    /// Applies a frame of the session, and fails if it breaks a rule.
    pub(super) fn apply(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Subscribed { resume, epoch, seq, view, .. } => {
                self.subscribed(resume, epoch, seq);
                self.view = Some(*view);
            }
            ServerMessage::History { entries, turns, seq, .. } => self.history(entries, turns, seq),
            ServerMessage::Upsert { seq: None, payload, .. } => self.not_stored(*payload),
            ServerMessage::Upsert { seq: Some(seq), first_seq, payload, .. } => {
                self.advance(seq);
                self.unstored.remove(&payload.item_id);
                self.upsert(*payload, (true, first_seq.unwrap()));
            }
            ServerMessage::Append { seq, item_id, base, text, .. } => {
                self.advance(seq);
                assert!(!self.unstored.contains_key(&item_id), "an append to what is not stored");
                self.append(&item_id, base, &text);
            }
            ServerMessage::Turn { seq, payload, .. } => {
                self.advance(seq.unwrap());
                self.milestone(seq.unwrap(), payload);
            }
            ServerMessage::State { view, .. } => self.view = Some(*view),
            ServerMessage::Storage { is_full } => self.is_disk_full = Some(is_full),
            ServerMessage::SessionsChanged { .. }
            | ServerMessage::AgentsChanged { .. }
            | ServerMessage::Ok { .. } => {}
            ServerMessage::Error { problem, .. } => panic!("{problem:?}"),
        }
    }

    /// Whether a history was announced that has not come yet.
    pub(super) const fn awaits_history(&self) -> bool {
        self.awaits_history
    }

    /// The connection is lost; a history that was announced does not come any more.
    pub(super) fn cut(&mut self) {
        if std::mem::take(&mut self.awaits_history) {
            *self = Self { resets: self.resets, ..Self::default() };
        }
    }

    fn subscribed(&mut self, resume: Resume, epoch: String, seq: u64) {
        assert!(!self.awaits_history);
        match resume {
            Resume::Ok => assert!(epoch == self.epoch && seq >= self.seq, "{epoch}.{seq} after {}", self.seq),
            Resume::Reset => {
                (self.awaits_history, self.epoch) = (true, epoch);
                self.resets += 1;
            }
        }
    }

    fn history(&mut self, entries: Vec<Upsert>, turns: Vec<TurnEvent>, seq: u64) {
        assert!(std::mem::take(&mut self.awaits_history), "a history that nobody announced");
        self.seq = seq;
        let items = entries.into_iter().zip(0..);
        let item =
            |(state, rank): (Upsert, u64)| (state.item_id.clone(), Item { place: (false, rank), state });
        self.items = items.map(item).collect();
        self.turns.clear();
        for event in turns {
            self.milestone(0, event);
        }
    }

    fn advance(&mut self, seq: u64) {
        assert!(!self.awaits_history, "a change before the history");
        assert!(seq > self.seq, "{seq} comes after {}", self.seq);
        self.seq = seq;
    }

    fn upsert(&mut self, state: Upsert, place: (bool, u64)) {
        let Some(item) = self.items.get_mut(&state.item_id) else {
            self.items.insert(state.item_id.clone(), Item { place, state });
            return;
        };
        let is_over = matches!(item.state.status, UpsertStatus::Complete | UpsertStatus::Error);
        assert!(!is_over, "{:?} after its end: {state:?}", item.state);
        item.state = state;
    }

    /// What is shown before it is stored goes on from what is stored, and never goes back.
    fn not_stored(&mut self, state: Upsert) {
        assert!(!self.awaits_history, "a state before the history");
        let held = self.items.get(&state.item_id).map(|item| &item.state);
        let before = self.unstored.get(&state.item_id).or(held);
        let is_over = |before: &Upsert| matches!(before.status, UpsertStatus::Complete | UpsertStatus::Error);
        assert!(!before.is_some_and(is_over), "{before:?} after its end: {state:?}");
        self.unstored.insert(state.item_id.clone(), state);
    }

    fn append(&mut self, item: &ItemId, base: u64, text: &str) {
        let state = &mut self.items.get_mut(item).expect("an append to nothing").state;
        let content = text_of(state).expect("an append to what has no text");
        let mut units: Vec<u16> = content.encode_utf16().collect();
        assert!(base <= units.len() as u64, "an append leaves a gap");
        units.truncate(usize::try_from(base).unwrap());
        units.extend(text.encode_utf16());
        *content = String::from_utf16(&units).unwrap();
    }

    fn milestone(&mut self, seq: u64, event: TurnEvent) {
        let (TurnEvent::TurnStarted { turn_id, .. }
        | TurnEvent::TurnComplete { turn_id, .. }
        | TurnEvent::TurnError { turn_id, .. }) = &event;
        let turn = self.turns.entry(turn_id.clone()).or_default();
        if matches!(event, TurnEvent::TurnStarted { .. }) {
            turn.has_begun = true;
        } else {
            turn.ends.insert(seq, event);
            assert_eq!(turn.ends.len(), 1, "a turn that ends twice: {turn:?}");
        }
    }

    /// Keeps only what can still change.
    pub(super) fn forget_finished(&mut self) {
        self.items
            .retain(|_, item| !matches!(item.state.status, UpsertStatus::Complete | UpsertStatus::Error));
    }

    pub(super) fn has_ended(&self, turn: &str) -> bool {
        self.turns.get(&TurnId::from(turn)).is_some_and(|turn| !turn.ends.is_empty())
    }

    /// How a turn ended: its status, or the code of its error.
    pub(super) fn end_of(&self, turn: &str) -> Option<String> {
        self.turns.get(&TurnId::from(turn))?.ends.values().next().map(|end| match end {
            TurnEvent::TurnStarted { .. } => String::new(),
            TurnEvent::TurnComplete { status, .. } => status.as_str().to_owned(),
            TurnEvent::TurnError { error_code, .. } => error_code.clone(),
        })
    }

    /// The items in the order in which they are shown.
    pub(super) fn in_order(&self) -> Vec<&Upsert> {
        let mut items: Vec<&Item> = self.items.values().collect();
        items.sort_by_key(|item| item.place);
        items.into_iter().map(|item| &item.state).collect()
    }

    /// The messages of one origin, as they are shown.
    pub(super) fn texts(&self, origin: liminal_core::event::Origin) -> Vec<&str> {
        let text = |item: &Upsert| match &item.body {
            UpsertBody::Message(body) if body.origin == origin => Some(()),
            _ => None,
        };
        let messages = self.in_order().into_iter().filter(|item| text(item).is_some());
        messages
            .filter_map(|item| {
                if let UpsertBody::Message(body) = &item.body { Some(body.content.as_str()) } else { None }
            })
            .collect()
    }

    /// Fails if something is left open.
    pub(super) fn assert_settled(&self) {
        for (turn, Turn { ends, .. }) in &self.turns {
            assert_eq!(ends.len(), 1, "{turn} is open");
        }
        for item in self.items.values().map(|item| &item.state) {
            let is_cancelled = self.end_of(item.turn_id.as_str()).as_deref() == Some("cancelled");
            let is_over = matches!(item.status, UpsertStatus::Complete | UpsertStatus::Error);
            assert!(is_over || is_cancelled, "{item:?} is open");
        }
    }

    /// Fails unless both show the same.
    pub(super) fn assert_same(&self, other: &Self) {
        assert_eq!((&self.epoch, self.seq), (&other.epoch, other.seq));
        assert_eq!(self.in_order(), other.in_order());
        assert_eq!((&self.unstored, &other.unstored), (&BTreeMap::new(), &BTreeMap::new()));
        let ends = |shown: &Self| -> Vec<_> {
            let turns = shown.turns.iter();
            turns.map(|(id, turn)| (id.clone(), turn.ends.values().cloned().collect::<Vec<_>>())).collect()
        };
        assert_eq!(ends(self), ends(other));
    }
}

fn text_of(state: &mut Upsert) -> Option<&mut String> {
    match &mut state.body {
        UpsertBody::Message(body) => Some(&mut body.content),
        UpsertBody::Thinking(body) => Some(&mut body.content),
        UpsertBody::ToolCall(body) => body.tool_output.as_mut(),
        UpsertBody::Plan(_) | UpsertBody::Permission(_) => None,
    }
}
