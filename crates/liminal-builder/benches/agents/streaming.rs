//! How late an answer is seen: its first words from a slow model, and later ones against the direct path.
//!
//! Time begins when the model writes a delta, and ends when a WebSocket client has a frame with it.

use std::time::{Duration, Instant};

use liminal_builder::clock;
use scripted_model::{Running, WrittenDelta};

use crate::deltas::{self, Delta, Shown};
use crate::dialect::Dialect;
use crate::figure;
use crate::relay::Relay;
use crate::server::{Server, Session};
use crate::spawned::Spawned;

/// So slow and short that the time of the first emission counts, and never the number of tokens.
const SLOW: &str = "words:5 slow:200ms";
/// So fast that the number of tokens triggers each emission, and no timer.
const FAST: &str = "words:400 slow:5ms";
const WARM_UP: &str = "words:5";

pub(crate) async fn measure(model: &Running, dialect: Dialect, runs: usize, first_emission_ms: Option<u64>) {
    let name = dialect.cli_type();
    eprintln!("{name}: {runs} turns of each kind");
    let server = Server::start(model, dialect, first_emission_ms);
    let mut session = server.open(dialect).await;
    session.turn(WARM_UP).await;
    let spawned = Spawned::find(server.home(), &dialect.program());
    let mut relay = Relay::start(dialect, &spawned.with_session(&clock::new_session_uuid())).await;
    relay.turn(WARM_UP).await;
    figure::times(&format!("{name}.first-words"), &first_words(model, &mut session, runs).await);
    let (ours, direct) = latencies(model, &mut session, &mut relay, runs).await;
    figure::comparison(&format!("{name}.streaming"), ("liminal", &ours), ("relay", &direct));
    relay.end().await;
    server.end();
}

async fn first_words(model: &Running, session: &mut Session<'_>, runs: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let turn = through_us(model, session, SLOW).await;
        times.push(turn.latency(0));
    }
    times
}

/// Of the same deltas of the same prompts: those that triggered an emission of ours. Who goes first alternates.
async fn latencies(
    model: &Running,
    session: &mut Session<'_>,
    relay: &mut Relay,
    runs: usize,
) -> (Vec<Duration>, Vec<Duration>) {
    let (mut ours, mut direct) = (Vec::new(), Vec::new());
    for run in 0..runs {
        let (our_turn, direct_turn) = if run % 2 == 0 {
            let turn = through_us(model, session, FAST).await;
            (turn, through_relay(model, relay, FAST).await)
        } else {
            let turn = through_relay(model, relay, FAST).await;
            (through_us(model, session, FAST).await, turn)
        };
        let triggers = deltas::triggers(&our_turn.written, &our_turn.shown);
        assert!(triggers.len() > 2, "emissions are triggered by tokens: {triggers:?}");
        ours.extend(triggers.iter().map(|delta| our_turn.latency(*delta)));
        direct.extend(triggers.iter().map(|delta| direct_turn.latency(*delta)));
    }
    (ours, direct)
}

/// One answer: what the model wrote, and what the client had of it.
struct Turn {
    written: Vec<Delta>,
    shown: Vec<Shown>,
}

impl Turn {
    fn latency(&self, delta: usize) -> Duration {
        deltas::latency(&self.written[delta], &self.shown).expect("it is shown before the answer ends")
    }
}

async fn through_us(model: &Running, session: &mut Session<'_>, prompt: &str) -> Turn {
    let began = Instant::now();
    let shown = session.turn(prompt).await;
    Turn { written: written(model, prompt, began), shown }
}

async fn through_relay(model: &Running, relay: &mut Relay, prompt: &str) -> Turn {
    let began = Instant::now();
    let shown = relay.turn(prompt).await;
    Turn { written: written(model, prompt, began), shown }
}

/// The deltas of the answer to this prompt since then.
fn written(model: &Running, prompt: &str, since: Instant) -> Vec<Delta> {
    let is_it = |delta: &&WrittenDelta| !delta.errand && &*delta.prompt == prompt && delta.at >= since;
    let writes = model.writes();
    let answer = writes.iter().filter(is_it).map(|delta| (delta.text.as_str(), delta.at));
    let deltas = deltas::of_answer(answer);
    assert!(!deltas.is_empty(), "the model was not asked {prompt}");
    deltas
}
