// What Redis does in one step, in Lua: see connection.ts for what is kept, and of which times.
//
// KEYS[1] begins the names of all keys of a queue. Times are those of TIME, in milliseconds.

import { ADD_MS, ASKED, GONE_MS, KNOWN_JOB, LATE_JOB, ORPHAN_MS, SWEEP } from './connection.js'

const NOW = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`

const BASE = `local base = KEYS[1]
`

/**
 * Removes a job, and remembers when it has gone: never before it was made, or an add of it that comes again would be a new one. Callers know the
 * clock of the store by half of a way there and back.
 */
const REMOVE = `local function forget(id)
  local key = base .. id
  local made = redis.pcall('HGET', key, 'timestamp')
  made = type(made) == 'string' and tonumber(made) or 0
  redis.call('DEL', key, key .. ':lock', key .. ':logs', key .. ':dependencies', key .. ':processed', key .. ':failed', key .. ':unsuccessful')
  redis.call('ZREM', base .. 'threadwise:starts', id)
  redis.call('ZADD', base .. 'threadwise:gone', math.max(now, math.min(made, now + ${ADD_MS})), id)
  redis.call('PEXPIRE', base .. 'threadwise:gone', ${GONE_MS})
end
`

/** Goes before BullMQ's own script for a job with a priority, whose arguments it reads: beginning of keys, id, name, time. */
export const GUARD = `do
  local given = cmsgpack.unpack(ARGV[1])
  local base, id, made = given[1], given[2], tonumber(given[4])
  if redis.call('EXISTS', base .. id) == 0 then
    ${NOW}
    if math.abs(now - made) > ${ADD_MS} then return '${LATE_JOB}' end
    local gone = redis.call('ZSCORE', base .. 'threadwise:gone', id)
    if gone and made <= tonumber(gone) then return '${KNOWN_JOB}' end
  end
end
`

/**
 * Goes around BullMQ's own script for a job that ends. Ours are the last values: begin of keys, id, time and starts of what is kept, channels and
 * texts, and how many these are. What is refused here is told elsewhere: the job has ended.
 */
export const BEFORE_END = `local function ended()
`
export const AFTER_END = `
end
local given = ended()
local count = tonumber(ARGV[#ARGV])
if count > 0 and (type(given) == 'table' or given >= 0) then
  local first = #ARGV - count
  local base, id, ms, starts = ARGV[first], ARGV[first + 1], ARGV[first + 2], ARGV[first + 3]
  ${NOW}
  redis.pcall('ZADD', base .. 'threadwise:kept', now + ms, id)
  if tonumber(starts) > 1 then redis.pcall('ZADD', base .. 'threadwise:starts', starts, id) end
  for i = first + 4, #ARGV - 2, 2 do redis.pcall('PUBLISH', ARGV[i], ARGV[i + 1]) end
end
return given`

/** What somebody else has put in the place of a job is none, and no reason to fail for the others. */
const FIELD = `local function field(id, name)
  local value = redis.pcall('HGET', base .. id, name)
  return type(value) == 'string' and value or ''
end
`

export const LOOK = `${BASE}${FIELD}local out = {}
for i, id in ipairs(ARGV) do
  if redis.call('ZSCORE', base .. 'completed', id) then out[i] = {1, field(id, 'returnvalue')}
  elseif redis.call('ZSCORE', base .. 'failed', id) then out[i] = {2, field(id, 'failedReason')}
  elseif redis.call('EXISTS', base .. id) == 1 then out[i] = {0, ''}
  elseif redis.call('ZSCORE', base .. 'threadwise:withdrawn', id) then out[i] = {-2, ''}
  else out[i] = {-1, ''} end
end
return out`

export const WITHDRAW = `${BASE}${NOW}${REMOVE}local id = ARGV[1]
if redis.call('EXISTS', base .. id) == 0 then return {'over'} end
local waits = redis.call('ZREM', base .. 'prioritized', id) + redis.call('ZREM', base .. 'delayed', id)
  + redis.call('LREM', base .. 'wait', 0, id) + redis.call('LREM', base .. 'paused', 0, id)
if waits == 0 then
  if redis.call('ZSCORE', base .. 'completed', id) or redis.call('ZSCORE', base .. 'failed', id) then return {'over'} end
  return {'taken', redis.call('HGET', base .. id, 'timestamp')}
end
forget(id)
if ARGV[2] == '1' then return {'withdrawn'} end
redis.call('ZADD', base .. 'threadwise:withdrawn', now, id)
redis.call('PEXPIRE', base .. 'threadwise:withdrawn', ${GONE_MS})
return {'withdrawn'}`

export const DISCARD = `${BASE}${NOW}${REMOVE}local id = ARGV[1]
if redis.call('ZREM', base .. 'failed', id) == 0 then return end
redis.call('ZREM', base .. 'threadwise:kept', id)
forget(id)
redis.call('ZADD', base .. 'threadwise:withdrawn', now, id)
redis.call('PEXPIRE', base .. 'threadwise:withdrawn', ${GONE_MS})`

/** ARGV: id, time and starts of each. How often it was started is kept where that was not once. */
export const KEEP = `${BASE}${NOW}for i = 1, #ARGV, 3 do
  redis.call('ZADD', base .. 'threadwise:kept', now + ARGV[i + 1], ARGV[i])
  if tonumber(ARGV[i + 2]) > 1 then redis.call('ZADD', base .. 'threadwise:starts', ARGV[i + 2], ARGV[i]) end
end`

/** Only to an earlier time, and only what is kept. */
export const RELEASE = `${BASE}${NOW}for i = 1, #ARGV, 2 do
  redis.call('ZADD', base .. 'threadwise:kept', 'XX', 'LT', now + ARGV[i + 1], ARGV[i])
end`

/** One that was retried by hand is neither completed nor failed: it is kept anew when it has ended again. */
export const SWEEP_KEPT = `${BASE}${NOW}${REMOVE}local kept = base .. 'threadwise:kept'
local ids = redis.call('ZRANGEBYSCORE', kept, '-inf', now, 'LIMIT', 0, ${SWEEP})
for _, id in ipairs(ids) do
  redis.call('ZREM', kept, id)
  if redis.call('ZREM', base .. 'completed', id) + redis.call('ZREM', base .. 'failed', id) > 0 then forget(id) end
end
for _, name in ipairs({'gone', 'withdrawn'}) do
  redis.call('ZREMRANGEBYSCORE', base .. 'threadwise:' .. name, '-inf', now - ${GONE_MS})
end
local first = redis.call('ZRANGE', kept, 0, 0, 'WITHSCORES')
if first[2] then return math.max(0, first[2] - now) end
return -1`

/** Ends of which nobody has said how long they are kept. Jobs that others have put into the queue are theirs. ARGV: set, cursor */
export const ADOPT = `${BASE}${NOW}local found = redis.call('ZSCAN', base .. ARGV[1], ARGV[2], 'COUNT', 200)
for i = 1, #found[2], 2 do
  local id = found[2][i]
  local isOurs = string.match(id, '^id%-') or string.match(id, '^%x+%-%x+%-%x+%-%x+%-%x+%-%d')
  if isOurs then redis.call('ZADD', base .. 'threadwise:kept', 'NX', now + ${ORPHAN_MS}, id) end
end
return found[1]`

/** Priorities are kept in their order, so the first of them all is looked for among them. */
export const OLDEST = `${BASE}${FIELD}local first = -1
local function look(ids)
  for _, id in ipairs(ids) do
    local made = tonumber(field(id, 'timestamp'))
    if made and (first < 0 or made < first) then first = made end
  end
end
look(redis.call('ZRANGE', base .. 'prioritized', 0, ${ASKED} - 1))
look(redis.call('LRANGE', base .. 'wait', -1, -1))
look(redis.call('LRANGE', base .. 'paused', -1, -1))
return first`

/** Keys of other kinds lie beside those of jobs. */
export const OWNER = `${BASE}local id = ARGV[1]
if redis.call('TYPE', base .. id).ok ~= 'hash' then return {false, '{}', 0} end
local found = redis.call('HMGET', base .. id, 'name', 'opts')
local waits = redis.call('ZSCORE', base .. 'prioritized', id) or redis.call('ZSCORE', base .. 'delayed', id) or redis.call('LPOS', base .. 'wait', id) or redis.call('LPOS', base .. 'paused', id)
return {found[1], found[2] or '{}', waits and 0 or 1}`
