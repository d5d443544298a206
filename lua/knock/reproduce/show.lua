-- The forms in which knock reproduce shows its rows: text, Markdown, JSON.

local reproduce = require "knock.reproduce"

local show = {}

local function number(x) return x and ("%.9g"):format(x) or "" end
local function small(x) return x ~= x and "" or x == 0 and "0" or ("%.1e"):format(x) end

local function summary(papers)
  local n = reproduce.count(papers)
  local line = ("%d rows: %d agree, %d printed slips (%d of them within an allowance that was picked after the fact), "
    .. "%d not reproducible"):format(n.total, n.agrees, n["printed slip"], n.picked, n["not reproducible"])
  return line .. (n.unexpected == 0 and "; every verdict is the expected one" or ("; %d UNEXPECTED"):format(n.unexpected))
end

-- what the rows are, so that their total is not read as that many independent checks
local meaning = {
  printed = "numbers that the papers print",
  recomputed = "numbers that they do not print, from a computation outside knock",
  ["closed form"] = "formulas that they print, evaluated by hand",
  echo = "numbers of theirs that knock was given (defaults, tables of data)",
  ["self-check"] = "one route of knock against another, and identities",
}

local function kinds(papers, bullet)
  local n, out = reproduce.count(papers), {}
  for i, kind in ipairs(reproduce.kinds) do
    out[i] = ("%s%-11s  %3d  %s"):format(bullet, kind, n.kinds[kind], meaning[kind])
  end
  return table.concat(out, "\n")
end

-- ---- text -----------------------------------------------------------------------------------------

-- characters, not bytes
local function pad(s, width) return s .. (" "):rep(width - (utf8.len(s) or #s)) end

local columns = {
  { "kind", function(r) return r.kind end },
  { "where", function(r) return r.where .. (r.source == "reference" and " *" or "") end },
  { "what", function(r) return r.what .. (r.unit and " [" .. r.unit .. "]" or "") end },
  { "printed", function(r) return r.printed end },
  { "computed", function(r) return number(r.computed) end },
  { "difference", function(r) return small(r.difference) end },
  { "slip put in", function(r) return number(r.repeated) end },
}

-- the number of a reason among the notes of a paper
local function note(notes, reason)
  for i, known in ipairs(notes) do if known == reason then return i end end
  notes[#notes + 1] = reason
  return #notes
end

local function widths(paper)
  local wide = {}
  for i, column in ipairs(columns) do
    wide[i] = #column[1]
    for _, row in ipairs(paper.rows) do wide[i] = math.max(wide[i], utf8.len(column[2](row)) or 0) end
  end
  return wide
end

local function text_row(row, wide, notes)
  local cells = {}
  for i, column in ipairs(columns) do cells[i] = pad(column[2](row), wide[i]) end
  local verdict = row.verdict .. (row.picked and " ~" or "") .. (row.reason and (" [%d]"):format(note(notes, row.reason)) or "")
  if not row.expected then verdict = verdict .. "  UNEXPECTED, not: " .. row.expect end
  return "  " .. table.concat(cells, "  ") .. "  " .. verdict
end

local function text_paper(paper)
  local wide, notes, head, starred, picked = widths(paper), {}, {}, false, false
  for i, column in ipairs(columns) do head[i] = pad(column[1], wide[i]) end
  local out = { ("%s. %s"):format(paper.letter, paper.title), "", "  " .. table.concat(head, "  ") .. "  verdict" }
  for _, row in ipairs(paper.rows) do
    out[#out + 1] = text_row(row, wide, notes)
    starred, picked = starred or row.source == "reference", picked or row.picked
  end
  out[#out + 1] = ""
  for i, reason in ipairs(notes) do out[#out + 1] = ("  [%d] %s"):format(i, reason) end
  if starred then out[#out + 1] = "  *   not printed in the paper: an independent computation of it" end
  if picked then out[#out + 1] = "  ~   within an allowance that was picked after the miss had been seen" end
  out[#out + 1] = ""
  return table.concat(out, "\n")
end

function show.text(papers)
  local out = {}
  for i, paper in ipairs(papers) do out[i] = text_paper(paper) end
  out[#out + 1] = summary(papers) .. "\n\n" .. kinds(papers, "  ") .. "\n"
  return table.concat(out, "\n")
end

-- ---- Markdown -------------------------------------------------------------------------------------

local function cell(s) return (tostring(s):gsub("|", "\\|"):gsub("_", "\\_"):gsub("%*", "\\*")) end

local function markdown_row(row)
  local cells = {}
  for i, column in ipairs(columns) do cells[i] = cell(column[2](row)) end
  cells[#cells + 1] = row.verdict .. (row.picked and " ~" or "") .. (row.expected and "" or " (**unexpected**, not: " .. row.expect .. ")")
  cells[#cells + 1] = cell(row.reason or "")
  return "| " .. table.concat(cells, " | ") .. " |"
end

function show.markdown(papers)
  local out = {}
  for _, paper in ipairs(papers) do
    out[#out + 1] = ("## %s. %s\n"):format(paper.letter, paper.title)
    out[#out + 1] = "| kind | where | what | printed | computed | difference | with the slip put in | verdict | reason |"
    out[#out + 1] = "|---|---|---|---|---|---|---|---|---|"
    for _, row in ipairs(paper.rows) do out[#out + 1] = markdown_row(row) end
    out[#out + 1] = ""
  end
  out[#out + 1] = "\\* not printed in the paper: an independent computation of it; "
    .. "~ within an allowance that was picked after the miss had been seen\n"
  out[#out + 1] = summary(papers) .. "\n\n" .. kinds(papers, "- ") .. "\n"
  return table.concat(out, "\n")
end

-- ---- JSON -----------------------------------------------------------------------------------------

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n" }

local function json(x)
  if type(x) == "number" then return x == x and math.abs(x) < math.huge and ("%.17g"):format(x) or "null" end
  if type(x) == "boolean" then return tostring(x) end
  if x == nil then return "null" end
  return '"' .. x:gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local fields = {
  "paper", "kind", "where", "what", "unit", "source", "printed", "value", "computed", "difference", "repeated",
  "to", "picked", "verdict", "expect", "expected", "reason",
}

local function json_row(row)
  local parts = {}
  for i, name in ipairs(fields) do parts[i] = json(name) .. ": " .. json(row[name]) end
  return "    {" .. table.concat(parts, ", ") .. "}"
end

function show.json(papers)
  local rows, n, counts = {}, reproduce.count(papers), {}
  for _, paper in ipairs(papers) do
    for _, row in ipairs(paper.rows) do rows[#rows + 1] = json_row(row) end
  end
  for i, name in ipairs { "total", "agrees", "printed slip", "not reproducible", "unexpected" } do
    counts[i] = json(name) .. ": " .. n[name]
  end
  local by_kind = {}
  for i, kind in ipairs(reproduce.kinds) do by_kind[i] = json(kind) .. ": " .. n.kinds[kind] end
  counts[#counts + 1] = '"kinds": {' .. table.concat(by_kind, ", ") .. "}"
  return '{\n  "counts": {' .. table.concat(counts, ", ") .. '},\n  "rows": [\n' .. table.concat(rows, ",\n") .. "\n  ]\n}\n"
end

return show
