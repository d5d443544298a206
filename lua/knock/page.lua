-- Pages: what print of models, laws, hits, runs and their events shows.

local core = require "knock.core"

local page = {}

-- ---- numbers and lists ---------------------------------------------------------------------------

--- A number with six significant digits; rounding dust beside `size` shows as 0.
local function number(x, size)
  if math.type(x) == "integer" then return tostring(x) end
  if x ~= x then return "nan" end
  if size and math.abs(x) < 1e-14 * size then x = 0 end
  return (("%.6g"):format(x):gsub("^-0$", "0"))
end

--- "(1, 0, -5)" of a vector, a list of lists of a matrix, words as they are.
local function value(x)
  if type(x) == "number" then return number(x) end
  if type(x) == "table" and type(next(x)) == "string" then -- by the names of contacts
    local words = {}
    for key, each in pairs(x) do words[#words + 1] = key .. " = " .. value(each) end
    table.sort(words)
    return "{" .. table.concat(words, ", ") .. "}"
  end
  if type(x) == "userdata" and getmetatable(x) == "law" then return page.brief(x) end
  if type(x) ~= "userdata" and type(x) ~= "table" then return tostring(x) end
  local size, parts = 0, {}
  for i = 1, #x do
    if type(x[i]) == "number" then size = math.max(size, math.abs(x[i])) end
  end
  for i = 1, math.min(#x, 12) do
    parts[i] = type(x[i]) == "number" and number(x[i], size) or value(x[i])
  end
  if #x > 12 then parts[13] = "... " .. #x .. " in all" end
  return "(" .. table.concat(parts, ", ") .. ")"
end

local function with_unit(text, unit)
  return (unit and unit ~= "" and unit ~= "1") and text .. " " .. unit or text
end

-- cells wider than this do not widen their column when lines must fit
local wide = 40

-- one row that must fit into `most`: the last cell goes on below itself, and starts on a line of its own behind a
-- cell too wide for its column
local function fitted(row, width, most)
  local before = ""
  for i = 1, #row - 1 do before = before .. "  " .. row[i] .. (" "):rep(width[i] - #row[i]) end
  local start = 2 * #row
  for i = 1, #row - 1 do start = start + width[i] end
  local hang = (" "):rep(start)
  if #before + 2 <= start then return page.wrap(row[#row], before .. "  ", hang, most) end
  local lines = page.wrap(before:match "^%s*(.-)%s*$", "  ", (" "):rep(width[1] + 4), most)
  return row[#row] == "" and lines or lines .. "\n" .. page.wrap(row[#row], hang, hang, most)
end

--- Rows of cells as lines with aligned columns, each after two spaces; the last column goes on below itself
--- where a line would be longer than `most`.
local function align(rows, most)
  local width = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      if not (most and i < #row and #cell > wide) then width[i] = math.max(width[i] or 0, #cell) end
    end
  end
  local lines = {}
  for _, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do cells[i] = cell .. (" "):rep((width[i] or 0) - #cell) end
    local line = ("  " .. table.concat(cells, "  ")):gsub("%s+$", "")
    lines[#lines + 1] = most and #line > most and fitted(row, width, most) or line
  end
  return lines
end

--- Pads column i of rows of cells to its width, which it gives back.
function page.pad(rows, i)
  local width = 0
  for _, row in ipairs(rows) do width = math.max(width, #row[i]) end
  for _, row in ipairs(rows) do row[i] = row[i] .. (" "):rep(width - #row[i]) end
  return width
end

--- The same for numbers: their decimal points stand under each other; the first row is the heading.
function page.points(rows, i)
  local before = 0
  for r = 2, #rows do before = math.max(before, #rows[r][i]:match "^[^.e]*") end
  for r = 2, #rows do rows[r][i] = (" "):rep(before - #rows[r][i]:match "^[^.e]*") .. rows[r][i] end
  return page.pad(rows, i)
end

--- Words of a text in lines of at most `width`, the first after `indent`, the others after `hang`.
function page.wrap(text, indent, hang, width)
  local lines, line = {}, indent
  for word in text:gmatch "%S+%s*" do
    if #line > math.max(#hang, #indent) and #(line .. word):gsub("%s+$", "") > width then
      lines[#lines + 1] = line:gsub("%s+$", "")
      line = hang
    end
    line = line .. word
  end
  lines[#lines + 1] = line:gsub("%s+$", "")
  return table.concat(lines, "\n")
end

-- ---- models and laws -----------------------------------------------------------------------------

--- "law.stronge{e = 0.5, mu = 0.3}": what can be typed to get it, without what is absent or off.
function page.brief(object)
  local parts = {}
  for _, p in ipairs(object:describe()) do
    if p.value ~= nil and p.value ~= false then parts[#parts + 1] = p.key .. " = " .. value(p.value) end
  end
  local name = getmetatable(object) == "law" and "law." .. object.name or object.name
  return name .. "{" .. table.concat(parts, ", ") .. "}"
end

local function parameter_rows(object, skip)
  local rows = {}
  for _, p in ipairs(object:describe()) do
    if p.value ~= nil and not skip[p.key] then
      rows[#rows + 1] = { p.key, with_unit(value(p.value), p.unit), p.doc }
    end
  end
  return rows
end

local contact_frame = require "knock.rows"

function page.model(m)
  local info = core.mechanisms.info(m)
  if info then return require "knock.mechanism.tree"(m, info) end
  local groups = { q = true, u = true } -- the groups say it with their units
  for _, g in ipairs(m.groups) do groups[g.name] = g end
  local rows = parameter_rows(m, groups)
  for _, g in ipairs(m.groups) do
    rows[#rows + 1] = { g.name, with_unit(value(m[g.name]), g.unit), g.doc }
  end
  local gap, energy = m.gap, m.energy
  rows[#rows + 1] = { "gap", value(gap) .. " m",
    ("of %d contact%s, rows %s"):format(#gap, #gap == 1 and "" or "s", contact_frame.words(m.dim)) }
  rows[#rows + 1] = { "energy", number(energy.kinetic) .. " J", "kinetic, and " .. number(energy.potential) .. " J potential" }
  local lines = align(rows, 100)
  for _, note in ipairs(m.notes) do lines[#lines + 1] = "  note: " .. note end
  return m.name .. "\n" .. table.concat(lines, "\n")
end

function page.law(l)
  local lines = align(parameter_rows(l, {}), 100)
  table.insert(lines, 1, "law." .. l.name)
  return table.concat(lines, "\n")
end

-- ---- hits ----------------------------------------------------------------------------------------

local function speed_rows(hit)
  local rows = { { "", "before", "after" } }
  for _, g in ipairs(hit.model.groups) do
    if g.of == "u" then
      rows[#rows + 1] = { g.name, value(hit.before[g.name]), with_unit(value(hit[g.name]), g.unit) }
    end
  end
  if #rows == 1 then rows[2] = { "u", value(hit.u_before), value(hit.u) } end
  return rows
end

local function slice(x, first, n)
  local out = {}
  for i = 1, n do out[i] = x[first + i - 1] end
  return out
end

-- contacts of a mechanism by name, others by number; and the units of a joint's stop
local function contact_label(model, c)
  local info = core.mechanisms.info(model)
  return info and info.contacts[c] or tostring(c)
end

local function contact_units(model, c)
  local info = core.mechanisms.info(model)
  local joint = info and info.turns[c]
  return joint and "N m s" or "N s", joint and "rad/s" or "m/s"
end

local function contact_rows(hit)
  local before, after, dim = hit.contact_velocity_before, hit.contact_velocity, hit.dim
  local rows = { { "contact", "impulse (" .. contact_frame.words(type(dim) == "table" and contact_frame.most(dim) or dim) .. ")", "velocity before", "after" } }
  for i, c in ipairs(hit.contacts) do
    local impulse, speed = contact_units(hit.model, c)
    rows[#rows + 1] = { contact_label(hit.model, c), value(hit.impulses[i]) .. " " .. impulse,
      value(slice(before, contact_frame.before(dim, i) + 1, contact_frame.of(dim, i))),
      value(slice(after, contact_frame.before(dim, i) + 1, contact_frame.of(dim, i))) .. " " .. speed }
    if i == 8 and #hit.contacts > 9 then
      rows[#rows + 1] = { "...", ("%d contacts in all"):format(#hit.contacts), "", "" }
      break
    end
  end
  return rows
end

-- units of one contact of a hit, or of all (nil): "N s, N m s" where they differ, in the order of the contacts
local function hit_units(hit)
  return function(c)
    local words, seen = { {}, {} }, {}
    for _, id in ipairs(c and { c } or hit.contacts) do
      for i, unit in ipairs { contact_units(hit.model, id) } do
        if not seen[unit] then table.insert(words[i], unit) end
        seen[unit] = true
      end
    end
    return table.concat(words[1], ", "), table.concat(words[2], ", ")
  end
end

-- the same of an event by itself, whose `turns` are the contacts that are stops of hinges
local function event_units(e)
  local turning, others = false, not e.turns
  for _, c in ipairs(e.contacts or { e.contact }) do
    if e.turns and e.turns[c] then turning = true else others = true end
  end
  if turning and others then return "N s, N m s", "m/s, rad/s" end
  if not turning and not others then return "", "" end -- of all contacts: nothing tells which there are
  return turning and "N m s" or "N s", turning and "rad/s" or "m/s"
end

--- Events of a hit in rows, the first twenty of them; contacts by `label`. The sum of impulses of different units is none.
local function hit_event_rows(events, label, units)
  local rows = { { "event", "contact", "normal impulse", "velocity", "" } }
  for i, e in ipairs(events) do
    local impulse, speed
    if units then impulse, speed = units(e.contact) else impulse, speed = event_units(e) end
    rows[#rows + 1] = { e.kind, e.contact and label(e.contact) or "all", (impulse == "" or impulse:find ",") and "" or with_unit(number(e.impulse), impulse),
      with_unit(value(e.velocity), speed), e.t and "t = " .. number(e.t) .. " s" or "" }
    if i == 20 and #events > 21 then
      rows[#rows + 1] = { "...", "", ("%d events in all"):format(#events), "", "" }
      break
    end
  end
  return rows
end

function page.hit_events(events)
  if #events == 0 then return "no events" end
  return table.concat(align(hit_event_rows(events, tostring)), "\n")
end

local function energy_line(e)
  local text = ("  energy   %s J before, %s J after; lost %s J in restitution, %s J in friction"):format(
    number(e.before), number(e.after), number(e.restitution, e.before), number(e.friction, e.before))
  return e.stored ~= 0 and text .. ", " .. number(e.stored) .. " J stay in springs" or text
end

local function audit_line(a)
  return ("  audit    momentum %.0e, velocity %.0e, energy %.0e, ledger %.0e, cone %.0e, penetration %.0e, pull %.0e")
    :format(a.momentum, a.velocity, a.energy, a.ledger, a.cone + 0.0, a.penetration + 0.0, a.pull + 0.0) -- -0 is 0
end

local function add(lines, more)
  lines[#lines + 1] = ""
  for _, line in ipairs(more) do lines[#lines + 1] = line end
end

local below = (" "):rep(11) -- under the text of "  energy   ..."

-- lines that fit a page; a name and its number stay together
local function fold(text, hang)
  local glued = text:gsub(" = ", "\1=\1"):gsub("(%a) (%d)", "%1\1%2")
  return (page.wrap(glued:match "^%s*(.*)$", glued:match "^%s*", hang, 100):gsub("\1", " "))
end

function page.hit(hit)
  local lines = { fold(hit.model.name .. " meets " .. page.brief(hit.law) .. ": " .. hit.status, "  ") }
  add(lines, align(speed_rows(hit)))
  add(lines, align(contact_rows(hit)))
  if hit.status == "ok" then add(lines, align(hit_event_rows(hit.events, function(c) return contact_label(hit.model, c) end, hit_units(hit)))) end
  for i, line in ipairs { energy_line(hit.energy), audit_line(hit.audit) } do
    if i == 1 then lines[#lines + 1] = "" end
    lines[#lines + 1] = fold(line, below)
  end
  if hit.duration then lines[#lines + 1] = "  duration " .. number(hit.duration) .. " s" end
  if hit.flags.inexact then lines[#lines + 1] = ("  residual %.0e of the impulses"):format(hit.residual) end
  for _, note in ipairs(hit.notes) do lines[#lines + 1] = fold("  note     " .. note, below) end
  return table.concat(lines, "\n")
end

-- ---- runs ----------------------------------------------------------------------------------------

--- "slip", "top", "t_end": what an event is about besides its kind.
local function about(e, model)
  local label = e.contact and (model and core.mechanisms.info(model) and contact_label(model, e.contact) or "contact " .. e.contact)
  if e.contacts then return #e.contacts > 1 and #e.contacts .. " contacts" or label or "contact -" end
  if e.contact then return label .. (e.mode and ", " .. e.mode or "") end
  return e.name or e.why or ""
end

--- A row of each of the first and the last events; long series in between are counted.
local function shortened(events, head, row)
  local rows, first, last = { head }, 12, 12
  local n, gap = #events, { "..." }
  for i = 2, #head do gap[i] = i == 3 and ("%d events in all"):format(n) or "" end
  for i = 1, n do
    if i <= first or i > n - last or n <= first + last + 1 then
      rows[#rows + 1] = row(events[i])
    elseif i == first + 1 then
      rows[#rows + 1] = gap
    end
  end
  return rows
end

local function run_rows(events, model)
  return shortened(events, { "event", "t", "" }, function(e) return { e.kind, ("%.9g s"):format(e.t), about(e, model) } end)
end

local function ledger_lines(g)
  local lost = {}
  for _, word in ipairs { "restitution", "friction", "sliding", "bounces", "stored" } do
    if g[word] ~= 0 then lost[#lost + 1] = number(g[word]) .. " J " .. word end
  end
  local text = ("  energy   %s J at the start, %s J at the end"):format(number(g.start), number(g["end"]))
  if g.work ~= 0 then text = text .. ", work done " .. number(g.work) .. " J" end
  if #lost > 0 then text = text .. "; lost: " .. table.concat(lost, ", ") end
  return { fold(text, below), ("  ledger   closes to %.0e J"):format(math.abs(g.residual)) }
end

function page.run(run)
  local lines = { fold(("%s with %s: %g s to %g s, %d impact%s, %s"):format(run.model.name, page.brief(run.law),
    run.t_start, run.t_end, run.impacts, run.impacts == 1 and "" or "s", run.status), "  ") }
  add(lines, align(run_rows(run.events, run.model)))
  add(lines, ledger_lines(run.ledger))
  local n = run.effort
  lines[#lines + 1] = ("  effort   %d steps, %d rejected, %d evaluations"):format(n.steps, n.rejected, n.evaluations)
  for _, note in ipairs(run.notes) do lines[#lines + 1] = fold("  note     " .. note, below) end
  return table.concat(lines, "\n")
end

-- ---- events --------------------------------------------------------------------------------------

-- every field of an event, with its unit
local event_fields = { { "t", "s" }, { "contact" }, { "contacts" }, { "name" }, { "mode" }, { "why" }, { "status" }, { "impulse" }, { "p" },
  { "velocity" }, { "lost", "J" }, { "flags" }, { "q" }, { "u" }, { "u_after" } }

-- with ten digits, as vectors have
local function exactly(x)
  if math.type(x) == "float" then return ("%.10g"):format(x) end
  return type(x) == "table" and value(x) or tostring(x)
end

--- One event: its kind, and below it each field by its name.
function page.event(e)
  local rows, impulse, speed = {}, event_units(e)
  local units = { impulse = impulse, p = impulse, velocity = speed }
  for _, field in ipairs(event_fields) do
    local x = rawget(e, field[1])
    local empty = x == nil or (type(x) == "table" and #x == 0)
    if not empty then rows[#rows + 1] = { field[1], with_unit(exactly(x), field[2] or units[field[1]]) } end
  end
  if e.kind == "impact" then rows[#rows + 1] = { "hit", "the impact by itself" } end
  return e.kind .. "\n" .. table.concat(align(rows), "\n")
end
page.hit_event = page.event

--- All events of a run, in lines as print(run) has them, with impulses and losses.
function page.events(events)
  if #events == 0 then return "no events" end
  local rows = shortened(events, { "event", "t", "", "impulse", "lost" }, function(e)
    return { e.kind, ("%.9g s"):format(e.t), about(e), e.impulse and with_unit(value(e.impulse), (event_units(e))) or "", e.lost and number(e.lost) .. " J" or "" }
  end)
  return table.concat(align(rows), "\n")
end

for _, name in ipairs { "model", "law", "hit", "run", "event", "events", "hit_event", "hit_events" } do core.types[name].page = page[name] end

page.number, page.value, page.align = number, value, align
page.contact_label, page.contact_units = contact_label, contact_units
return page
