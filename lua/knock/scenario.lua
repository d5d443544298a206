-- What every scenario needs: its arguments, and a place for its figures.
--
--   local scenario = require "knock.scenario"
--   local p = scenario { mu = 0.4, v = {-1, 0, -5}, law = "stronge", fast = false }   -- defaults say the kinds
--   ...
--   scenario.say("V_x after", hit.velocity[1], "m/s", 0.570984)    -- a key number, and what the paper prints
--   scenario.save(figure, "ball-impulse")        -- ball-impulse.pdf, or what --term and --out say
--
--   knock scenarios/ball.lua --mu 0.3 --v 1,0,-5 --fast --out figures --term svg,png

local host = require "knock.host"

local M = { saved = {} } -- names of the figures, in order

local formats = { pdf = "pdf", svg = "svg", png = "png", tex = "tex", txt = "txt", dumb = "txt" }
local output = { out = host.options.out or ".", term = host.options.term or "pdf" }

local function stop(message)
  io.stderr:write(("%s: %s\n"):format(arg and arg[0] or "scenario", message))
  os.exit(2)
end

local function numbers(name, text)
  local list = {}
  for word in (text .. ","):gmatch "([^,]*)," do
    list[#list + 1] = tonumber(word) or stop(("--%s must be numbers with commas between, got '%s'"):format(name, text))
  end
  return list
end

-- text as the kind of value that the default is
local function value_of(name, default, text)
  if type(default) == "table" then
    local list = numbers(name, text)
    if #list ~= #default then stop(("--%s must be %d numbers, got %d"):format(name, #default, #list)) end
    return list
  end
  if type(default) == "number" then
    return tonumber(text) or stop(("--%s must be a number, got '%s'"):format(name, text))
  end
  return text
end

-- the comment a scenario starts with
local function comment()
  local lines, f = {}, arg and arg[0] and io.open(arg[0])
  for line in f and f:lines() or function() end do
    local text = line:match "^%-%-%s?(.*)"
    if not text then break end
    lines[#lines + 1] = text
  end
  if f then f:close() end
  return table.concat(lines, "\n")
end

local function show(default)
  if type(default) ~= "table" then return tostring(default) end
  local parts = {}
  for i, x in ipairs(default) do parts[i] = ("%g"):format(x) end
  return table.concat(parts, ",")
end

local function usage(defaults)
  local names = {}
  for name in pairs(defaults) do names[#names + 1] = name end
  table.sort(names)
  print(comment() .. "\n\nArguments:")
  for _, name in ipairs(names) do print(("  --%-14s %s"):format(name, show(defaults[name]))) end
  print(("  --%-14s %s\n  --%-14s %s"):format("out", output.out, "term", output.term))
  os.exit(0)
end

-- one word of the command line and what follows it; returns how many words were used
local function take(defaults, given, words, i)
  local name, text = words[i]:match "^%-%-([%w_-]+)=?(.*)$"
  if not name then stop(("arguments are --name value, got '%s'"):format(words[i])) end
  name = name:gsub("-", "_")
  local inline = words[i]:find("=", 1, true)
  if name == "help" then usage(defaults) end
  local default = defaults[name]
  if default == nil then default = output[name] end
  if default == nil then
    local near = host.nearest(name, defaults)
    stop(("unknown argument '--%s'%s"):format(name, near and (" (did you mean '--%s'?)"):format(near) or ""))
  end
  if default == false and not inline then given[name] = true return 1 end
  if not inline then text = words[i + 1] or stop(("--%s needs a value"):format(name)) end
  if output[name] then output[name] = text else given[name] = value_of(name, default, text) end
  return inline and 1 or 2
end

--- scenario{name = default, ...} -> table: the arguments of the script; the defaults say their kinds.
local function arguments(defaults)
  local given, words, i = {}, {}, 1
  for n = 1, arg and #arg or 0 do words[n] = arg[n] end
  for name, default in pairs(defaults) do given[name] = default end
  while i <= #words do i = i + take(defaults, given, words, i) end
  for format in output.term:gmatch "[^,]+" do
    if not formats[format] then stop(("--term must be of pdf, svg, png, tex, txt, dumb, got '%s'"):format(format)) end
  end
  return given
end

local function text_of(x)
  if type(x) == "number" then return ("%.9g"):format(x) end
  if type(x) == "string" then return x end
  local parts = {}
  for i = 1, #x do parts[i] = text_of(x[i]) end
  return "(" .. table.concat(parts, ", ") .. ")"
end

--- scenario.say(what, value, unit, printed): prints a key number, and what the paper prints.
function M.say(what, value, unit, printed)
  print(("  %-42s %s%s%s"):format(what, text_of(value), unit and " " .. unit or "",
    printed and ("   (printed: %s)"):format(text_of(printed)) or ""))
end

--- scenario.save(figure, name): saves the figure in the folder of --out, in the formats of --term.
function M.save(figure, name)
  if output.out ~= "." and not host.make_folder(output.out) then stop(("cannot make the folder '%s'"):format(output.out)) end
  local files = {}
  for format in output.term:gmatch "[^,]+" do
    files[#files + 1] = ("%s/%s.%s"):format(output.out, name, formats[format])
  end
  files.here = true
  figure:save(files)
  M.saved[#M.saved + 1] = name
  for _, file in ipairs(files) do print("saved " .. file:gsub("^%./", "")) end
end

--- scenario.rename(figure, {p_n = "I_z"}) -> figure: the axes' symbols as a paper calls them.
function M.rename(figure, names)
  local text = require "knock.draw.text"
  for _, panel in ipairs(figure.panels) do
    for _, axis in pairs { panel.x, panel.y, panel.z } do
      if text.is_math(axis.label) then axis.label =
        text.math((axis.label.markup:gsub("%$([^$]+)%$", function(name)
          local other = names[(name:gsub("[{}]", ""))]
          return other and "$" .. other .. "$"
        end)))
      end
    end
  end
  return figure
end

--- scenario.path(name) -> string: a file of that name in the folder of --out.
function M.path(name)
  host.make_folder(output.out)
  return output.out .. "/" .. name
end

--- scenario.run(path, out, term) -> {doc =, text =, saved =}
--- Runs a scenario in this process with its defaults: what its first comment says, what it printed, and the
--- names of its figures.
function M.run(path, out, term)
  local chunk, why = loadfile(path, "t")
  if not chunk then error(why, 0) end
  local old_arg, old_print, old_output, old_saved, lines = arg, print, output, M.saved, {}
  arg, output, M.saved = { [0] = path }, { out = out, term = term }, {}
  print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    lines[#lines + 1] = table.concat(words, "\t")
  end
  local doc = comment()
  local ok, message = pcall(chunk)
  local saved = M.saved
  arg, print, output, M.saved = old_arg, old_print, old_output, old_saved
  if not ok then error(("%s: %s"):format(path, tostring(message)), 0) end
  local text = {}
  for _, line in ipairs(lines) do if not line:match "^saved " then text[#text + 1] = line end end
  return { doc = doc, text = table.concat(text, "\n"), saved = saved }
end

return setmetatable(M, { __call = function(_, defaults) return arguments(defaults or {}) end })
