//! What the server costs when nothing happens: its start, its memory, its size on disk.

use std::fs;

use crate::figure;
use crate::reader::turn;
use crate::socket::Socket;
use crate::world::World;

const STARTS: usize = 20;
const SESSIONS: usize = 200;
const CLIENTS: usize = 400;

pub(crate) fn measure() {
    eprintln!("at rest");
    let world = World::new().with("LIMINAL_SESSIONS_MAX_AGENTS", "1000");
    let starts: Vec<f64> = (0..STARTS).map(|_| world.start().started.as_secs_f64() * 1e3).collect();
    figure::samples("start.empty", "ms", &starts);
    let server = world.begin();
    let idle = server.memory();
    figure::samples("memory.idle", "MB", &[idle as f64 / 1e6]);
    let sessions: Vec<String> = (0..SESSIONS).map(|_| world.create(&server.client)).collect();
    let with_sessions = server.memory();
    figure::samples("memory.session", "bytes", &[each(with_sessions, idle, SESSIONS)]);
    for session in &sessions {
        turn(&server.client, session, "!say 20");
    }
    let used = server.memory();
    figure::samples("memory.used-session", "bytes", &[each(used, idle, SESSIONS)]);
    let clients: Vec<Socket> = (0..CLIENTS).map(|_| Socket::open(&server.client)).collect();
    figure::samples("memory.client", "bytes", &[each(server.memory(), used, CLIENTS)]);
    drop(clients);
    server.kill();
    let binary = fs::metadata(env!("CARGO_BIN_EXE_liminal")).unwrap().len();
    figure::samples("binary", "MB", &[binary as f64 / 1e6]);
}

fn each(after: u64, before: u64, count: usize) -> f64 {
    after.saturating_sub(before) as f64 / count as f64
}
