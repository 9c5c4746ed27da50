-- Takes the right to write: whoever has a smaller token is refused from here on. ARGV: token. Tells where the log stands
-- and the number of the newest event, or nothing if there is no log.
if is_fenced(ARGV[1]) then
    return { 2 }
end
redis.call('HSET', meta, 'token', ARGV[1])
local head = stored()
if not head then
    return { 0 }
end
return { 0, head.epoch, head.seq, head.floor, tonumber(redis.call('HGET', meta, 'event') or '0') }
