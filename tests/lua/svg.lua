-- Reads the SVG that gnuplot writes, for tests: curves, marks, texts and where they are.

local svg = {}

local entities = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'" }
local function plain(s)
  return (s:gsub("<[^>]*>", ""):gsub("&(%a+);", entities):gsub("^%s+", ""):gsub("%s+$", ""))
end

local function texts(source)
  local out = {}
  for transform, look, body in source:gmatch '<g transform="([^"]*)"([^>]*)>%s*<text[^>]*>(.-)</text>' do
    local x, y = transform:match "translate%(([-%d.]+),([-%d.]+)%)"
    local t = { text = plain(body), x = tonumber(x), y = tonumber(y), size = tonumber(look:match 'font%-size="([%d.]+)"'),
                anchor = look:match 'text%-anchor="(%a+)"', turned = transform:find "rotate" ~= nil }
    out[#out + 1] = t
  end
  return out
end

local function plots(source)
  local out = {}
  for number, title, body in source:gmatch '<g id="gnuplot_plot_(%d+)%a?" ><title>(.-)</title>(.-)\n\t</g>' do
    local p = { number = tonumber(number), title = plain(title), points = 0, marks = 0, paths = 0, images = 0 }
    for d in body:gmatch "<path[^>]- d='([^']*)'" do
      p.paths = p.paths + 1
      for _ in d:gmatch "[ML]%s*[-%d.]+,[-%d.]+" do p.points = p.points + 1 end
    end
    for _ in body:gmatch "<use " do p.marks = p.marks + 1 end
    for _ in body:gmatch "<polygon" do p.points = p.points + 1 end
    for _ in body:gmatch "<image" do p.images = p.images + 1 end
    out[#out + 1] = p
  end
  return out
end

function svg.parse(source)
  local w, h = source:match 'viewBox="0 0 (%d+) (%d+)"'
  return { w = tonumber(w), h = tonumber(h), texts = texts(source), plots = plots(source), source = source }
end

function svg.read(path)
  local f = assert(io.open(path, "rb"))
  local s = f:read "a"
  f:close()
  return svg.parse(s)
end

function svg.has_text(page, wanted)
  for _, t in ipairs(page.texts) do if t.text == wanted then return true end end
  return false
end

-- the texts that stick out of the page; widths by the same rule as the drawing, which is generous
function svg.outside(page, width)
  local out = {}
  for _, t in ipairs(page.texts) do
    local w = width(t.text) * t.size * 0.95
    local left = t.anchor == "middle" and w / 2 or t.anchor == "end" and w or 0
    local x0, x1, y0, y1 = t.x - left, t.x - left + w, t.y - 0.75 * t.size, t.y
    if t.turned then x0, x1, y0, y1 = t.x - 0.75 * t.size, t.x, t.y - w / 2, t.y + w / 2 end
    if x0 < -0.5 or y0 < -0.5 or x1 > page.w + 0.5 or y1 > page.h + 0.5 then out[#out + 1] = t.text end
  end
  return out
end

return svg
