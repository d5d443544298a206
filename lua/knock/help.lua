-- help "ball", help "law.newton", help "sweep": what a thing is, its parameters with units and defaults,
-- and an example. help() lists everything.

local doc = require "knock.doc"
local host = require "knock.host"
local wrap_text = require "knock.page".wrap

local width = 78

-- Words of a text in lines of `width`, each after `indent`. Lines of the text that start with "* " are points of a
-- list and stand below each other.
local function wrap(text, indent)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local point = line:match "^%* (.*)$"
    lines[#lines + 1] = wrap_text((point or line):gsub("%s+", " "), point and indent .. "- " or indent, point and indent .. "  " or indent, width)
  end
  return table.concat(lines, "\n")
end

local function shown_unit(unit) return unit ~= "" and unit ~= "1" and unit or "" end

local function default_text(p)
  if p.default == nil then return "must be given" end
  if p.default == "nil" then return "unset" end
  return p.default
end

-- "= 1 kg", "[s], must be given", "[m], may be left out"
local function first_words(p)
  local unit = (p.kind == "object" or p.kind == "value") and "" or shown_unit(p.unit)
  if p.default ~= nil and p.default ~= "nil" then return ("= %s%s"):format(p.default, unit ~= "" and " " .. unit or "") end
  return ("%s%s"):format(unit ~= "" and ("[%s], "):format(unit) or "", p.default == nil and "must be given" or "may be left out")
end

-- name, default and unit, then what it is
local function parameter_lines(params)
  local lines, widest = {}, 0
  for _, p in ipairs(params) do widest = math.max(widest, #p.key) end
  for _, p in ipairs(params) do
    lines[#lines + 1] = ("  %s%s  %s"):format(p.key, (" "):rep(widest - #p.key), first_words(p))
    lines[#lines + 1] = wrap(p.doc .. (" (%s)"):format(p.expects), (" "):rep(widest + 6))
  end
  return table.concat(lines, "\n")
end

local function entry_page(title, entry)
  local parts = { title, wrap(entry.doc, "  ") }
  if entry.paper ~= "" then parts[#parts + 1] = "  Paper: " .. entry.paper end
  if #entry.params > 0 then parts[#parts + 1] = "\nParameters\n" .. parameter_lines(entry.params) end
  local named, fields = {}, {}
  for _, p in ipairs(entry.params) do named[p.key] = true end
  for _, g in ipairs(entry.groups or {}) do
    local unit = shown_unit(g.unit)
    if not named[g.name] then fields[#fields + 1] = ("  %-12s %s%s"):format(g.name, g.doc, unit ~= "" and " [" .. unit .. "]" or "") end
  end
  if #fields > 0 then parts[#parts + 1] = "\nFields besides its parameters\n" .. table.concat(fields, "\n") end
  parts[#parts + 1] = "\nExample\n  " .. entry.example:gsub("\n", "\n  ")
  return table.concat(parts, "\n")
end

local function function_page(found)
  local parts = {}
  for _, f in ipairs(found) do
    local entry = f[3]
    parts[#parts + 1] = entry.usage .. "\n" .. wrap(entry.doc, "  ")
    local options = doc.options(f[1], f[2])
    if options then parts[#parts + 1] = "  Options\n" .. parameter_lines(options):gsub("^", "  "):gsub("\n", "\n  ") end
    if entry.example then parts[#parts + 1] = "  Example\n    " .. entry.example:gsub("\n", "\n    ") end
  end
  return table.concat(parts, "\n")
end

local function fields_page(kind, fields)
  local parts, methods = { kind }, {}
  for _, f in ipairs(fields) do
    local unit = shown_unit(f[2])
    parts[#parts + 1] = wrap_text(("%s%s"):format(f[3], unit ~= "" and " [" .. unit .. "]" or ""), ("  %-24s "):format(f[1]), (" "):rep(27), 100)
  end
  for name, f in pairs(doc.catalog().functions[kind] or {}) do methods[#methods + 1] = { name, f } end
  table.sort(methods, function(a, b) return a[1] < b[1] end)
  if #methods > 0 then parts[#parts + 1] = "\nMethods" end
  for _, m in ipairs(methods) do
    parts[#parts + 1] = "  " .. m[2].usage .. "\n" .. wrap(m[2].doc, "      ")
  end
  return table.concat(parts, "\n")
end

local function command_page(command)
  local parts = { command.usage .. ": a command", wrap(command.about, "  ") }
  if command.options then parts[#parts + 1] = "\nOptions\n  " .. command.options:gsub("\n", "\n  ") end
  parts[#parts + 1] = "\nExample\n  " .. command.example:gsub("\n", "\n  ")
  return table.concat(parts, "\n")
end

-- ---- lists ---------------------------------------------------------------------------------------------------------

local function first_sentence(text) return text:match "^(.-[^.]%.)%s" or text end

local function list_lines(title, entries, prefix)
  local lines = { title }
  for _, entry in ipairs(entries) do
    local doc_line = first_sentence(entry.doc):gsub("^%l%l", function(two) return two:sub(1, 1):upper() .. two:sub(2) end)
    lines[#lines + 1] = wrap_text(("%-20s %s"):format(prefix .. entry.name, doc_line), "  ", (" "):rep(23), 100)
  end
  return table.concat(lines, "\n")
end

local function function_list()
  local owners, lines = {}, { "Functions" }
  for owner in pairs(doc.catalog().functions) do owners[#owners + 1] = owner end
  table.sort(owners)
  for _, owner in ipairs(owners) do
    local names = {}
    for name in pairs(doc.catalog().functions[owner]) do names[#names + 1] = name end
    table.sort(names)
    lines[#lines + 1] = ("  %s"):format(owner)
    lines[#lines + 1] = wrap(table.concat(names, ", "), "      ")
  end
  return table.concat(lines, "\n")
end

--- Scenarios: { name, first line of its comment }.
local function scenarios()
  local list = {}
  for _, name in ipairs(host.files(host.home .. "/scenarios") or {}) do
    if name:find "%.lua$" then
      local f = io.open(host.home .. "/scenarios/" .. name)
      local first = f:read "l" or ""
      f:close()
      list[#list + 1] = { name = name, doc = (first:gsub("^%-+%s*", "")) }
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

local pages = {
  models = function() return list_lines("Models", doc.catalog().models, "k.") end,
  laws = function() return list_lines("Laws", doc.catalog().laws, "k.law.") end,
  functions = function_list,
  commands = function() return list_lines("Commands", doc.catalog().commands, "knock ") end,
  scenarios = function() return list_lines("Scenarios", scenarios(), "") end,
  tutorial = function() return require "knock.tutorial".text() end,
  cluster = function()
    return [[
Sweeps on several machines. A sweep with a file can be run by any number of
workers that share a folder, on any machines, under anything that starts them:

  knock --join sweep.lua

Workers claim chunks of samples in FILE.sweep, keep journals there, and come and
go as they like. One that dies is noticed after KNOCK_PATIENCE seconds (60) without
a sign of life; another one goes on with its chunk. When all is done one of them
merges: FILE is, byte for byte, what one machine would have written. TERM lets a
worker finish its row and go. Nothing is done twice but what was lost.

With Slurm, an array of 16 jobs of 8 cores, and one that merges:

  knock submit sweep.lua --slurm 16 --cpus 8 --time 2:00:00
  knock watch results.csv

With mpirun (no MPI is needed in knock: ranks are only workers), GNU parallel, ssh:

  mpirun -n 4 knock --join --jobs 1 sweep.lua
  parallel -N0 knock --join --jobs 1 sweep.lua ::: 1 2 3 4
  for host in a b c; do ssh $host "cd $PWD && knock --join sweep.lua" & done; wait

Fixed parts, when there is no folder that all machines share: --shard i/n runs the
i-th of n parts and keeps a journal; bring them together, then `knock merge FILE`.]]
  end,
  sandbox = function()
    return [[
knock --sandbox [--out DIR] script.lua runs the script of somebody else. It can
compute, print, draw figures and write tables, and it cannot

  start programs      os.execute, io.popen and C modules are not available; gnuplot
                      comes from a helper and is locked in as well
  change files        os.remove, os.rename, os.tmpname and io.open for writing are
                      not; figures, tables and journals go below DIR (without
                      --out: the current folder), under their usual endings
  read files          io.open, io.lines, dofile, loadfile, require and k.read take
                      files below the current folder, the script's folder and DIR,
                      and knock's own
  reach the network   there are no sockets
  read the rest       os.getenv gives nil but for a few names like TERM; of debug
                      only traceback, getinfo (without func) and getmetatable are left
  take everything     2 GB of memory and an hour of computing in each process, or
                      what --mem-limit and --cpu-limit say

The kernel holds this (Landlock, Linux 5.13 and newer, and seccomp), also against a
script that breaks out of Lua; the Lua part is there for good messages. Where the
kernel cannot, as in some containers, knock says so and ends with 4; --sandbox=lua
does without it, which stops mistakes, not attacks.

Names with '..' and links are followed before they are judged; Lua reaches no
hidden files. Sessions have no start-up file and no history, figures no windows.
A folder that holds the home folder is not handed out. What is already below DIR
can be overwritten: give it a folder of its own. What is not held: names and sizes
of files elsewhere, the number of processes, a full disk, and before Linux 6.12
signals to other processes of the same user.]]
  end,
  promises = function()
    local lines = { "What knock promises, and the test of ./knock test that shows it." }
    local sections = require "knock.promises"
    for _, section in ipairs(sections) do
      lines[#lines + 1] = "\n" .. section[1]
      for i = 2, #section do
        lines[#lines + 1] = wrap(section[i][1], "  ")
        lines[#lines + 1] = wrap("[" .. section[i][2] .. "]", "      ")
      end
    end
    lines[#lines + 1] = "\nWhat is not promised"
    for _, text in ipairs(sections.not_promised) do lines[#lines + 1] = wrap(text, "  ") end
    return table.concat(lines, "\n")
  end,
  session = function()
    return [[
  ?ball, help ball    a model, a law, a function, a field: parameters, units, example
  help "models"       all models; also laws, functions, commands, scenarios, units
  tutorial            from dropping a ball to a figure, step by step
  Tab                 completes names, parameters, options and files
  _, _1, _2 ...       the last value, the value of line 1, of line 2 (the last 99)
  time f(x)           how long it takes
  Ctrl-C              stops what runs, and the session goes on
  quit, Ctrl-D        ends

A line that is an expression shows its value; a semicolon behind it hides it. A
local of one line is there in the next (as a global), so that scripts can be
pasted line by line. A line that does not react to Ctrl-C within two seconds (a
LAPACK call, a search for a difficult pattern) is given up, and so is one that
crashes: the session is then as it was before that line.

  b = k.ball{ velocity = {1, 0, -5} }
  hit = k.impact(b, k.law.stronge{ e = 0.5, mu = 0.3 })
  hit:plot "impulse"]]
  end,
  mechanisms = function() return require "knock.mechanism.page" () end,
  units = function()
    return [[
Units are SI throughout:

  length           m         mass            kg        time           s
  velocity         m/s       force           N         angle          rad
  angular velocity rad/s     impulse         N s       energy         J
  stiffness        N/m       inertia         kg m^2    gravity        m/s^2

Gravity is 9.81 m/s^2 downwards unless a model says otherwise; gravity = 0 turns it
off. e, mu and eta are numbers without a unit.

Signs. A contact has rows (t1, t2, n) in space, (t, n) in the plane, (n) on a line.
The normal n points away from the obstacle. A normal velocity below zero approaches;
a gap above zero is open. An impulse is what the obstacle gives the body, so that
v+ = v- + W p.

Columns of tables carry their units: t:unit "vx", the header of a .csv file, and the
labels of axes show them. k.sweep's run takes units = { vx = "m/s" }. Any consistent
set of units gives the same motion: tolerances follow the scales of the problem.]]
  end,
}

local function overview()
  return table.concat({ pages.models(), pages.laws(), pages.functions(), pages.commands(), pages.scenarios(),
    'Ask help "ball", help "law.compliant", help "hit", help "sweep", help "mechanisms", help "units", help "sandbox", help "promises" or help "tutorial".' }, "\n\n")
end

--- The pages that are about no single thing, by name.
local function topics()
  local names = {}
  for name in pairs(pages) do names[#names + 1] = name end
  table.sort(names)
  return "Topics of help: any model, law, function, field, option or command by its name, and\n" .. wrap(table.concat(names, ", "), "  ")
end

-- lines on a parameter, a field or an option: "ball.mass", "mu", "hit.energy", "--term"
local function small_page(topic)
  local c, lines = doc.catalog(), {}
  local owner, name = topic:match "^(.+)[.:]([%w_]+)$"
  name = name or topic
  local function add(kind, prefix, text, unit)
    if owner and owner ~= kind then return end
    unit = shown_unit(unit or "")
    lines[#lines + 1] = wrap_text(("%s%s.%s: %s%s"):format(prefix, kind, name, text, unit ~= "" and " [" .. unit .. "]" or ""), "", "    ", width)
  end
  local function parameters(entries, prefix)
    for _, entry in ipairs(entries) do
      for _, p in ipairs(entry.params) do if p.key == name then add(prefix .. entry.name, "k.", p.doc, p.unit) end end
    end
  end
  parameters(c.models, "")
  parameters(c.laws, "law.")
  local kinds = {}
  for kind in pairs(c.fields) do kinds[#kinds + 1] = kind end
  table.sort(kinds)
  for _, kind in ipairs(kinds) do
    for _, f in ipairs(c.fields[kind]) do if f[1] == name then add(kind, "", f[3], f[2]) end end
  end
  for _, entry in ipairs(owner == "hit" and c.models or {}) do -- a hit speaks as its model does
    for _, g in ipairs(entry.groups) do
      if g.name == name then add("hit", "", ("of a %s: %s, after the impact"):format(entry.name, g.doc), g.unit) end
    end
  end
  local option = host.option_docs[(topic:gsub("^%-%-", ""))]
  if option then lines[#lines + 1] = wrap_text(option, "", "    ", width) end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

local stock = {}
for name in ("assert collectgarbage dofile error getmetatable ipairs load loadfile next pairs pcall print rawequal rawget rawlen rawset require " ..
  "select setmetatable tonumber tostring type warn xpcall"):gmatch "%a+" do stock[name] = true end

-- what stock Lua has: its own manual tells
local function lua_page(name)
  local owner, field = name:match "^(%l[%l%d]*)%.([%l%d]+)$"
  local library = owner and package.loaded[owner] or not owner and stock
  if type(library) ~= "table" or owner and owner:find "^knock" or rawget(library, field or name) == nil then return nil end
  return ("%s is Lua's own: https://www.lua.org/manual/5.4/manual.html#pdf-%s"):format(name, name)
end

--- The page on a topic as text; nil and the nearest name when there is none.
local function page(topic)
  if topic == nil or topic == "" then return overview() end
  local plain = topic:gsub("^k%.", ""):gsub("^knock ", "")
  local parts, model, law = {}, doc.model(plain), doc.law(plain)
  local command = doc.command(plain)
  if command then parts[1] = command_page(command) end
  if pages[plain] then parts[#parts + 1] = pages[plain]() end
  if model then parts[#parts + 1] = entry_page("k." .. model.name .. "{...}: a model", model) end
  if law then parts[#parts + 1] = entry_page("k.law." .. law.name .. "{...}: a law", law) end
  local fields = doc.catalog().fields[plain]
  if fields then parts[#parts + 1] = fields_page(plain, fields) end
  local functions = doc.functions(plain)
  if #functions > 0 then parts[#parts + 1] = function_page(functions) end
  local owner = doc.catalog().functions[plain]
  if owner and not fields then parts[#parts + 1] = fields_page(plain, {}) end
  if #parts == 0 or topic:find "^%-%-" then parts[#parts + 1] = small_page(plain) end
  if #parts == 0 then parts[1] = lua_page(plain) end
  if #parts > 0 then return table.concat(parts, "\n\n") end
  return nil, host.nearest(plain, doc.names())
end

-- the topic a value stands for
local function topic_of(value)
  if value == nil or type(value) == "string" then return value end
  local kind = getmetatable(value)
  if kind == "model" then return value.name end
  if kind == "law" then return "law." .. value.name end
  if type(kind) == "string" then return kind end
  for _, entry in ipairs(doc.catalog().models) do
    if rawget(require "knock", entry.name) == value then return entry.name end
  end
  for _, entry in ipairs(doc.catalog().laws) do
    if rawget(require "knock".law, entry.name) == value then return "law." .. entry.name end
  end
  host.fail("help: needs a name or a thing of knock's, got " .. host.got(value))
end

local help = { page = page, topics = topics, scenarios = scenarios, default_text = default_text, first_sentence = first_sentence }

--- help(topic): prints the page on a model, law, function, field, command or topic.
return setmetatable(help, { __call = function(_, topic)
  local name = topic_of(topic)
  local text, near = page(name)
  if not text then
    host.fail(("help: nothing is called '%s'%s"):format(name, near and (" (did you mean '%s'?)"):format(near) or ""))
  end
  local pager = os.getenv "PAGER"
  local on_screen, _, rows = require "knock.gnuplot".screen()
  local _, lines = text:gsub("\n", "")
  if pager and pager ~= "" and on_screen and lines + 2 > rows then
    local pipe = io.popen(pager, "w") -- the user's own: long pages go through it
    if pipe then
      pipe:write(text, "\n")
      return pipe:close() and nil
    end
  end
  print(text)
end })
