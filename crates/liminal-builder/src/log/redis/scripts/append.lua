-- Gives outputs the next places. ARGV: token, channel, length and bytes of `out`, the epoch of a log that is not there
-- yet, then per output: key, whether it is open, what its header says of its text, body.
if is_fenced(ARGV[1]) then
    return { 2 }
end
local limits = { length = ARGV[3], bytes = ARGV[4] }
local head = stored()
if not head then
    forget()
    head = { epoch = ARGV[5], seq = 0, floor = 0 }
end
for at = 6, #ARGV, 4 do
    local key = ARGV[at]
    head.seq = head.seq + 1
    local seq = string.format('%.0f', head.seq)
    local first = redis.call('ZSCORE', firsts, key) or seq
    local header = seq .. ' ' .. first .. ' ' .. ARGV[at + 1] .. ' ' .. ARGV[at + 2] .. ' ' .. seq .. '\n'
    put({ key = key, seq = seq, first = first, open = ARGV[at + 1], header = header, body = ARGV[at + 3] }, limits)
end
save(head, ARGV[2])
return { 0, head.epoch, head.seq, head.floor }
