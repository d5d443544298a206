-- Impacts per second from a Lua loop: knock tests/bench/bench_lua.lua [cases]
--
-- The yardstick is a C function of Lua's own that returns a table with five fields.
local k = require "knock"

local n = tonumber(arg and arg[1]) or 1000000

-- best of five, so that a busy machine disturbs little
local function rate(body)
  local best = math.huge
  for _ = 1, 5 do
    collectgarbage()
    local start = os.clock()
    body(n // 5)
    best = math.min(best, os.clock() - start)
  end
  return n // 5 / best
end

local function report(name, per_second)
  print(("%-52s %6.2f million/s  %5.0f ns"):format(name, per_second / 1e6, 1e9 / per_second))
end

local pendulum = k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 } }
local stronge = k.law.stronge { e = 0.5, mu = 0.3 }
local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local compliant = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }
local impact, getinfo = k.impact, debug.getinfo

report("a C function that returns five fields", rate(function(times)
  for _ = 1, times do local _ = getinfo(print, "S") end
end))

-- a loop over cases has another case each time: a thousand states, so that nothing is met twice in a row
local states = {}
for i = 1, 1000 do states[i] = pendulum:with { u = { -1, -i / 1000 } } end

report("double_pendulum, stronge: hit.u, hit.impulse", rate(function(times)
  for i = 1, times do
    local hit = impact(states[i % 1000 + 1], stronge)
    local _, _ = hit.u, hit.impulse
  end
end))

report("double_pendulum, stronge: hit.rates[1], hit.impulse[2]", rate(function(times)
  for i = 1, times do
    local hit = impact(states[i % 1000 + 1], stronge)
    local _, _ = hit.rates[1], hit.impulse[2]
  end
end))

report("double_pendulum, stronge, with another u each time", rate(function(times)
  for i = 1, times do
    local hit = impact(pendulum:with { u = { -1, -i / times } }, stronge)
    local _, _ = hit.rates[1], hit.status
  end
end))

report("double_pendulum, stronge: k.impact alone", rate(function(times)
  for i = 1, times do impact(states[i % 1000 + 1], stronge) end
end))

local prepared = k.prepare(pendulum, stronge, { "u[1]", "u[2]" }, { "rates[1]", "impulse[2]" })
report("double_pendulum, stronge: k.prepare, another u each time", rate(function(times)
  for i = 1, times do local _, _ = prepared(-1, -i / times) end
end))

report("ball, compliant: hit.velocity[1], hit.spin[2]", rate(function(times)
  for _ = 1, times // 10 do
    local hit = impact(ball, compliant)
    local _, _ = hit.velocity[1], hit.spin[2]
  end
end) / 10)
