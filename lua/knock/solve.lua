-- Solver primitives for the blackboard: laws applied to W and v without any model.

local core = require "knock.core"
local page = require "knock.page"

local Answer = { __name = "answer" }

--- An answer has .impulse and .velocity (in row order), .events, .energy (lost, restitution, friction,
--- stored), .status, .flags, .duration where time exists, .residual of law.moreau and law.glocker; .path (columns), .unique (of law.moreau) and .solutions (in
--- the plane) when they are asked for.
function Answer:__index(key)
  if key ~= "path" and key ~= "unique" and key ~= "solutions" then return nil end
  local value = core.waist[key](self.recording)
  rawset(self, key, value)
  return value
end

function Answer:__tostring()
  local rows = { { "impulse", page.value(self.impulse) .. " N s" }, { "velocity", page.value(self.velocity) .. " m/s" },
    { "energy", ("%s J lost: %s in restitution, %s in friction"):format(page.number(self.energy.lost),
      page.number(self.energy.restitution), page.number(self.energy.friction)) } }
  local n, first, last = #self.events, 12, 4 -- long series in between are counted
  for i, e in ipairs(self.events) do
    if i <= first or i > n - last or n <= first + last + 1 then
      rows[#rows + 1] = { e.kind, ("contact %s, impulse %s N s%s"):format(e.contact or "all", page.number(e.impulse),
        e.t and ", t = " .. page.number(e.t) .. " s" or "") }
    elseif i == first + 1 then
      rows[#rows + 1] = { "...", ("%d events in all"):format(n) }
    end
  end
  return page.brief(self.law) .. ": " .. self.status .. "\n" .. table.concat(page.align(rows), "\n")
end

-- what the block matrix gives, quantity by quantity
local Block = { __name = "block" }

function Block:__tostring()
  local lines = { ("block: rank %d, rcond %s"):format(self.rank, page.number(self.rcond)) }
  for _, row in ipairs { { "u", "after" }, { "impulse", "N s" }, { "P", "N s" }, { "M_dagger", "" }, { "A_dagger", "" }, { "L_dagger", "" } } do
    local value = tostring(self[row[1]]):gsub("\n", "\n" .. (" "):rep(12))
    lines[#lines + 1] = (("  %-9s %s %s"):format(row[1], value, row[2]):gsub("%s+$", ""))
  end
  return table.concat(lines, "\n")
end

local function solve(problem, law)
  local answer = core.waist.solve(problem, law)
  answer.problem, answer.law = problem, law
  return setmetatable(answer, Answer)
end

local fail = require "knock.host".fail

--- Splits the argument into what describes the problem and what describes the law, which checks it.
local function split(who, problem_keys, arguments, ...)
  if type(arguments) ~= "table" or select("#", ...) > 0 then
    fail(who .. ": takes one table, as in " .. who .. "{W =, v =, mu =, ...}")
  end
  local problem, law = {}, {}
  for key, value in pairs(arguments) do law[key] = value end
  for _, key in ipairs(problem_keys) do problem[key], law[key] = law[key], nil end
  return problem, law
end

local function make(who, name, parameters)
  local build = rawget(core.law, name)
  if not build then fail(("%s: there is no law.%s"):format(who, name)) end
  return build(parameters)
end

local primitives = {}

--- k.solve.block{M =, A =, u =, e =} -> {u, impulse, P, M_dagger, A_dagger, L_dagger, rank, rcond}
--- Plastic or elastic impact by the block matrix [M A'; A 0] of Johnson's notes, with its daggers. P has the
--- sign of the notes; impulse = -P is what the obstacle gives. e is one number or one per row, 0 by default.
---
---     print(k.solve.block{ M = {{2}}, A = {{1}}, u = {-3}, e = 0.5 }.u[1]) --> 1.5
function primitives.block(...)
  if type(...) == "table" then require "knock.options".only("solve.block", ..., { "M", "A", "u", "e" }) end
  return setmetatable(core.waist.block(...), Block)
end

--- k.solve.planar{W =, v =, mu =, e =[, mu_static =][, ending = 'stronge' | 'poisson' | 'newton']} -> answer
--- One contact in the plane with Coulomb friction, in closed form (Morgan); rows t, n.
---
---     local a = k.solve.planar{ W = {{3.5, 0}, {0, 1}}, v = {0, -2}, mu = 0.3, e = 0.5 }
---     print(a.impulse[2], a.velocity[2]) --> 3.0	1.0
function primitives.planar(...)
  local problem, law = split("solve.planar", { "W", "v" }, ...)
  problem.dim = 2
  local ending = law.ending or "stronge"
  if ending ~= "stronge" and ending ~= "poisson" and ending ~= "newton" then
    fail(("solve.planar: ending must be one of stronge|poisson|newton, got %s"):format(tostring(ending)))
  end
  law.ending = nil
  return solve(problem, make("solve.planar", ending, law))
end

local spatial = { "W", "v", "gap", "dim" }

local function with_dim(problem, dim)
  problem.dim = problem.dim or dim
  return problem
end

--- k.solve.compliant{W =, v =, mu =, e =, eta =[, k =][, gap =]} -> answer
--- Springs at every contact, normal and tangential, with Coulomb friction and energetic restitution
--- (Jia and Batlle as one law); rows t1, t2, n per contact, unless dim says otherwise.
function primitives.compliant(...)
  local problem, law = split("solve.compliant", spatial, ...)
  local listed = type(problem.v) == "table" or getmetatable(problem.v) == "matrix" -- else k.solve says what v must be
  local rows = listed and #problem.v or 0
  return solve(with_dim(problem, rows % 3 == 0 and 3 or rows % 2 == 0 and 2 or 1), make("solve.compliant", "compliant", law))
end

--- k.solve.vibration{W =, v =[, k =][, gap =]} -> answer
--- Linear vibration of frictionless contact springs at several points (Batlle); one row per contact.
function primitives.vibration(...)
  local problem, law = split("solve.vibration", spatial, ...)
  return solve(with_dim(problem, 1), make("solve.vibration", "vibration", law))
end

--- k.solve(problem, law) -> answer
--- Solves a problem, as k.problem gives or loads it, by any law.
---
---     local a = k.solve(k.problem(k.double_pendulum{}), k.law.stronge{ e = 0.5 })
---     print(a.status) --> ok
return setmetatable(primitives, { __call = function(_, problem, law) return solve(problem, law) end })
