-- The session at the prompt: what a typed line means, what its values look like, what went wrong.
--
-- The C side (src/host/session.c) reads lines with history and completion and calls feed and
-- complete; everything else is here.

local pretty = require "knock.pretty"

local repl = {}

local kept = 99  -- so many values of lines are at hand, as _1, _2 ...
local number = 1 -- of the line that is typed now

local function global(name, value) rawset(_G, name, value) end

-- ---- where things are kept ------------------------------------------------------------------------------

local function folder(variable, fallback)
  local base = os.getenv(variable)
  if base and base:sub(1, 1) == "/" then return base .. "/knock" end
  local home = os.getenv "HOME"
  return home and home .. fallback .. "/knock"
end

local function exists(path)
  local f = path and io.open(path, "rb")
  if f then f:close() end
  return f ~= nil
end

-- ---- compiling what was typed --------------------------------------------------------------------------------

local function incomplete(message) return message and message:find "<eof>$" ~= nil end

-- What people type and mean, unless a global of theirs has that name: ?ball, ball?, help, help ball, quit, exit,
-- tutorial, time f(x).
local function meant(text)
  local words = text:match "^%s*(.-)%s*$"
  local topic = words:match "^%?%s*(.-)$" or words:match "^([%a_][%w_.:]*)%s*%?$" or words:match "^help%s+([%a%-][%w_.:%-]*)$"
  if topic then return ("help(%q)"):format(topic) end
  if words:match "^help%s*%(?%s*%)?$" then return "help 'session'" end
  if words:match "^tutorial%s*%(?%s*%)?$" and rawget(_G, "tutorial") == nil then return "help 'tutorial'" end
  local word = words:match "^(%a+)%s*%(?%s*%)?$"
  if (word == "quit" or word == "exit") and rawget(_G, word) == nil then return "os.exit(true, true)" end
end

-- "time k.impact(ball, law)": the value, and how long it took
local function timed(text)
  local what = rawget(_G, "time") == nil and text:match "^%s*time%s+(.+)$"
  local f = what and (load("return " .. what, "=stdin", "t") or load(what, "=stdin", "t"))
  if not f then return nil end
  return function()
    local clock = require "knock.gnuplot".clock
    local from = clock()
    local values = table.pack(f())
    local seconds = clock() - from
    io.stderr:write(seconds < 1e-3 and ("%.3g us\n"):format(1e6 * seconds) or seconds < 1 and ("%.3g ms\n"):format(1e3 * seconds) or ("%.3g s\n"):format(seconds))
    return table.unpack(values, 1, values.n)
  end
end

-- Locals of a line live on as globals, so that a script can be pasted line by line. The name cannot be typed.
local keeper = "\0keep"
local getlocal = debug.getlocal

local function keep_locals()
  for i = 1, 200 do
    local name, value = getlocal(2, i)
    if not name then return end
    if not name:find "^%(" then global(name, value) end
  end
end

local function statements(text)
  local chunk = text .. "\n_ENV['\\0keep']()"
  return text:find "%f[%w_]local%f[^%w_]" and load(chunk, "=stdin", "t") or load(text, "=stdin", "t")
end

-- Where in a chunk the word is that a syntax error names: the first place at which what was read cannot go on.
local function place(chunk, message)
  local row, word = message:match "^stdin:(%d+):.*near '(.*)'$"
  local from = 1
  for _ = 2, tonumber(row or 1) do from = (chunk:find("\n", from, true) or #chunk) + 1 end
  local at = word and chunk:find(word, from, true)
  while at do
    local read, why = load(chunk:sub(1, at + #word - 1), "=stdin", "t")
    if not read and not incomplete(why) then return at end
    at = chunk:find(word, at + 1, true)
  end
end

-- What to say of a text that is neither an expression nor statements: the error of the reading that gets further,
-- and its place in the text. An expression that only needs more goes on.
local function complaint(text, message, as_value)
  if incomplete(message) or incomplete(as_value) then return "<eof>" end
  local at, value_at = place(text, message), place("return " .. text, as_value)
  if at and value_at and value_at - #"return " > at then return as_value, value_at - #"return " end
  return message, at
end

-- function and whether its values are shown; or nil, the message and its place
local function compile(text)
  local asked = meant(text)
  if asked then return load(asked, "=stdin", "t"), false end
  local clocked = timed(text)
  if clocked then return clocked, true end
  local muted = text:match "^(.*);%s*$"
  local f, as_value = load("return " .. (muted or text):gsub("^%s*=", ""), "=stdin", "t")
  if f then return f, not muted end
  local g, message = load(text, "=stdin", "t")
  if g then return statements(text) or g, false end
  -- "x = f(); x" shows x
  local before, last = text:match "^(.*;)%s*([^;]+)$"
  local h = before and load(("%s return %s"):format(before, last), "=stdin", "t")
  if h then return h, true end
  return nil, complaint(text, message, as_value)
end

-- ---- errors ------------------------------------------------------------------------------------------------------

local function paint(code, text) return pretty.colour and ("\27[%sm%s\27[0m"):format(code, text) or text end

local function say(text) io.stdout:flush(); io.stderr:write(text, "\n") end

-- the typed line a syntax error is in, with a caret under its place
local function caret(text, at)
  local from = text:sub(1, at - 1):match ".*\n()" or 1
  local before = text:sub(from, at - 1)
  return "  " .. text:match("[^\n]*", from) .. "\n  " .. (" "):rep(utf8.len(before) or #before) .. paint("31", "^")
end

local function report_syntax(text, message, at)
  say(paint("31", message))
  if at then say(caret(text, at)) end
end

-- the levels of a script's own functions: no C, nothing of knock's, nothing of the session
local function traceback(level)
  local lines = {}
  while #lines < 12 do
    local info = debug.getinfo(level, "Slnt")
    if not info then break end
    if info.what ~= "C" and not info.source:find "^=knock" and not info.short_src:find "^knock" then
      local where = info.name and ("in '%s'"):format(info.name) or info.what == "main" and "in the line" or "in a function"
      lines[#lines + 1] = ("  %s:%d: %s"):format(info.short_src, info.currentline, where)
    end
    level = level + 1
  end
  return lines
end

local function handler(message)
  if type(message) ~= "string" then
    local meta = debug.getmetatable(message)
    message = meta and meta.__tostring and tostring(message) or ("(error object is a %s value)"):format(type(message))
  end
  return { message = message, lines = traceback(3) }
end

local function report(failure)
  if failure.message:find "interrupted!$" then return end -- the host says it
  say(paint("31", failure.message))
  if #failure.lines > 1 then say(paint("90", table.concat(failure.lines, "\n"))) end
end

-- ---- running -----------------------------------------------------------------------------------------------------

-- _ is the last value, _3 that of line 3; old ones go, so that they can be collected
local function keep(value)
  global("_", value)
  global("_" .. number, value)
  global("_" .. number - kept, nil)
end

-- "3> ", and ">> " below it as wide
local function set_prompts()
  local first = number .. "> "
  local second = (" "):rep(#first - 3) .. ">> "
  if pretty.colour then
    first, second = ("\1\27[1;34m\2%s\1\27[0m\2"):format(first), ("\1\27[34m\2%s\1\27[0m\2"):format(second)
  end
  repl.prompt, repl.prompt2 = first, second
end
set_prompts()

-- the next line has the next number
local function count()
  number = number + 1
  set_prompts()
end

-- a figure that was neither saved nor shown appears as a picture
local function show_figure(value)
  local figure = package.loaded["knock.figure"]
  if not figure or not figure.is_waiting(value) then return false end
  local ok, message = pcall(value.show, value)
  if not ok then say(paint("31", tostring(message))) end
  return true
end

local function show(values)
  if values.n == 1 and show_figure(values[1]) then return end
  local parts = {}
  for i = 1, values.n do parts[i] = pretty.text(values[i]) end
  local text = table.concat(parts, "\t")
  if text:find "\n" then text = table.concat(parts, "\n") end -- what has lines of its own stands alone
  if text:sub(-1) ~= "\n" then text = text .. "\n" end
  io.stdout:write(text)
  io.stdout:flush()
end

local function finish(values, shown)
  if values.n > 0 and values[1] ~= nil then keep(values[1]) end
  if shown and values.n > 0 then show(values) end
end

--- Is what was typed complete? The session keeps it in the history before it runs.
function repl.more(text)
  if text:match "^%s*$" then return end
  local f, message = compile(text)
  return not f and incomplete(message) and "more" or nil
end

--- Runs what was typed; "more" when it is not complete.
function repl.feed(text)
  if text:match "^%s*$" then return end
  local f, shown, at = compile(text)
  if not f then
    if incomplete(shown) then return "more" end
    report_syntax(text, shown, at)
    return count()
  end
  local values = table.pack(xpcall(f, handler))
  if values[1] then finish(table.pack(table.unpack(values, 2, values.n)), shown) else report(values[2]) end
  count()
end

--- Completions of the word that starts at `start` (from 0), and what to put behind a single one.
function repl.complete(text, start) return require "knock.complete".words(text, start) end

-- ---- starting ----------------------------------------------------------------------------------------------------

local function colours()
  local no = os.getenv "NO_COLOR"
  local term = os.getenv "TERM" or "dumb"
  return not (no and no ~= "") and term ~= "dumb"
end

-- k and help are there; loading knock itself waits until they are used
local function globals()
  global(keeper, getlocal and keep_locals or function() end)
  if rawget(_G, "k") == nil then global("k", require "knock") end
  if rawget(_G, "help") == nil then global("help", function(topic) return require "knock.help"(topic == nil and "session" or topic) end) end
  if rawget(_G, "_") == nil then global("_", false) end
end

--- What a session in a pipe, which is else as stock lua's, has: k and help, and tables that a person can read.
function repl.plain()
  pretty.colour = false
  globals()
end

--- The values as print should get them in such a session.
function repl.readable(...)
  local values = table.pack(...)
  for i = 1, values.n do
    if type(values[i]) == "table" then values[i] = pretty.text(values[i]) end
  end
  return table.unpack(values, 1, values.n)
end

--- Prepares a session: colours, globals, history, and the start-up file.
function repl.start(with_init)
  pretty.colour = colours()
  globals()
  set_prompts()
  io.stdout:write(paint("90", "help, ?ball and tutorial explain; quit or Ctrl-D ends"), "\n")
  local state = folder("XDG_STATE_HOME", "/.local/state")
  if state and require "knock.host".make_folder(state) then repl.history = state .. "/history" end
  local config = folder("XDG_CONFIG_HOME", "/.config")
  local init = config and config .. "/init.lua"
  if with_init and exists(init) then
    local ok, failure = xpcall(dofile, handler, init)
    if not ok then report(failure) end
  end
end

return repl
