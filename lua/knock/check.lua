-- k.check: do the parts of a model agree with each other, and does a law keep what a law must keep? The checks see
-- what a script sees (m.J, m.gap, k.solve ...), so that they hold for models and laws in C and in Lua alike.

local host = require "knock.host"
local options_of = require "knock.options"
local page = require "knock.page"

local Report = { __name = "check" }

function Report:__tostring()
  local failed = 0
  for _, row in ipairs(self) do if row.verdict == "FAILS" then failed = failed + 1 end end
  return failed == 0 and ("check of %s: all %d hold"):format(self.name, #self)
    or ("check of %s: %d of %d fail"):format(self.name, failed, #self)
end

-- ---- what is counted ---------------------------------------------------------------------------------------------

local methods = {}
Report.__index = methods

-- One case of a check: how far off it is, relative to what is compared (yes and no: 0 and 1, 0.5 is allowed). The worst one is kept with its words and with
-- what is needed to see it again.
function methods:case(what, off, allowed, words, again)
  local row = self.by_name[what]
  if not row then
    row = { what = what, cases = 0, worst = 0, allowed = allowed, verdict = "holds" }
    self.by_name[what], self[#self + 1] = row, row
  end
  row.cases = row.cases + 1
  local bad = not (off <= allowed) -- a NaN is bad
  if bad then row.verdict = "FAILS" end
  if bad and not row.words or off > row.worst then
    row.worst = off
    if bad then row.words, row.again = words, again end
  end
end

-- a failure without a measure
function methods:fault(what, words, again) self:case(what, math.huge, 0, words, again) end

-- the page: one line for each check, and below it what the worst failure was
local function show(report)
  local rows = { { "check", "cases", "off by", "allowed", "" } }
  for _, r in ipairs(report) do
    local measured = r.worst < math.huge and r.allowed < 0.5
    rows[#rows + 1] = { r.what, tostring(r.cases), measured and ("%.1e"):format(r.worst) or "-", measured and ("%.0e"):format(r.allowed) or "-", r.verdict }
  end
  local lines = { ("%s: %s"):format(report.name, report.about) }
  for _, line in ipairs(page.align(rows)) do lines[#lines + 1] = line end
  for _, r in ipairs(report) do
    if r.words then
      lines[#lines + 1] = "\n" .. page.wrap(("%s: %s"):format(r.what, r.words), "", "  ", 100)
      if r.again then lines[#lines + 1] = "  " .. r.again end
    end
  end
  for _, note in ipairs(report.notes) do lines[#lines + 1] = page.wrap(note, "  note: ", (" "):rep(8), 100) end
  return table.concat(lines, "\n")
end

-- numbers between a and b, the same every time: splitmix64
local function generator(seed)
  local state = seed
  return function(a, b)
    state = state + 0x9e3779b97f4a7c15
    local z = state
    z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ~ (z >> 27)) * 0x94d049bb133111eb
    return a + (b - a) * ((z ~ (z >> 31)) >> 11) * 0x1p-53
  end
end

local check_options = options_of.define("k.check", {
  { "cases", "integer", "states of a model, problems of a law of each size", default = 20, min = 1, max = 100000 },
  { "seed", "integer", "another number tries other cases", default = 1 },
  { "tolerance", "number", "laws: what is allowed, relative to the impulses and velocities", default = 1e-8, above = 0 },
  { "quiet", "boolean", "prints nothing; the report is the answer", default = false },
}, "check")

--- k.check(model or law[, options]) -> report
--- Runs the checks that the models and laws of knock pass, on yours, and prints what holds and what fails, with
--- the worst case in a form that can be run again. report.ok is true when nothing fails; report[i] has what, cases, worst,
--- allowed, verdict ("holds", "FAILS"), words and again.
--- * A model, at several states: M is symmetric and positive; J u is the rate of the gap (and of position); v, W and the
--- kinetic energy follow from M, J and u; the drift is the rate of J; forces do the work that potential and power tell of.
--- * A law, on many problems of one to three contacts: v+ = v- + W p; the ledger closes; impulses push and stay in
--- their cones; contacts do not go on approaching; no energy is created without the flag gains_energy; contacts that
--- separate are left alone; e and mu mean what they say, also in the ledger; velocities, masses, mirrors, turns of the tangents and the
--- order of the contacts do not matter; the same problem has the same answer.
---
---     print(k.check(k.ball{}, { quiet = true }).ok) --> true
return function(x, o)
  local kind = getmetatable(x)
  if kind ~= "model" and kind ~= "law" then
    host.fail(("check: argument 1 must be a model or a law, as k.ball{} or k.law.newton{}, got %s"):format(host.got(x)))
  end
  o = check_options(o)
  local report = setmetatable({ name = (kind == "law" and "law." or "") .. x.name, by_name = {}, notes = {} }, Report)
  require("knock.check_" .. kind)(report, x, generator(o.seed), o)
  report.by_name, report.ok = nil, true
  for _, row in ipairs(report) do report.ok = report.ok and row.verdict == "holds" end
  if not o.quiet then print(show(report)) end
  return report
end
