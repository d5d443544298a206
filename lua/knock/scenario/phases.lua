-- Marks in figures over time where points meet the ground and leave it.

local looks = { close = { "disc", "closes" }, open = { "ring", "opens" } }

--- phases(figure, hit) -> figure: thin lines in all panels, discs and rings at zero displacement in the first one
return function(f, hit)
  for _, kind in ipairs { "close", "open" } do
    local times, zeros = {}, {}
    for _, e in ipairs(hit.events) do
      if e.kind == kind then times[#times + 1], zeros[#zeros + 1] = e.t, 0 end
    end
    for _, panel in ipairs(f.panels) do
      for _, t in ipairs(times) do panel:vline(t, { colour = "light", dash = "dotted", width = 0.6 }) end
    end
    if #times > 0 then f[1]:points { x = times, y = zeros, mark = looks[kind][1], colour = "black", size = 3, label = looks[kind][2] } end
  end
  for _, panel in ipairs(f.panels) do
    panel.x = { label = panel.x.label, unit = "s", range = { 0, 1.05 * hit.duration } } -- one axis, with air after the end
  end
  return f
end
