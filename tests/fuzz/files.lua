-- Reads files with wrong bytes in them: knock files.lua SEED COUNT. A table that is read, or an error with words.

local k = require "knock"
math.randomseed(tonumber(arg[1] or 1))
local random = math.random

local t = k.sweep { a = { 1, 2, 3 }, b = { "x", "y" } }:run(function(p) return { y = p.a / 3, v = { 1, 2 } } end, { jobs = 1 })
t:write "good.csv"
t:write "good.jsonl"
k.problem(k.ball { velocity = { 0, 0, -1 } }, k.law.newton {}):save "good.txt"

local function read(path) local f = assert(io.open(path, "rb")) local s = f:read "a" f:close() return s end
local function write(path, s) local f = assert(io.open(path, "wb")) f:write(s) f:close() end

local pieces = { "\0", "\xff", "\n", "\r\n", '"', ",", "#", "nan", "1e999", "-", "\xef\xbb\xbf", "9223372036854775808", ("9"):rep(400), "{", "}", "[", "\\u0000", "e", "=" }
local function mutate(s)
  for _ = 1, random(1, 4) do
    local at, what = random(#s), random(5)
    if what == 1 then s = s:sub(1, at - 1) .. string.char(random(0, 255)) .. s:sub(at + 1)
    elseif what == 2 then s = s:sub(1, at) .. pieces[random(#pieces)] .. s:sub(at + 1)
    elseif what == 3 then s = s:sub(1, at)
    elseif what == 4 then s = s:sub(1, at) .. s:sub(math.min(#s, at + random(40)))
    else local from = random(#s) s = s:sub(1, at) .. s:sub(from, from + random(60)) .. s:sub(at + 1) end
    if #s == 0 then s = "x" end
  end
  return s
end

local count = { 0, 0 }
for i = 1, tonumber(arg[2] or 300) do
  for ending, reader in pairs { csv = k.read, txt = k.problem } do
    local path = "bad." .. ending
    write(path, mutate(read("good." .. ending)))
    local ok, result = pcall(reader, path)
    if not ok and (type(result) ~= "string" or #result < 10) then error(("an error without words for %s %d: %s"):format(path, i, tostring(result))) end
    if ok then tostring(result) end
    count[ok and 1 or 2] = count[ok and 1 or 2] + 1
  end
end
print(("%d were read, %d refused"):format(count[1], count[2]))
