//! What holds for any lines at all, not only for those that were recorded.

use std::sync::LazyLock;

use liminal_core::dialect::Input;
use liminal_core::replay::Recording;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::replay::agent::{Agent, assistant, init, result, text};
use crate::replay::happenings::{Happening, Repertoire, assert_all_is_over, happenings, noisy, said_in};
use crate::replay::newest;
use crate::replay::recordings::{self, events_of};
use crate::replay::snapshots::Folder;

/// Of both versions: an agent may update itself between two sessions.
static SAID: LazyLock<Vec<Value>> = LazyLock::new(|| FOLDERS.iter().flat_map(said_in).collect());

const FOLDERS: [Folder; 2] = [recordings::FOLDER, newest::FOLDER];

fn anything(most: usize) -> impl Strategy<Value = Vec<Happening<()>>> {
    happenings(most, 1, Just(()))
}

/// Lets it happen, and tells how many prompts there were.
fn play(agent: &mut Agent, happenings: &[Happening<()>]) -> u64 {
    let repertoire = Repertoire { said: &SAID, options: &["allow_once", "allow_session_0", "deny"] };
    repertoire.play(agent, happenings, |agent, ()| agent.line(&result()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_turn_ends_once(happenings in anything(60)) {
        let mut agent = Agent::new();
        play(&mut agent, &happenings);
        agent.close(0, "");
        assert_all_is_over(&agent);
    }

    #[test]
    fn whatever_happened_a_later_turn_is_understood(happenings in anything(40)) {
        let mut agent = Agent::new();
        let prompts = play(&mut agent, &happenings);
        // However many prompts wait, each gets its turn.
        for _ in 0..=prompts + 1 {
            agent.lines(&[result(), init(), result()]);
        }
        agent.wait(5);
        agent.prompt("last", "the last prompt");
        agent.lines(&[init(), assistant("m-last", text("the last answer")), result()]);
        let last = agent.outputs_of("turn_complete").pop().unwrap();
        prop_assert_eq!(&last["turnId"], "last");
        prop_assert_eq!(agent.messages("agent").pop().unwrap(), "the last answer");
    }

    #[test]
    fn any_bytes_on_any_lines_lose_no_valid_line(
        noise in vec(any::<u8>(), 0..300),
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut agent = Agent::new();
        agent.prompt("t", "go");
        for line in noisy(noise, &cuts, &[init(), assistant("m", text("heard")), result()]) {
            agent.input(Input::Frame(&line));
        }
        prop_assert_eq!(agent.messages("agent"), ["heard"]);
        prop_assert_eq!(agent.outputs_of("turn_complete").len(), 1);
    }

    #[test]
    fn lines_that_come_twice_change_nothing(
        which in any::<prop::sample::Index>(),
        again in vec(any::<(bool, bool)>(), 1..40),
    ) {
        let names = FOLDERS.iter().flat_map(|folder| folder.names().into_iter().map(move |name| (folder, name)));
        let names: Vec<_> = names.collect();
        let (folder, name) = &names[which.index(names.len())];
        let once = folder.text(name);
        let twice = repeated(&once, &again);
        let events = |text: &str| events_of(&Recording::read(text).unwrap());
        prop_assert_eq!(events(&twice), events(&once), "{}", name);
    }
}

/// A million lines of any bytes, with one that says something after each thousand: the stream never ends early.
#[test]
fn c09_a_million_lines_of_garbage_lose_no_valid_line() {
    let mut agent = Agent::in_turn();
    let mut garbage = Garbage(0x9e37_79b9_7f4a_7c15);
    let mut line = Vec::new();
    for block in 0..1000 {
        for _ in 0..1000 {
            garbage.fill(&mut line);
            agent.input(Input::Frame(&line));
        }
        agent.notices.clear();
        agent.line(&assistant(&format!("m{block}"), text(&format!("heard {block}"))));
    }
    agent.line(&result());
    let expected: Vec<String> = (0..1000).map(|block| format!("heard {block}")).collect();
    assert_eq!(agent.messages("agent"), expected);
    assert_eq!(agent.outputs_of("turn_complete").len(), 1);
}

/// Bytes that are often nearly JSON, always the same ones.
struct Garbage(u64);

impl Garbage {
    const PIECES: [&'static [u8]; 11] = [
        b"{\"type\":\"",
        b"assistant",
        b"stream_event",
        b"\",\"",
        b"message",
        b"\":{",
        b"}}",
        b"\\ud83d",
        b"\xff\xfe",
        b"\0",
        b"[1e999,",
    ];

    fn fill(&mut self, line: &mut Vec<u8>) {
        line.clear();
        for _ in 0..self.next() % 6 {
            let piece = usize::try_from(self.next()).unwrap() % Self::PIECES.len();
            line.extend_from_slice(Self::PIECES[piece]);
        }
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// The recording, with some of the agent's lines twice: at once, or after the line that follows.
fn repeated(recording: &str, again: &[(bool, bool)]) -> String {
    let mut lines = String::new();
    let mut late: Option<Value> = None;
    for (line, (is_repeated, is_late)) in recording.lines().zip(again.iter().cycle()) {
        let said: Value = serde_json::from_str(line).unwrap();
        let mut add = |said: &Value| lines.push_str(&format!("{said}\n"));
        add(&said);
        if let Some(mut earlier) = late.take() {
            earlier["t"] = said["t"].clone();
            add(&earlier);
        }
        let has_id = said["dir"] == "out" && said["line"]["uuid"].is_string();
        if *is_repeated && has_id {
            if *is_late { late = Some(said) } else { add(&said) }
        }
    }
    lines
}
