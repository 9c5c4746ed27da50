//! What Redis does in one step for us. Owns the scripts: nothing that two servers could do at once is done in two steps.

/// Makes a session this server's, unless somebody else has it.
///
/// A session with a token and without a word of an owner was just written again by its own, after Redis forgot: that one
/// says so in a moment. Tokens begin at the clock and not at 1, so that none is given twice when Redis forgot.
/// Whoever has the newest copy goes on with its token: nobody else can have written. A session of a server that is
/// gone begins a new life, because that one may have shown more of it than anybody else has.
pub(super) const CLAIM: &str = r"
local me, servers, owned = ARGV[1], ARGV[2], ARGV[3]
local mine, capable, sure, begins = tonumber(ARGV[4]), ARGV[5] == '1', ARGV[6] == '1', ARGV[7] == '1'
local from, epoch, session, channel = ARGV[8], ARGV[9], ARGV[10], ARGV[11]
local owner = redis.call('HGET', KEYS[1], 'owner') or ''
local token = tonumber(redis.call('HGET', KEYS[1], 'token') or '0')
local known = redis.call('EXISTS', KEYS[1]) == 1
if from ~= '' and owner ~= from then return {'theirs', owner} end
local goes_on = mine > 0 and mine >= token
if ARGV[12] == '1' and known and not goes_on then return {'theirs', owner} end
local is_held = owner ~= '' and owner ~= me and not goes_on
if is_held then
  if redis.call('EXISTS', servers .. owner) == 1 then return {'theirs', owner} end
  if not sure then return {'unsure', owner} end
end
if known and token > 0 and redis.call('HEXISTS', KEYS[1], 'owner') == 0 and not goes_on then return {'unsure', ''} end
if not known and not begins and not goes_on then return {'absent'} end
if not capable then return {'unable'} end
local next = mine
if not goes_on then next = math.max(token, mine) + 1 end
if next == 1 then
  local time = redis.call('TIME')
  next = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
next = string.format('%.0f', next)
redis.call('HSET', KEYS[1], 'owner', me, 'token', next)
if owner ~= '' then redis.call('SREM', owned .. owner, session) end
redis.call('SADD', owned .. me, session)
if is_held and redis.call('HEXISTS', KEYS[1], 'epoch') == 1 then
  redis.call('HSET', KEYS[1], 'epoch', epoch)
  local seq = redis.call('HGET', KEYS[1], 'seq') or '0'
  local floor = redis.call('HGET', KEYS[1], 'floor') or '0'
  redis.call('PUBLISH', channel, epoch .. ' ' .. seq .. ' ' .. floor)
end
return {'ours', next, is_held and '1' or '0', goes_on and '1' or '0'}
";

/// Says again that a session is this server's; 0 if it is not any more.
pub(super) const REASSERT: &str = r"
local me, owned, mine, session = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local owner = redis.call('HGET', KEYS[1], 'owner') or ''
local token = tonumber(redis.call('HGET', KEYS[1], 'token') or '0')
if token > mine or (token == mine and owner ~= '' and owner ~= me) then return 0 end
redis.call('HSET', KEYS[1], 'owner', me, 'token', ARGV[3])
redis.call('SADD', owned .. me, session)
return 1
";

/// Gives a session back, if it is still this server's.
pub(super) const RELEASE: &str = r"
local me, owned, mine, session = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
redis.call('SREM', owned .. me, session)
if redis.call('HGET', KEYS[1], 'owner') ~= me then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'token') or '0') ~= mine then return 0 end
redis.call('HSET', KEYS[1], 'owner', '')
return 1
";

/// Writes what is known of a session, unless somebody else has it since.
pub(super) const RECORD: &str = r"
if tonumber(redis.call('HGET', KEYS[1], 'token') or '0') > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SADD', KEYS[3], ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[3])
return 1
";
