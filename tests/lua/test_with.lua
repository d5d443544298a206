-- Changed copies of laws: one piece of memory where they can be (src/bind/law.c); where not, the long way must tell the same.
local k = require "knock"

-- numbers, lists and lists by name as text
local function said(mu)
  if type(mu) ~= "table" then return tostring(mu) end
  local parts = {}
  for key, value in pairs(mu) do parts[#parts + 1] = key .. "=" .. value end
  table.sort(parts)
  return table.concat(parts, " ")
end

test("law:with of each kind: checks, long lists, names, laws inside, and what is collected", function()
  local law = k.law.compliant { mu = 0.3, e = 0.5 }
  local kinds = {
    function(l) return l:with { mu = 0.2 } end,
    function(l) return l:with { mu = { 0.1, 0.2 } } end,
    function(l) return l:with { mu = { 0.1, 0.2, 0.3, 0.4, 0.5 } } end, -- more than a piece holds
    function(l) return l:with { mu = k.linspace(1, 6, 6) } end,
    function(l) return l:with { mu = { foot = 0.8, stop = 0 } } end,
    function(l) return l:with {} end,
  }
  for i, first in ipairs(kinds) do
    for j, second in ipairs(kinds) do
      local a, b = second(first(law)), second(law) -- mu is set anew, but for {}
      if j < #kinds then equal(said(a.mu), said(b.mu), i .. " then " .. j) end
      equal(a.e, 0.5)
      equal(second(first(law):with { e = 0.25 }).e, 0.25)
    end
  end
  equal(law.mu, 0.3)
  local s = k.law.stronge { mu = 0.3, mu_static = 0.4 }:with { mu = 0.35 }
  raises(function() s:with { mu = 0.5 } end, "mu_static must be at least mu")
  raises(function() s:with { nu = 0.5 } end, "nu")
  raises(function() s:with { e = 2 } end, "e must be")
  raises(function() s:with { e = "x" } end, "e must be")
  local inner = k.law.sequential { law = s }:with { law = s:with { e = 0.1 } }
  s = nil
  for _ = 1, 3 do
    for i = 1, 500 do law:with { mu = { 0.1, 0.2, 0.3, 0.4, i } } end
    collectgarbage()
  end
  equal(inner.law.e, 0.1)
  equal(inner.law.mu, 0.35)
end)
