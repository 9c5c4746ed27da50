-- Adds canonical events. ARGV: token, channel, length and bytes of the stream, the number the copier takes for the
-- newest one or `-` for whichever it is, whether to start over, then per event: its number or `-` for the next one,
-- body.
if is_fenced(ARGV[1]) then
    return { 2 }
end
local limits = { length = ARGV[3], bytes = ARGV[4] }
local last = tonumber(redis.call('HGET', meta, 'event') or '0')
if ARGV[6] == '1' then
    redis.call('DEL', events)
    last = 0
elseif ARGV[5] ~= '-' and tonumber(ARGV[5]) ~= last then
    return { 1, last }
end
for at = 7, #ARGV, 2 do
    last = tonumber(ARGV[at]) or last + 1
    tell(events, limits, string.format('%.0f-0', last), #ARGV[at + 1] + 1, 'event', ARGV[at + 1])
end
redis.call('HSET', meta, 'event', string.format('%.0f', last))
redis.call('PUBLISH', ARGV[2], 'events')
return { 0, last }
