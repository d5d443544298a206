-- Loops whose instructions are counted: knock tests/bench/budget.lua <name> <times>. budget.sh runs each
-- twice with different times, so that start-up falls out.
local k = require "knock"
local name, times = arg[1], tonumber(arg[2])

local pendulum, stronge = k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 } }, k.law.stronge { e = 0.5, mu = 0.3 }
local impact = k.impact

-- twelve numbers each time, made and written to a file
local function write(ending)
  local name = os.tmpname()
  local t = k.table { x = k.linspace(0, 1, 4 * times), y = k.linspace(1, 2, 4 * times), z = k.linspace(-1, 1, 4 * times) }
  t:write(name .. ending)
  os.remove(name .. ending)
  os.remove(name)
end

-- the compass gait, and a guess that is rough
local stance, walker, rough = k.law.moreau { mu = 9, e = 0 }, k.compass {}, k.compass { rates = { 1.25, 0.2 } }
local function step() return k.simulate(walker, stance, { t_end = 1.2, samples = 0 }) end

local loops = {
  -- another case each time, by a prepared function
  prepare = function()
    local f = k.prepare(pendulum, stronge, { "u[1]", "u[2]" }, { "rates[1]", "impulse[2]" })
    for i = 1, times do f(-1, -i / times) end
  end,
  -- one model, two fields
  impact = function()
    for _ = 1, times do
      local hit = impact(pendulum, stronge)
      local _, _ = hit.u, hit.impulse
    end
  end,
  -- another model each time
  with = function()
    for i = 1, times do
      local hit = impact(pendulum:with { u = { -1, -i / times } }, stronge)
      local _, _ = hit.rates[1], hit.status
    end
  end,
  -- four samples of the fast lane, in this process
  lane = function()
    k.sweep { u1 = k.linspace(-3, 3, times // 25), mu = k.linspace(0, 0.7, 100) }:impact(pendulum, stronge, { "impulse" },
      { map = { u1 = "u[1]" }, jobs = 1 })
  end,
  csv = function() write ".csv" end,
  hdf5 = function() write ".h5" end,
  -- one bounce that is kept, of which the events are counted and the last one is read
  events = function()
    local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 1 },
      { t_end = 0.9035 * times })
    assert(#run.events >= times and run.events[#run.events].kind == "stop")
  end,
  -- one bounce that is kept, and a look at its event
  walk = function()
    local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 1 },
      { t_end = 0.9035 * times })
    for _, event in ipairs(run.events) do assert(event.kind == "impact" or event.kind == "stop") end
  end,
  -- another law each time
  law_with = function()
    for i = 1, times do
      local hit = impact(pendulum, stronge:with { mu = i / times })
      local _, _ = hit.rates[1], hit.status
    end
  end,
  -- steps of the gait, a derivative of them, its cycle from a guess, two points of a branch, four starts of a basin
  steps = function()
    for _ = 1, times do step() end
  end,
  monodromy = function()
    local run = step()
    for _ = 1, times do run:monodromy() end
  end,
  cycle = function()
    for _ = 1, times do k.cycle(rough, stance, { map = "step" }) end
  end,
  branch = function()
    local c = k.cycle(walker, stance, { map = "step" })
    for _ = 1, times do k.continue(c, { parameter = "slope", to = 0.09, points = 2, longest = 0.008, step = 0.008 }) end
  end,
  basin = function()
    local c, alike = k.cycle(walker, stance, { map = "step" }), {}
    for i = 1, times do alike[i] = 0.3 end
    k.basin(c, { x = { 7, { 0.9, 1.1, 1.3, 1.5 } }, y = { 8, alike }, jobs = 1 })
  end,
  -- loose boxes beside each other fall flat, slide and stop
  boxes = function()
    local row = dofile(arg[0]:match "^(.*)bench" .. "lua/loose_help.lua").row(1, 12)
    for _ = 1, times do k.simulate(row, k.law.moreau { e = 0, mu = 0.3 }, { t_end = 0.3 }) end
  end,
  -- one bounce of a particle, of which nothing is kept
  bounce = function()
    k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 1 },
      { t_end = 0.9035 * times, keep = false })
  end,
}
loops[name]()
