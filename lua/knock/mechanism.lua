-- Mechanisms: any tree of bodies on joints, declared in Lua.

local core = require "knock.core"
local declare = require "knock.mechanism.declare"

local M = {}

--- k.mechanism{ bodies =, obstacles =, ... } -> model
--- A machine of your own: a tree of rigid bodies on joints, with points and shapes that may touch obstacles or each other, stops,
--- springs and closed loops. It is a model like any other: every law, run, sweep, figure and page works on it. `help mechanisms`
--- is the whole page; `k.mechanism.load` reads URDF and MJCF files, `m:save` writes a declaration.
---
---     local m = k.mechanism{ plane = true, bodies = {
---       { name = "leg", joint = "hinge", mass = 2, com = {0, -0.5}, inertia = 0.1, points = { foot = {0, -1} } } },
---       obstacles = { wall = { point = {0.2, 0}, normal = {-1, 0} } }, u = { leg = 1 } }
---     print(m.q.leg, #m.gap, m["leg.mass"]) --> 0.0	1	2.0
local function build(t) return core.mechanisms.build(declare.read(t)) end

--- k.mechanism.load(file[, changes]) -> model
--- Reads a robot from a URDF file, or from a subset of MJCF (MuJoCo's XML). `changes` is a table like that of k.mechanism whose
--- keys (obstacles, contacts, gravity, q, u, view) are added to what the file says. What is not understood is in m.notes, with
--- its line.
function M.load(file, changes) return require "knock.mechanism.load"(file, changes) end

return setmetatable(M, { __call = function(_, ...) return build(...) end, __name = "mechanism" })
