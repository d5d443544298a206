-- What the numbers of a diagram or a basin depend on, as one text: with it a file or a journal of other options, another
-- start or another map is refused by `resume`, also within one session.

local text_of

-- keys in one order, whatever the table's own
local function of_table(t, seen)
  if seen[t] then return "again" end
  seen[t] = true
  local keys, parts = {}, {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do parts[i] = tostring(key) .. "=" .. text_of(t[key], seen) end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- models and laws by name and parameters; lists of numbers by these
local function of_object(x, seen)
  local kind = getmetatable(x)
  if kind == "model" or kind == "law" then return x.name .. of_table(x:parameters(), seen) end
  local list = {}
  for i = 1, #x do list[i] = x[i] end
  return of_table(list, seen)
end

function text_of(x, seen)
  local kind = type(x)
  if kind == "number" then return ("%q"):format(x) end
  if kind == "table" then return of_table(x, seen) end
  if kind == "userdata" then return of_object(x, seen) end
  if kind ~= "function" then return kind .. ":" .. tostring(x) end
  local ok, code = pcall(string.dump, x, true)
  return ok and code or "C"
end

--- The text of a map P, its options o (but for those of the file and the workers) and everything else given.
return function(P, o, ...)
  local options = {}
  for key, value in pairs(o) do options[key] = value end
  options.file, options.resume, options.jobs, options.cycles = nil, nil, nil, nil
  local map = P.kind == "function" and { P.f, P.parameters } or { P.model, P.law, P.o }
  return text_of({ map, options, ... }, {})
end
