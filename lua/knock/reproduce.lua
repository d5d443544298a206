-- knock reproduce: every number that the five papers print, beside what knock computes.
--
-- A paper's file in lua/knock/reproduce/ gives rows { where, what, unit, printed, computed, ... }.
-- Only `printed` (the text as it stands in the paper), `expect` and `reason` are data there; `computed`
-- and `repeated` come from models and laws. The verdict of a row is computed:
--
--   agrees            |printed - computed| is at most half a unit of the last printed digit
--   printed slip      else, if the value with the slip put in (`repeated`) is within `to` of the printed
--                     one, or, where the slip is the step of the paper's own method, the computed value is
--   not reproducible  else
--
-- Formulas in print have `value` beside `printed`, and must agree to `exact` (1e-11 of their size).
--
-- Not every row is an independent check of a printed number; its `kind` says what it is:
--
--   printed      a number in the paper against the models and laws
--   recomputed   a number that the paper does not print, from a computation outside knock
--   closed form  a formula in the paper, evaluated by hand here, against the models and laws
--   echo         a number of the paper that is knock's own input (a default, a table of data)
--   self-check   one route of knock against another, or an identity
--
-- Every `to` was picked after the miss had been seen; a verdict that rests on one says so (`picked`).

local reproduce = {}

local exact = 1e-11

reproduce.papers = { "johnson", "jia", "batlle", "manipulator", "morgan" }
reproduce.letters = { J = "johnson", Y = "jia", B = "batlle", F = "manipulator", M = "morgan" }
reproduce.verdicts = { "agrees", "printed slip", "not reproducible" }
reproduce.kinds = { "printed", "recomputed", "closed form", "echo", "self-check" }

-- half a unit of the last digit of a printed number: "0.4518" -> 5e-5, "1e-3" -> 5e-4
function reproduce.half_unit(text)
  local digits, power = text:match "^%s*[-+]?[%d]*%.?(%d*)[eE]?([-+]?%d*)%s*$"
  if not text:find "%." then digits = "" end
  return 0.5 * 10 ^ ((tonumber(power) or 0) - #digits)
end

-- the printed number as a value, and how far a computed one may be off
local function reading(row)
  if row.value then return row.value, exact * math.max(1, math.abs(row.value)) end
  local value = tonumber(row.printed)
  if not value then error(("reproduce: '%s' of %s is not a number"):format(tostring(row.printed), row.what)) end
  return value, reproduce.half_unit(row.printed)
end

local function kind_of(row)
  if row.kind then return row.kind end
  return row.source == "reference" and "recomputed" or row.value and "closed form" or "printed"
end

-- the verdict, and whether it rests on `to`
function reproduce.verdict(row)
  local value, half = reading(row)
  local function within(x, to) return math.abs(x - value) <= to * (1 + 1e-9) end
  if within(row.computed, half) then return "agrees" end
  if row.slip ~= nil then return row.slip and "printed slip" or "not reproducible" end
  local slip = row.repeated or row.computed
  if row.repeated and within(slip, half) then return "printed slip" end
  if row.to and within(slip, row.to) then return "printed slip", true end
  return "not reproducible"
end

local function finish(row, paper)
  local value = reading(row)
  row.paper = paper.letter
  row.source = row.source or "paper"
  row.kind = kind_of(row)
  row.expect = row.expect or "agrees"
  row.difference = row.computed - value
  row.verdict, row.picked = reproduce.verdict(row)
  row.expected = row.verdict == row.expect
  if row.expect == "agrees" then row.reason, row.repeated = nil, nil end
  if row.expect ~= "agrees" and not row.reason then error("reproduce: no reason for " .. row.what) end
  return row
end

-- all rows of one paper, by its letter or its name
function reproduce.paper(name)
  local paper = require("knock.reproduce." .. name)
  local rows = {}
  paper.rows(function(row) rows[#rows + 1] = finish(row, paper) end)
  return { letter = paper.letter, name = name, title = paper.title, rows = rows }
end

-- the paper that a word names: J, jia, ...; nil when none does
function reproduce.find(word)
  local name = reproduce.letters[word:upper()] or word:lower()
  for _, known in ipairs(reproduce.papers) do if known == name then return name end end
end

function reproduce.run(names)
  local papers = {}
  for i, name in ipairs(names or reproduce.papers) do papers[i] = reproduce.paper(name) end
  return papers
end

-- how often each verdict was given, to which kinds of row, and how often it was not the expected one
function reproduce.count(papers)
  local n = { total = 0, unexpected = 0, picked = 0, kinds = {} }
  for _, verdict in ipairs(reproduce.verdicts) do n[verdict] = 0 end
  for _, kind in ipairs(reproduce.kinds) do n.kinds[kind] = 0 end
  for _, paper in ipairs(papers) do
    for _, row in ipairs(paper.rows) do
      n.total = n.total + 1
      n[row.verdict] = n[row.verdict] + 1
      n.kinds[row.kind] = n.kinds[row.kind] + 1
      if row.picked then n.picked = n.picked + 1 end
      if not row.expected then n.unexpected = n.unexpected + 1 end
    end
  end
  return n
end

return reproduce
