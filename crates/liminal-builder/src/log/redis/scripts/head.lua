-- Where the log stands, and the number of the newest event.
local head = stored()
if not head then
    return {}
end
return { head.epoch, head.seq, head.floor, tonumber(redis.call('HGET', meta, 'event') or '0') }
