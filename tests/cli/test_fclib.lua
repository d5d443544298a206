-- FCLIB files: written by libfclib and read by knock, the other way round, and bad ones.

local k = require "knock"
local shell = dofile(test_dir .. "/shell.lua")
local peer = shell.program:match "^(.*)/[^/]*$" .. "/tests/fclib_peer"

local function exists(file)
  local f = io.open(file, "rb")
  if f then f:close() end
  return f ~= nil
end

local run_peer = "ASAN_OPTIONS=detect_leaks=0 " .. shell.quote(peer) -- what libfclib does not free is not ours
local there = exists(peer) and exists(shell.program:match "^(.*)/[^/]*$" .. "/knock_hdf5.so")
local folder = shell.folder

local function written(kind)
  local path = folder .. "/" .. kind .. ".h5"
  os.remove(path)
  assert(os.execute(("%s write %s %s"):format(run_peer, kind, shell.quote(path))), kind)
  return path
end

local function said(command, ...)
  local words = { run_peer, command }
  for _, word in ipairs { ... } do words[#words + 1] = shell.quote(tostring(word)) end
  local pipe, list = io.popen(table.concat(words, " ")), {}
  for line in pipe:lines() do list[#list + 1] = tonumber(line) end
  pipe:close()
  return list
end

-- the test's own W, in their rows (from 0)
local function entry(i, j)
  if i ~= j and i % 3 == 2 and j % 3 == 2 then return 0 end
  return (i == j and 3 or 0) + 1 / (1 + i + j)
end
local place = { [0] = 2, 0, 1, 5, 3, 4 } -- our row of theirs, from 0

test("what libfclib writes is read, in all three formats", function()
  if not there then return end
  for _, kind in ipairs { "csc", "csr", "triplet" } do
    local p = k.problem(written(kind))
    equal(p.dim, 3) equal(p.nc, 2) equal(p.mu[1], 0.3) equal(p.mu[2], 0.7)
    local q = { [0] = -1, 0.5, 0.25, -2, 0, 1e-300 }
    for i = 0, 5 do
      equal(p.v[place[i] + 1], q[i])
      for j = 0, 5 do equal(p.W[place[i] + 1][place[j] + 1], entry(i, j)) end
    end
  end
end)

test("what knock writes is read by libfclib, and its answer is one by libfclib's merit", function()
  if not there then return end
  local p = k.problem { dim = 3, v = { 0.4, -0.2, -1, 0.1, 0.3, -0.5 }, W = {
    { 2, 0, 0.1, 0.5, 0, 0 }, { 0, 2, 0, 0, 0.5, 0 }, { 0.1, 0, 1, 0, 0, 0.25 },
    { 0.5, 0, 0, 2, 0, -0.1 }, { 0, 0.5, 0, 0, 2, 0 }, { 0, 0, 0.25, -0.1, 0, 1 } } }
  local path = folder .. "/ours.h5"
  p:save(path, { mu = { 0.3, 0.6 }, e = 0.5 })
  local list, at = said("read", path), 0
  local function next_one() at = at + 1 return list[at] end
  equal(next_one(), 3) equal(next_one(), 6)
  for i = 0, 5 do for j = 0, 5 do equal(next_one(), p.W[place[i] + 1][place[j] + 1]) end end
  for i = 0, 5 do
    local v = p.v[place[i] + 1]
    equal(next_one(), (i % 3 == 0) and 1.5 * v or v)
  end
  equal(next_one(), 0.3) equal(next_one(), 0.6)
  local a, r = k.solve(p, k.law.moreau { mu = { 0.3, 0.6 }, e = 0.5 }), {}
  for i = 0, 5 do r[i + 1] = ("%.17g"):format(a.impulse[place[i] + 1]) end
  assert(said("merit", path, table.unpack(r))[1] < 1e-12)
  r[1] = "0.1" -- and of nonsense it is not
  assert(said("merit", path, table.unpack(r))[1] > 1e-3)
end)

local two = { dim = 3, v = { 0.4, -0.2, -1, 0.1, 0.3, -0.5 }, W = {
  { 2, 0, 0.1, 0.5, 0, 0 }, { 0, 2, 0, 0, 0.5, 0 }, { 0.1, 0, 1, 0, 0, 0.25 },
  { 0.5, 0, 0, 2, 0, -0.1 }, { 0, 0.5, 0, 0, 2, 0 }, { 0, 0, 0.25, -0.1, 0, 1 } } }

test("a solution and guesses that knock writes are read by libfclib, which finds it one", function()
  if not there then return end
  local p, path = k.problem(two), folder .. "/solved.h5"
  local a = k.solve(p, k.law.moreau { mu = 0.3, e = 0 })
  local nothing = { 0, 0, 0, 0, 0, 0 }
  p:save(path, { mu = 0.3, solution = a, guesses = { a.impulse, nothing } })
  local list = said("answers", path)
  equal(#list, 2 + 3 * 12)
  assert(list[1] < 1e-12, list[1])
  equal(list[2], 2)
  for i = 0, 5 do
    near(list[3 + i], a.velocity[place[i] + 1], 1e-15)
    equal(list[9 + i], a.impulse[place[i] + 1])
    equal(list[21 + i], a.impulse[place[i] + 1])
    equal(list[27 + i], two.v[place[i] + 1]) -- u of no impulse
    equal(list[33 + i], 0)
  end
  local q = k.problem(path) -- and back: compared with what is found anew
  equal(#q.guesses, 2)
  for i = 1, 6 do equal(q.solution.impulse[i], a.impulse[i]) near(q.solution.velocity[i], a.velocity[i], 1e-15) end
  assert(q:residual(q.solution) < 1e-14)
  near(q:residual(nothing), math.sqrt((1 + 0.25) / (1 + 0.3 ^ 2) / 1.55), 1e-15) -- |P_K(-u^)|^2 = u_n^2/(1 + mu^2), |v|^2 = 1.55
  q:save(folder .. "/again.h5") -- mu, solution and guesses go along
  equal(k.problem(folder .. "/again.h5").solution.impulse[3], a.impulse[3])
end)

test("a solution and guesses that libfclib writes are read, and judged", function()
  if not there then return end
  local path = written "csc"
  local p = k.problem(path)
  equal(p.solution, nil) equal(p.guesses, nil)
  local a, words = k.solve(p, k.law.moreau { mu = p.mu, e = 0 }), {}
  for i = 0, 5 do words[i + 1] = ("%.17g"):format(a.impulse[place[i] + 1]) end
  said("answer", path, table.unpack(words))
  p = k.problem(path)
  assert(p:residual(p.solution) < 1e-14)
  equal(#p.guesses, 2)
  for i = 1, 6 do
    equal(p.solution.impulse[i], a.impulse[i])
    near(p.solution.velocity[i], a.velocity[i], 1e-14)
    equal(p.guesses[2].impulse[i], 2 * a.impulse[i])
  end
  assert(p:residual(p.guesses[2]) > 0.1)
end)

test("files go there and back to the last bit", function()
  if not there then return end
  local p = k.problem(k.rod { velocity = { 0.3, -1 }, gaps = { 0, 0 } })
  local path = folder .. "/back.h5"
  p:save(path, { mu = 0.3 })
  local q = k.problem(path)
  for i = 1, p.rows do
    equal(q.v[i], p.v[i])
    for j = 1, p.rows do equal(q.W[i][j], (p.W[i][j] + p.W[j][i]) / 2) end
  end
end)

-- v = A (H r + f) + c with A = P M^-1, by the notes' own elimination
test("a global problem has the W of its constrained inverse", function()
  if not there then return end
  local p = k.problem(written "global")
  local M = k.matrix { { 2, 0.5, 0 }, { 0.5, 3, 0 }, { 0, 0, 4 } }
  local H, G = k.matrix { { 1, 0.2 }, { 0, 1 }, { 0.5, -0.3 } }, k.matrix { 1, 1, 1 }
  local inverse = (M:inv())
  local S = (G:t() * inverse * G)(1, 1)
  local A = inverse - (inverse * G) * (G:t() * inverse) / S
  local W = H:t() * A * H
  local q = H:t() * (A * k.matrix { 1, -2, 0.5 } - inverse * G * (0.25 / S)) + k.matrix { -0.1, 0.3 }
  for i = 1, 2 do
    near(p.v[3 - i], q(i), 1e-15)
    for j = 1, 2 do near(p.W[3 - i][3 - j], W(i, j), 1e-15) end
  end
end)

test("equalities of a local problem are eliminated", function()
  if not there then return end
  local p, V = k.problem(written "mixed"), { [0] = 1, 0, 2, 0, 0, 1 }
  for i = 0, 5 do
    for j = 0, 5 do near(p.W[place[i] + 1][place[j] + 1], entry(i, j) - V[i] * V[j] / 2, 1e-15) end
  end
  near(p.v[place[2] + 1], 0.25 - 2 * 0.5 / 2, 1e-15)
end)

test("bad files and bad wishes say what is wrong, in one line", function()
  if not there then return end
  local function refuses(words, f, ...)
    local ok, why = pcall(f, ...)
    assert(not ok and tostring(why):find(words, 1, true) and not tostring(why):find "\n", tostring(why))
  end
  local records = require "knock.core".records
  local five = records.new_table():add("fclib_local/spacedim", "int32", { { 5 } })
  records.write_sets(five, folder .. "/five.h5") -- libfclib itself refuses to write it
  refuses("fclib_local/spacedim must be a whole number from 2 to 3, got 5", k.problem, folder .. "/five.h5")
  refuses("entry 4 of fclib_local/W lies outside its 6 x 6", k.problem, written "index")
  refuses("W is not symmetric in rows", k.problem, written "skew")
  local name = folder .. "/table.h5"
  k.table { x = { 1, 2 } }:write(name)
  refuses("is not an FCLIB file", k.problem, name)
  local file = assert(io.open(written "csc", "rb"))
  local bytes = file:read "a"
  file:close()
  name = folder .. "/cut.h5"
  file = assert(io.open(name, "wb"))
  file:write(bytes:sub(1, #bytes // 2)) file:close()
  refuses("cut.h5", k.problem, name)
  refuses("cannot read", k.problem, folder .. "/nowhere.h5")
  local p = k.problem(k.rod { velocity = { 0.3, -1 }, gaps = { 0, 0 } })
  refuses("FCLIB files have friction", p.save, p, name)
  refuses("mu must be a number or one for each of the 2 contacts", p.save, p, name, { mu = { 1 } })
  refuses("solution must be an answer or its 4 impulses, got 2 of them", p.save, p, name, { mu = 1, solution = { 1, 2 } })
  refuses("guesses[1] must be an answer or its 4 impulses, got boolean", p.save, p, name, { mu = 1, guesses = { true } })
  refuses("solutions and guesses go into FCLIB files", p.save, p, folder .. "/p.lua", { solution = { 1, 2, 3, 4 } })
  refuses("FCLIB has contacts of 2 or 3 rows, got dim = 1", k.problem { W = { { 1 } }, v = { -1 } }.save,
    k.problem { W = { { 1 } }, v = { -1 } }, name, { mu = 1 })
end)

shell.finish()
