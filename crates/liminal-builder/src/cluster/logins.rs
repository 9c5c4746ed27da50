//! Browsers that were let in, by whichever server, and the codes that let them in. Owns how both are kept in Redis, as
//! digests, and that nobody who was logged out comes back; who is let in is not decided here.
//!
//! The logins have a life. To log everybody out begins a greater one, and whoever comes with logins of a smaller one, a
//! server that was away meanwhile for instance, has to forget them. So Redis may lose all of it: servers tell it again,
//! and the one with the greatest life is right.

use std::time::Duration;

use jiff::Timestamp;
use redis::Script;
use tokio::sync::watch;

use super::presence::millis;
use super::{Cluster, ClusterError};
use crate::store::Browser;

/// More than people have browsers; beyond it, whoever was away longest makes room.
pub const MOST_LOGINS: usize = 256;
/// Whoever asks for more codes at once gets rid of the oldest.
const MOST_CODES: usize = 32;
/// What stands for the logins among the names of changed sessions; no session is called so.
pub(super) const LOGINS: &str = "logins";

/// What became of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeUse {
    /// It lets in, this once.
    Good,
    /// It has let somebody in before.
    Used,
    /// Nobody made it, or its time is over.
    Unknown,
}

/// A life of all that Redis holds, and the connection it was seen over. Another one than before means that everything was
/// lost meanwhile, or that another server may answer which lacks what the one before had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreLife(u64, Option<String>);

impl Cluster {
    /// Tells whenever everybody was logged out by one of the servers.
    #[must_use]
    pub fn logins_ended(&self) -> watch::Receiver<()> {
        self.0.logins_ended.subscribe()
    }

    /// The life of the logins, none if Redis has none; and that of all that Redis holds.
    pub async fn logins_life(&self) -> Result<(Option<u64>, StoreLife), ClusterError> {
        let keys = [self.0.keys.logins_life(), self.0.keys.life()];
        let asking = redis::Cmd::mget(&keys);
        let made = self.0.link.made();
        let (life, store) = self.0.link.look(&asking).await?;
        Ok((life, StoreLife(made, store)))
    }

    /// Tells the logins of this server and their life. Gives the life that counts: if it is greater than theirs, they
    /// are over. Logins that were never shared belong to whichever life there is.
    pub async fn share_logins(&self, life: Option<u64>, logins: &[Browser]) -> Result<u64, ClusterError> {
        let script = Script::new(SHARE);
        let mut call = script.prepare_invoke();
        for key in [self.0.keys.logins(), self.0.keys.logins_life(), self.0.keys.codes()] {
            call.key(key);
        }
        call.arg(life.unwrap_or_default()).arg(MOST_LOGINS).arg(self.0.keys.changes()).arg(LOGINS);
        for login in logins {
            call.arg(&login.cookie).arg(login.seen.as_millisecond()).arg(&login.key);
        }
        Ok(self.0.link.query(&call).await?)
    }

    /// The logins with these cookies, and their life.
    pub async fn find_logins(&self, cookies: &[String]) -> Result<(Option<u64>, Vec<Browser>), ClusterError> {
        let mut asking = redis::pipe();
        asking.atomic().get(self.0.keys.logins_life()).cmd("HMGET").arg(self.0.keys.logins()).arg(cookies);
        let (life, found): (Option<u64>, Vec<Option<String>>) = self.0.link.look(&asking).await?;
        let found = cookies.iter().zip(found).filter_map(|(cookie, login)| read(cookie, &login?));
        Ok((life, found.collect()))
    }

    /// Logs everybody out, everywhere. Gives the life that begins.
    pub async fn end_logins(&self, life: u64) -> Result<u64, ClusterError> {
        let (keys, script) = (&self.0.keys, Script::new(END));
        let mut call = script.key(keys.logins());
        call.key(keys.logins_life()).key(keys.codes());
        call.arg(life).arg(keys.changes()).arg(LOGINS);
        Ok(self.0.link.query(&call).await?)
    }

    /// The life that begins here while Redis does not answer.
    #[must_use]
    pub fn next_life(&self, life: u64) -> u64 {
        self.0.clock.now().wall.as_millisecond().unsigned_abs().max(life + 1)
    }

    /// Lets a code be used at any server, once.
    pub async fn share_code(&self, digest: &str, time: Duration) -> Result<(), ClusterError> {
        let script = Script::new(NEW_CODE);
        let mut call = script.key(self.0.keys.codes());
        call.arg(digest).arg(millis(time)).arg(MOST_CODES);
        let _: i64 = self.0.link.query(&call).await?;
        Ok(())
    }

    /// Uses a code up.
    pub async fn use_code(&self, digest: &str) -> Result<CodeUse, ClusterError> {
        let script = Script::new(USE_CODE);
        let mut call = script.key(self.0.keys.codes());
        call.arg(digest);
        let answer: i64 = self.0.link.query(&call).await?;
        Ok(match answer {
            1 => CodeUse::Good,
            2 => CodeUse::Used,
            _ => CodeUse::Unknown,
        })
    }
}

fn read(cookie: &str, login: &str) -> Option<Browser> {
    let (seen, key) = login.split_once(' ')?;
    let seen = Timestamp::from_millisecond(seen.parse().ok()?).ok()?;
    Some(Browser { cookie: cookie.to_owned(), key: key.to_owned(), seen })
}

/// Adds logins of one life, ends those of a smaller one, and tells which life counts. Lives begin at the clock and not
/// at 1, so that none comes twice when Redis forgot.
const SHARE: &str = r"
local mine, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local life = tonumber(redis.call('GET', KEYS[2]) or '0')
if mine == 0 and life == 0 then
  local time = redis.call('TIME')
  mine = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
if mine > life then
  redis.call('DEL', KEYS[1], KEYS[3])
  redis.call('SET', KEYS[2], string.format('%.0f', mine))
  if life > 0 then redis.call('PUBLISH', ARGV[3], ARGV[4]) end
  life = mine
elseif mine > 0 and mine < life then
  return string.format('%.0f', life)
end
for at = 5, #ARGV, 3 do
  local known = tonumber(string.match(redis.call('HGET', KEYS[1], ARGV[at]) or '', '^%d+') or '0')
  if tonumber(ARGV[at + 1]) > known then
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1] .. ' ' .. ARGV[at + 2])
  end
end
while redis.call('HLEN', KEYS[1]) > most do
  local oldest, least = nil, math.huge
  local all = redis.call('HGETALL', KEYS[1])
  for at = 1, #all, 2 do
    local seen = tonumber(string.match(all[at + 1], '^%d+') or '0')
    if seen < least then oldest, least = all[at], seen end
  end
  redis.call('HDEL', KEYS[1], oldest)
end
return string.format('%.0f', life)
";

/// Ends all logins and codes.
const END: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local life = tonumber(redis.call('GET', KEYS[2]) or '0')
life = string.format('%.0f', math.max(life + 1, tonumber(ARGV[1]) + 1, now))
redis.call('DEL', KEYS[1], KEYS[3])
redis.call('SET', KEYS[2], life)
redis.call('PUBLISH', ARGV[2], ARGV[3])
return life
";

/// Codes are members by when they are over; `f` stands before one that was not used yet, `u` before one that was.
const NEW_CODE: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), 'f' .. ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
";

/// One that was used is remembered, so that a thief's use is noticed.
const USE_CODE: &str = r"
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZSCORE', KEYS[1], 'u' .. ARGV[1]) then return 2 end
local over = redis.call('ZSCORE', KEYS[1], 'f' .. ARGV[1])
if not over then return 0 end
redis.call('ZREM', KEYS[1], 'f' .. ARGV[1])
redis.call('ZADD', KEYS[1], over, 'u' .. ARGV[1])
return 1
";
