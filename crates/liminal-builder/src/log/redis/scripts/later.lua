-- The oldest entries that first appeared after a place, in their order. ARGV: the place, how many entries, how many bytes.
local head = stored()
if not head then
    return {}
end
local entries = tonumber(ARGV[2])
local keys = redis.call('ZRANGEBYSCORE', firsts, ARGV[1], '+inf', 'LIMIT', 0, entries + 1)
local found, is_cut = collect(keys, entries, tonumber(ARGV[3]))
return { head.epoch, head.seq, head.floor, is_cut, found }
