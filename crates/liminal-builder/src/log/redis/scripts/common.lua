-- What every script of a session begins with. Numbers come and go as text wherever they become part of one.
local meta, items, seqs, firsts, out, events =
    KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]

-- Where the log stands; nothing if there is none, or if somebody has deleted parts of it.
local function stored()
    local found = redis.call('HMGET', meta, 'epoch', 'seq', 'floor', 'count')
    local count = tonumber(found[4])
    if not found[1]
        or redis.call('HLEN', items) ~= count
        or redis.call('ZCARD', seqs) ~= count
        or redis.call('ZCARD', firsts) ~= count
    then
        return nil
    end
    return { epoch = found[1], seq = tonumber(found[2]), floor = tonumber(found[3]) }
end

local function is_fenced(token)
    return tonumber(token) < tonumber(redis.call('HGET', meta, 'token') or '0')
end

local function forget()
    redis.call('DEL', items, seqs, firsts, out)
end

-- Adds to a stream that others read. Large values make it shorter, so that its size is bounded and not only its length.
local function tell(stream, limits, id, size, ...)
    local length = math.min(tonumber(limits.length), math.max(16, math.floor(tonumber(limits.bytes) / size)))
    local added = redis.pcall('XADD', stream, 'MAXLEN', '~', length, id, ...)
    if type(added) == 'table' and added.err then
        -- Somebody else has written to it.
        redis.call('DEL', stream)
        redis.call('XADD', stream, id, ...)
    end
end

local function put(entry, limits)
    redis.call('HSET', items, entry.key, entry.header .. entry.body)
    redis.call('ZADD', seqs, entry.seq, entry.key)
    redis.call('ZADD', firsts, entry.first, entry.key)
    tell(out, limits, entry.seq .. '-0', #entry.body + 1,
        'key', entry.key, 'first', entry.first, 'open', entry.open, 'body', entry.body)
end

-- Forgets states at or before a place.
local function trim(floor)
    while true do
        local keys = redis.call('ZRANGEBYSCORE', seqs, '-inf', floor, 'LIMIT', 0, 1000)
        if #keys == 0 then
            break
        end
        redis.call('HDEL', items, unpack(keys))
        redis.call('ZREM', seqs, unpack(keys))
        redis.call('ZREM', firsts, unpack(keys))
    end
    redis.call('XTRIM', out, 'MINID', string.format('%.0f-0', tonumber(floor) + 1))
end

local function save(head, channel)
    local seq, floor = string.format('%.0f', head.seq), string.format('%.0f', head.floor)
    redis.call('HSET', meta, 'epoch', head.epoch, 'seq', seq, 'floor', floor, 'count', redis.call('HLEN', items))
    redis.call('PERSIST', meta)
    redis.call('PUBLISH', channel, head.epoch .. ' ' .. seq .. ' ' .. floor)
end

-- As many states as asked for: key after state after key.
local function collect(keys, entries, bytes)
    local found, size = {}, 0
    for _, key in ipairs(keys) do
        if #found > 0 and (#found / 2 >= entries or size >= bytes) then
            return found, 1
        end
        local state = redis.call('HGET', items, key)
        found[#found + 1] = key
        found[#found + 1] = state
        size = size + #state
    end
    return found, 0
end
