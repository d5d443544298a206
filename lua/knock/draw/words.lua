-- Labels of axes, headings and titles in as many lines as their room wants.

local text = require "knock.draw.text"

local words = { line = 1.25 } -- height of a line, in font sizes
local max, min = math.max, math.min

function words.has(label) return label and text.plain(label) ~= "" end

--- The label in lines no wider than w points, with letters of `size` points.
function words.lines(label, w, size)
  return words.has(label) and text.wrap(label, max(w / size, 4)) or {}
end

--- The lines of a panel: it may use the cell that it stands in, once that is known.
function words.of_panel(p, plan)
  local box, size, w = p.box, plan.style.size, plan.w / plan.cols
  local room = { x = w, y = math.huge, heading = w }
  if box then
    local cx, cy = (box.l + box.r) / 2, (box.b + box.t) / 2
    room.x = 2 * min(cx - box.outer, box.right - cx)
    room.y = 2 * min(cy - box.bottom, box.top - cy)
    room.heading = box.right - (plan.letters and box.outer or box.l)
  end
  return { x = words.lines(p.xlabel, room.x, size), y = words.lines(p.ylabel, room.y, size), heading = words.lines(p.heading, room.heading, size) }
end

return words
