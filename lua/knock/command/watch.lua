-- knock watch FILE: how far a sweep is that runs elsewhere: its workers, rate, time left, failed samples.

local records = require "knock.core".records
local host = require "knock.host"
local design = require "knock.design"
local file_of = require "knock.sweep_file"

local function journals_of(file)
  local folder, list = file .. ".sweep", {}
  for _, name in ipairs(host.files(folder) or {}) do
    if name:find "%.journal$" and name ~= "header.journal" then list[#list + 1] = folder .. "/" .. name end
  end
  if file_of.exists(folder .. "/header.journal") then return list, folder end
  for _, name in ipairs(host.files(file:match "^(.*)/[^/]*$" or ".") or {}) do
    local own = file:match "[^/]*$"
    if name:sub(1, #own) == own and name:find "%.journal$" then
      list[#list + 1] = (file:match "^(.*/)[^/]*$" or "") .. name
    end
  end
  return list
end

-- what the journals hold by now: a table of the samples that are done, and the header
local function look(list, folder)
  local header = records.journal_header(folder and folder .. "/header.journal" or list[1])
  local t, columns = records.new_table(), header:match "\ncolumns: ([^\n]*)"
  local info = records.fill_from_journals { table = t, open = true, partial = true, paths = list,
    design = file_of.for_engine(design.parse(header:match "\ndesign: ([^\n]*)"), {}),
    columns = columns and design.parse(columns) }
  info.total = tonumber(header:match "\nsamples: (%d+)")
  info.lane = columns ~= nil
  return t, info
end

local function duration(s)
  if s ~= s or s == math.huge then return "?" end
  return s < 100 and ("%.0f s"):format(s) or s < 6000 and ("%.0f min"):format(s / 60) or ("%.1f h"):format(s / 3600)
end

local function line(file, list, info, folder, rate)
  local text = ("%s: %d of %d samples (%.1f %%), %d failed, %d worker%s"):format(file, info.done, info.total,
    100 * info.done / info.total, info.failed, #list, #list == 1 and "" or "s")
  if folder then
    local done, leased, chunks = records.count_chunks(folder, info.total, info.lane)
    text = text .. (", chunks: %d done, %d claimed, %d in all"):format(done, leased, chunks)
  end
  if rate then text = text .. (", %.4g/s, %s left"):format(rate, duration((info.total - info.done) / rate)) end
  return text
end

-- two columns as text; on a terminal over what was there before
local function figure(t, o)
  local names = t:names()
  local x, y = o.plot:match "^([^,]+),(.+)$"
  print(t:plot { x = x or names[1], y = y or names[#names - 1], kind = "points" }:text(70, 18))
end

local function show(text, t, o)
  if o.plot and not o.once and require "knock.gnuplot".screen() then io.write "\27[H\27[J" end
  print(text)
  if o.plot and #t > 0 then figure(t, o) end
  io.stdout:flush()
end

local function options(...)
  local o, words = {}, { ... }
  local i = 1
  while i <= #words do
    local word = words[i]
    if word == "--once" then o.once = true
    elseif word == "--plot" then o.plot = words[i + 1] or ""; i = i + 1
    elseif word:sub(1, 1) == "-" then return nil
    else o.file = word:gsub("%.sweep/?$", "") end
    i = i + 1
  end
  return o.file and o
end

-- there is no journal (any more)
local function ended(o)
  if file_of.exists(o.file) then
    show(o.file .. ": finished", o.plot and records.read_table(o.file), o)
    return 0
  end
  io.stderr:write(("knock: there is no sweep of '%s': neither a journal nor %s.sweep\n"):format(o.file, o.file))
  return 1
end

return function(...)
  local o = options(...)
  if not o then
    io.stderr:write(require "knock.doc".usage "watch")
    return 2
  end
  local before, since, t, info = nil, nil, nil, nil
  while true do
    local list, folder = journals_of(o.file)
    if #list == 0 and not folder then return ended(o) end
    local ok, why = pcall(function() t, info = look(list, folder) end)
    if not ok and next((journals_of(o.file))) then error(why, 0) end
    if ok then -- else it was merged between the two looks
      local now = records.clock()
      local rate = before and now > since and (info.done - before) / (now - since) or nil
      show(line(o.file, list, info, folder, rate and rate > 0 and rate or nil), t, o)
      if o.once or info.done == info.total then return 0 end
      if not before then before, since = info.done, now end
      records.sleep(2)
    end
  end
end
