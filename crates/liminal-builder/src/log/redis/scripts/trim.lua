-- Forgets states at or before a place. ARGV: token, channel, the place.
if is_fenced(ARGV[1]) then
    return { 2 }
end
local head = stored()
if not head then
    return { 0 }
end
head.floor = math.max(head.floor, math.min(head.seq, tonumber(ARGV[3])))
trim(string.format('%.0f', head.floor))
save(head, ARGV[2])
return { 0 }
