-- Help, the manual and the tutorial say what is there, and what they say is true.
local k = require "knock"
local doc = require "knock.doc"
local help = require "knock.help"
local manual = require "knock.manual"

local catalog = doc.catalog()

test("every model, law, function and kind of value has a page", function()
  for _, entry in ipairs(catalog.models) do
    local text = help.page(entry.name)
    for _, p in ipairs(entry.params) do assert(text:find(p.key, 1, true), entry.name .. "." .. p.key) end
  end
  for _, entry in ipairs(catalog.laws) do assert(help.page("law." .. entry.name):find("k.law." .. entry.name, 1, true)) end
  for owner, list in pairs(catalog.functions) do
    for name, f in pairs(list) do
      assert(#f.doc > 10, owner .. "." .. name .. " has no documentation")
      assert(help.page(name):find(f.usage, 1, true), owner .. "." .. name)
    end
  end
  for kind in pairs(catalog.fields) do assert(help.page(kind)) end
  for _, topic in ipairs { "models", "laws", "functions", "commands", "scenarios", "units", "cluster", "tutorial" } do assert(#help.page(topic) > 20) end
  assert(#help.page() > 1000)
end)

test("every command has a page, and every file of a command is in the table", function()
  local listed = {}
  for _, c in ipairs(catalog.commands) do
    listed[c.name .. ".lua"] = true
    local text, man = help.page(c.name), manual.man()
    assert(text:find("knock " .. c.name, 1, true) == 1, c.name)
    assert(text:find("\nExample\n", 1, true) and c.example:find("knock", 1, true), c.name)
    for line in text:gmatch "[^\n]+" do assert(#line <= 120, line) end
    for option in c.usage:gmatch "%-%-?%a+" do
      assert(c.options and c.options:find(option, 1, true), c.name .. option)
    end
    assert(man:find(".B knock " .. c.name, 1, true), c.name)
    assert(manual.markdown():find("### `knock " .. c.name, 1, true), c.name)
    equal(help.page("knock " .. c.name), text)
  end
  for _, file in ipairs(require "knock.host".files(require "knock.host".home .. "/lua/knock/command")) do
    assert(listed[file], file)
  end
  raises(function() help "galery" end, "nothing is called 'galery' (did you mean 'gallery'?)")
end)

test("documented fields can be read, and nothing readable is undocumented", function()
  local ball = k.ball { velocity = { 0, 0, -1 } }
  local hit = k.impact(ball, k.law.stronge { e = 0.5, mu = 0.1 })
  local run = k.simulate(ball, hit.law, { t_end = 0.1 })
  local things = { run = run, model = ball, law = hit.law, hit = hit, matrix = ball.M, table = k.table { x = { 1 } } }
  for kind, thing in pairs(things) do
    for _, field in ipairs(catalog.fields[kind]) do
      local ok, why = pcall(function() return thing[field[1]] end)
      if not ok then error(("%s.%s: %s"):format(kind, field[1], why)) end
    end
  end
end)

test("lists and the tutorial fit a terminal of 100 columns", function()
  for _, topic in ipairs { "models", "laws", "scenarios", "commands", "cluster", "tutorial", "units", "hit", "run", "model", "table" } do
    for line in help.page(topic):gmatch "[^\n]+" do assert(utf8.len(line) <= 100, line) end
  end
end)

test("help on what stock Lua has names the place in its manual", function()
  equal(help.page "print", "print is Lua's own: https://www.lua.org/manual/5.4/manual.html#pdf-print")
  equal(help.page "math.sin", "math.sin is Lua's own: https://www.lua.org/manual/5.4/manual.html#pdf-math.sin")
  equal(help.page "math.cosine", nil)
end)

test("a wrong topic is told the nearest one", function()
  raises(function() help "zzz" end, "help: nothing is called 'zzz'")
  raises(function() help "bal" end, "help: nothing is called 'bal' (did you mean 'ball'?)")
  raises(function() help(3) end, "help: needs a name or a thing of knock's, got 3")
end)

test("the man page, the reference and the annotations hold everything", function()
  local man, markdown, luals = manual.man(), manual.markdown(), manual.luals()
  for _, entry in ipairs(catalog.models) do
    assert(man:find(".B k." .. entry.name, 1, true), entry.name)
    assert(markdown:find("`k." .. entry.name .. "`", 1, true), entry.name)
    assert(luals:find("function k." .. entry.name .. "(parameters) end", 1, true), entry.name)
  end
  for _, entry in ipairs(catalog.laws) do
    assert(markdown:find("`k.law." .. entry.name .. "`", 1, true), entry.name)
    assert(luals:find("function k.law." .. entry.name .. "(parameters) end", 1, true), entry.name)
  end
  assert(load(luals, "=luals", "t"))
end)

test("the tutorial's steps print what they say", function()
  local tutorial = require "knock.tutorial"
  local lines
  local environment = setmetatable({ k = k, help = help, print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    lines[#lines + 1] = table.concat(words, "\t")
  end }, { __index = _G })
  local folder = os.tmpname()
  os.remove(folder)
  require "knock.host".make_folder(folder)
  for i, step in ipairs(tutorial.steps) do
    lines = {}
    local code = step[2]:gsub('"sweep%.', '"' .. folder .. "/sweep."):gsub('"run%.', '"' .. folder .. "/run.")
    assert(load(code, "=step " .. i, "t", environment))()
    if step[3] then equal(table.concat(lines, "\n"), step[3]) end
  end
  assert(io.open(folder .. "/sweep.svg"), "the figure is there"):close()
  os.execute("rm -r " .. folder)
end)

-- v_n and the n of a count stand as they are written in formulas
test("every text is a sentence: a capital in front, a stop behind", function()
  local c = require "knock.doc".catalog()
  local function sentence(name, text)
    local ok = (text:find "^[%u{]" or text:find "^%l[_ ]") and text:find "[.:)]$"
    if not ok then error(("%s: '%s'"):format(name, text)) end
  end
  for _, entry in ipairs(c.models) do sentence(entry.name, entry.doc) end
  for _, entry in ipairs(c.laws) do sentence(entry.name, entry.doc) end
  for owner, list in pairs(c.functions) do
    for name, f in pairs(list) do sentence(owner .. "." .. name, f.doc) end
  end
end)

test("parameters, fields and options have their lines", function()
  local page = require "knock.help".page
  for topic, part in pairs { ["ball.mass"] = "k.ball.mass: mass of the ball [kg]", mu = "k.law.stronge.mu: ",
    ["law.newton.e"] = "k.law.newton.e: restitution", ["hit.energy"] = "hit.energy: before, after",
    ["hit.velocity"] = "hit.velocity: of a ball: ", events = "run.events: ", ["--term"] = "--term FORMATS: " } do
    local text = page(topic) or "nothing"
    if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text)) end
  end
  equal(page "ball.energy", nil)
end)

test("the page of a thing with long lists stays a page", function()
  for _, thing in ipairs { k.arm { n = 8 }, k.arm { n = 40 }, k.law.compliant { mu = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 } } } do
    local lines = 0
    for line in tostring(thing):gmatch "[^\n]+" do
      lines = lines + 1
      assert(utf8.len(line) <= 100, line)
    end
    assert(lines < 20, tostring(thing))
  end
end)

test("help law says what a law in Lua gets and gives; the tutorial and the manual have it", function()
  local text = help.page "law"
  for _, words in ipairs { "k.law{solve =", "problem.W", "problem.v", "problem.gap", "problem.dim", "problem.rows", "[1/kg]", "[m/s]", "impulse of all rows [N s]",
    "restitution, friction and stored", "duration [s]", "many = false", "gaps = true", "units =" } do
    assert(text:find(words, 1, true), words)
  end
  assert(require "knock.tutorial".text():find("k.law {", 1, true))
  assert(require "knock.manual".markdown():find("`k.law{solve =", 1, true))
  assert(require "knock.manual".man():find("k.law{solve =", 1, true))
end)

test("help simulate is a list of options with units and defaults", function()
  local text, man = help.page "simulate", require "knock.manual".man()
  local lines = { "t_end       [s], must be given", "t_start     = 0 s", "rtol        = 1e-9", "touch       [m], may be left out", "zeno        = true",
    "rate        [1/s], may be left out", "samples     = 500", "force       may be left out" }
  for _, line in ipairs(lines) do assert(text:find("\n    " .. line .. "\n", 1, true), line) end
  for _, p in ipairs(doc.options("k", "simulate")) do
    assert(text:find("\n    " .. p.key .. " ", 1, true), p.key)
    assert(man:find("\n.I " .. p.key .. "\n", 1, true), p.key)
  end
  assert(not text:find("unset a function", 1, true))
end)

test("help lhs says what its table takes, help units what the units are", function()
  local lhs = help.page "lhs"
  for _, words in ipairs { "k.sweep.lhs{n =, axis = {low, high}, ..., seed =}", "one sample in", '"log"', "print(#quarters) --> 4" } do assert(lhs:find(words, 1, true), words) end
  local units = help.page "units"
  for _, words in ipairs { "velocity         m/s", "impulse         N s", "inertia         kg m^2", "9.81 m/s^2", "points away from the obstacle" } do assert(units:find(words, 1, true), words) end
end)

test("help knows every method that Tab offers: panels, runs, events", function()
  for _, name in ipairs { "panel:line", "panel:arrows", "run:write", "run:table", "run.events:write", "run.events:plot" } do
    assert(help.page(name), name)
  end
end)

test("fields of a model that are parameters are told once", function()
  local ball, pendulum = help.page "ball", help.page "double_pendulum"
  equal(ball:find("Fields besides its parameters", 1, true), nil)
  assert(pendulum:find("Fields besides its parameters\n  angles ", 1, true), pendulum)
  equal(ball:find " \n", nil)
end)

test("what the pages of mechanisms and of sessions show runs", function()
  local hopper = assert(load("local k = ... " .. help.page "mechanisms":match "\n(  local hopper = k.mechanism %b{})" .. " return hopper"))(k)
  equal(#hopper.contacts, 3)
  local lands = hopper:with { q = { hip = { 0, 0.9, 0 } }, u = { hip = { 0, -1, 0 } } }
  equal(k.simulate(lands, k.law.compliant { e = 0.5, mu = { foot = 0.8, stop = 0 } }, { t_end = 0.2 }).status, "ok")
  local session = help.page "session":match "\n(  b = k.ball.*)$"
  assert(load(session:gsub("hit:plot.*", "return hit:plot 'impulse'"), "=session", "t", { k = k }))():text(60, 20)
end)

test("the page of mechanisms says where starts are declared", function()
  assert(help.page "mechanisms":find("q = { name = ... } of the mechanism", 1, true))
end)
