-- knock gallery [-o DIR] [part of a name...]: every scenario's figures as SVG, PDF and PNG, and an index
-- page that holds all pictures itself.

local host = require "knock.host"
local scenario = require "knock.scenario"

local papers = {
  { "j", "Johnson: impacts in general" },
  { "y", "Jia: three-dimensional impact with tangential compliance" },
  { "b", "Batlle, Barjau, Font: multi-point impact as linear vibration" },
  { "f", "A manipulator with plastic impact" },
  { "m", "Morgan: planar impact in closed form" },
  { "cycle", "Cycles: periodic motions with impacts, and how they change" },
  { "show", "Showpieces" },
}

local function fail(format, ...)
  io.stderr:write("knock gallery: ", format:format(...), "\n")
  return 2
end

local function parse(list)
  local out, names = host.options.out or "gallery", {}
  local i = 1
  while i <= #list do
    if list[i] == "-o" or list[i] == "--out" then
      out = list[i + 1]
      if not out then return nil, "-o needs a folder" end
      i = i + 2
    elseif list[i]:sub(1, 1) == "-" then return nil, ("unknown option '%s'"):format(list[i])
    else
      names[#names + 1] = list[i]
      i = i + 1
    end
  end
  return out, names
end

local function wanted(name, names)
  if #names == 0 then return true end
  for _, part in ipairs(names) do if name:find(part, 1, true) then return true end end
  return false
end

-- y_fig5 before y_fig11: numbers count as numbers
local function order(name)
  return (name:gsub("%d+", function(d) return ("%04d"):format(tonumber(d)) end))
end

local function files(names)
  local list = {}
  for _, file in ipairs(host.files(host.home .. "/scenarios") or {}) do
    local prefix = file:match "^(%a+)_.*%.lua$"
    if prefix and wanted(file, names) then list[#list + 1] = { name = file:match "^(.*)%.lua$", prefix = prefix } end
  end
  table.sort(list, function(a, b) return order(a.name) < order(b.name) end)
  return list
end

local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(s)
  local digits, out = {}, {}
  for i = 1, 64 do digits[i - 1] = alphabet:sub(i, i) end
  for i = 1, #s, 3 do
    local a, b, c = s:byte(i, i + 2)
    local n = a << 16 | (b or 0) << 8 | (c or 0)
    out[#out + 1] = digits[n >> 18] .. digits[n >> 12 & 63] .. (b and digits[n >> 6 & 63] or "=") .. (c and digits[n & 63] or "=")
  end
  return table.concat(out)
end

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
local function html(s) return (s:gsub('[&<>"]', escapes)) end

local function read(path)
  local f = io.open(path, "rb")
  local s = f and f:read "a"
  if f then f:close() end
  return s
end

local head = [[
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>knock gallery</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.45 system-ui, sans-serif; color: #222; background: #fafafa; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
h1 { font-weight: 600 } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ddd; padding-bottom: .3rem; font-weight: 600 }
figure { background: #fff; border: 1px solid #e3e3e3; border-radius: 6px; margin: 1.2rem 0; padding: 1.2rem }
img { max-width: 100%; height: auto; display: block; margin: 0 auto 1rem }
figcaption { font-weight: 600 } pre { background: #f6f6f6; padding: .7rem; overflow-x: auto; font-size: 13px }
.files { font-size: 13px } a { color: #0072B2 } nav a { margin-right: 1rem }
</style></head><body>
<h1>knock gallery</h1>
<p>Every figure is made by one script: <code>knock scenarios/NAME.lua</code>, with arguments (<code>--help</code>).</p>
]]

local function pictures(out, entry)
  local parts = {}
  for _, name in ipairs(entry.result.saved) do
    local svg = read(("%s/%s.svg"):format(out, name))
    if svg then
      parts[#parts + 1] = ('<img alt="%s" src="data:image/svg+xml;base64,%s">'):format(html(entry.title), base64(svg))
      parts[#parts + 1] = ('<p class="files">%s: <a href="%s.svg">SVG</a> <a href="%s.pdf">PDF</a> <a href="%s.png">PNG</a></p>'):format(name, name, name, name)
    end
  end
  return table.concat(parts, "\n")
end

local function page(out, list)
  local parts, links = { head }, {}
  for _, paper in ipairs(papers) do
    local figures = {}
    for _, entry in ipairs(list) do
      if entry.prefix == paper[1] and entry.result then
        local text = entry.result.text ~= "" and ("<pre>%s</pre>"):format(html(entry.result.text)) or ""
        figures[#figures + 1] = ('<figure id="%s">\n%s\n<figcaption>%s</figcaption>\n%s<p class="files">knock scenarios/%s.lua</p>\n</figure>')
          :format(entry.name, pictures(out, entry), html(entry.title), text, entry.name)
      end
    end
    if #figures > 0 then
      links[#links + 1] = ('<a href="#%s">%s</a>'):format(paper[1], html(paper[2]))
      parts[#parts + 1] = ('<h2 id="%s">%s</h2>\n%s'):format(paper[1], html(paper[2]), table.concat(figures, "\n"))
    end
  end
  table.insert(parts, 2, "<nav>" .. table.concat(links, " ") .. "</nav>")
  parts[#parts + 1] = "</body></html>\n"
  return table.concat(parts, "\n")
end

return function(...)
  local out, names = parse { ... }
  if not out then
    fail("%s", names)
    io.stderr:write(require "knock.doc".usage "gallery")
    return 2
  end
  if not host.make_folder(out) then return fail("cannot make the folder '%s'", out) end
  local list, failed = files(names), 0
  if #list == 0 then return fail "no scenario has such a name" end
  for i, entry in ipairs(list) do
    io.write(("[%d/%d] %s\n"):format(i, #list, entry.name))
    io.flush()
    local ok, result = pcall(scenario.run, ("%s/scenarios/%s.lua"):format(host.home, entry.name), out, "svg,pdf,png")
    if ok then
      entry.result, entry.title = result, result.doc:match "^[^\n]*"
    else
      failed = failed + 1
      io.stderr:write(tostring(result), "\n")
    end
  end
  require "knock.gnuplot".publish(out .. "/index.html", page(out, list))
  print(("%d scenarios, %d failed: %s/index.html"):format(#list, failed, out))
  return failed == 0 and 0 or 1
end
