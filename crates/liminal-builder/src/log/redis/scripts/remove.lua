-- Forgets a session. Who owned it last is remembered for a while, so that nobody who owned it before brings it back.
-- ARGV: token, channel, for how many milliseconds.
if is_fenced(ARGV[1]) then
    return { 2 }
end
forget()
redis.call('DEL', events)
redis.call('HDEL', meta, 'epoch', 'seq', 'floor', 'count', 'event')
redis.call('PEXPIRE', meta, ARGV[3])
redis.call('PUBLISH', ARGV[2], '- 0 0')
return { 0 }
