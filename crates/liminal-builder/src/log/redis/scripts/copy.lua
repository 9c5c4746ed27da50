-- Takes over states with the places they have. ARGV: token, channel, length and bytes of `out`, epoch, the place the
-- copier takes this log to be at, the place it is at afterwards, floor, whether to start over, then per state: key,
-- seq, first, open, header, body. A log that is elsewhere is left as it is, and where it is is told.
if is_fenced(ARGV[1]) then
    return { 2 }
end
local limits = { length = ARGV[3], bytes = ARGV[4] }
local floor = tonumber(ARGV[8])
local head = stored()
if ARGV[9] == '1' then
    forget()
    head = { epoch = ARGV[5], seq = 0, floor = floor }
elseif not head then
    return { 1, '', 0, 0 }
elseif head.epoch ~= ARGV[5] or head.seq ~= tonumber(ARGV[6]) then
    return { 1, head.epoch, head.seq, head.floor }
end
local before = string.format('%s %.0f %.0f', head.epoch, head.seq, head.floor)
for at = 10, #ARGV, 6 do
    put({
        key = ARGV[at],
        seq = ARGV[at + 1],
        first = ARGV[at + 2],
        open = ARGV[at + 3],
        header = ARGV[at + 4],
        body = ARGV[at + 5],
    }, limits)
end
if floor > head.floor then
    trim(floor)
    head.floor = floor
end
head.seq = tonumber(ARGV[7])
redis.call('HSET', meta, 'token', ARGV[1])
if ARGV[9] == '1' or before ~= string.format('%s %.0f %.0f', head.epoch, head.seq, head.floor) then
    save(head, ARGV[2])
end
return { 0, head.epoch, head.seq, head.floor }
