-- Robots of others (Debian's dart-doc and libmujoco-samples): k.mechanism.load against MuJoCo reading the same file.

local k = require "knock"
local shell = dofile(test_dir .. "/shell.lua")
local oracle = shell.program:match "^(.*)/[^/]*$" .. "/tests/mujoco_read"

local function exists(file)
  local f = io.open(file, "rb")
  if f then f:close() end
  return f ~= nil
end

local folder = "/usr/share/doc/dart/data/"
local there = exists(oracle) and exists(folder .. "mjcf/openai/swimmer.xml")

-- packed files are unpacked into the working folder
local function unpacked(file)
  if exists(file) then return file end
  local name = shell.folder .. "/" .. file:match "[^/]+$"
  return exists(file .. ".gz") and os.execute(("gzip -dc %s.gz > %s"):format(shell.quote(file), shell.quote(name))) and name or nil
end

local function numbers(command)
  local pipe, list = io.popen(command), {}
  for line in pipe:lines() do list[#list + 1] = tonumber(line) end
  pipe:close()
  return list
end

-- mass matrix and forces at a state away from the start, by both
local function compare(file, model, tolerance)
  local x = numbers(("%s %s 0.05 2>/dev/null"):format(shell.quote(oracle), shell.quote(file)))
  local nq, nu = x[1], x[2]
  equal(nq, #model.q)
  equal(nu, #model.u)
  local q, u = { table.unpack(x, 3, 2 + nq) }, { table.unpack(x, 3 + nq, 2 + nq + nu) }
  local m = model:at(q, u)
  local M, at, size = m.M, 2 + nq + nu, 0
  for i = 1, nu do size = math.max(size, M[i][i]) end
  for i = 1, nu do for j = 1, nu do near(M[i][j], x[at + (i - 1) * nu + j], tolerance * size) end end
  local f, most = m.forces, 1
  for i = 1, nu do most = math.max(most, math.abs(f[i])) end
  for i = 1, nu do near(f[i], x[at + nu * nu + i], tolerance * most) end
  return { table.unpack(x, at + nu * nu + nu + 2) }, m
end

local files = { "swimmer", "hopper", "half_cheetah", "ant", "humanoid", "reacher", "point" }

test("MJCF: mass matrix and forces of seven machines are MuJoCo's", function()
  if not there then return end -- libmujoco-dev or dart-doc is not installed
  for _, name in ipairs(files) do
    local file = unpacked(folder .. "mjcf/openai/" .. name .. ".xml")
    compare(file, k.mechanism.load(file), 1e-9)
  end
  local humanoid = "/usr/share/mujoco/model/humanoid/humanoid.xml"
  if exists(humanoid) then compare(humanoid, k.mechanism.load(humanoid), 1e-9) end
end)

local function write(name, text)
  shell.write(name, text)
  return shell.folder .. "/" .. name
end

-- mass matrix, forces, and the heights of all that may touch a floor far below
local function compare_heights(text)
  if not exists(oracle) then return end
  local file = write("heights.xml", "<mujoco><option gravity='1 -2 -9'/>" .. text .. "</mujoco>")
  local floor = { floor_below = { point = { 0, 0, -100 }, normal = { 0, 0, 1 } } }
  local z, m = compare(file, k.mechanism.load(file, { obstacles = floor }), 1e-8)
  local gaps = {}
  for i = 1, #m.gap do gaps[i] = m.gap[i] - 100 end
  equal(#gaps, #z)
  table.sort(gaps)
  table.sort(z)
  for i = 1, #z do near(gaps[i], z[i], 1e-9) end
end

test("MJCF: geoms by fromto, their sizes and their turn", function()
  compare_heights [[<worldbody><body><joint axis="1 2 3"/><geom type="box" fromto="0 .1 .2 .3 -.5 .9" size=".1 .25"/>
    <body pos="1 0 0"><joint axis="1 0 1"/><geom type="ellipsoid" fromto=".1 0 .3 .4 .2 0" size=".1 .3"/><geom type="capsule" fromto="0 0 0 0 0 -1" size=".1"/>
    <geom type="cylinder" fromto="0 .2 0 .3 0 -1" size=".1"/><geom type="box" fromto="0 0 .5 0 0 -1" size=".2 .3 .4"/></body></body></worldbody>]]
end)

test("MJCF: turns by quat, axisangle, xyaxes, zaxis, euler, and a class that turns in other words", function()
  compare_heights [[<compiler eulerseq="xZy"/><default><default class="turned"><geom euler="10 20 30" density="500"/>
    <default class="more"><joint axis="1 1 0"/></default></default></default>
    <worldbody><body quat="1 2 3 4"><joint/><geom type="box" size=".1 .2 .3" axisangle="1 2 3 40"/>
    <body pos="1 0 0" xyaxes="1 2 3 -3 1 1" childclass="more"><joint pos="0 .1 0"/><geom type="box" size=".1 .2 .3" pos="0 .1 0"/>
    <body pos="0 1 0" zaxis="1 -1 1"><joint type="ball"/><geom type="box" size=".1 .2 .3" zaxis="1 0 1"/><geom type="box" size=".1 .2 .3" xyaxes="1 1 0 0 0 1"/>
    <geom type="box" size=".1 .2 .3" quat="1 0 1 0"/><geom class="main" type="box" size=".1 .2 .3" xyaxes="0 0 1 -1 .5 0"/></body></body></body></worldbody>]]
end)

test("MJCF: <flag gravity>, inertiafromgeom true and false, stops of no width", function()
  compare_heights [[<option><flag gravity="disable"/></option><worldbody><body><joint axis="0 1 0"/><joint/><geom size=".1" pos="1 0 0"/></body></worldbody>]]
  local heavy = [[<worldbody><body><joint axis="0 1 0"/><inertial mass="3" pos="1 0 0" diaginertia="1 1 1"/>
    <body pos="0 0 1"><joint/><geom size=".1" pos="1 0 0"/><inertial mass="3" pos="1 0 0" diaginertia="1 1 1"/></body></body></worldbody>]]
  for _, word in ipairs { "true", "auto", "false" } do compare_heights(("<compiler inertiafromgeom='%s'/>"):format(word) .. heavy) end
  compare_heights [[<compiler inertiafromgeom="false" autolimits="true"/><worldbody><body><joint range="0 0"/><geom size=".1"/>
    <joint range="0 0" axis="1 0 0"/><inertial mass="3" pos="0 1 0" diaginertia="1 1 1"/><body pos="1 0 0"><geom size=".2"/></body></body></worldbody>]]
end)

test("MJCF: what balls and free bodies have in MuJoCo and not here is told, and masses of meshes, and masks", function()
  local m = k.mechanism.load(write("told.xml", [[<mujoco><asset><mesh name="a" file="a.stl"/></asset>
    <default><joint stiffness="3" damping="2" armature="1" range="-1 1"/></default><worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 5"><joint type="free"/><geom size=".1"/><geom type="mesh" mesh="a" contype="0" conaffinity="0"/>
    <body><joint type="ball"/><geom size=".2" contype="2" conaffinity="4"/></body></body></worldbody></mujoco>]]))
  local text = table.concat(m.notes, "\n")
  for _, what in ipairs { "stiffness of a free joint", "damping of a free joint", "armature of a free joint", "range of a free joint", "stiffness of a ball joint",
    "armature of a ball joint", "the mass of a geom of type mesh", "contype and conaffinity keep a geom and an obstacle apart" } do
    equal(text:find(what, 1, true) and what, what)
  end
  equal(text:find("damping of a ball", 1, true), nil) -- that one is read
end)

-- turned frames everywhere, a fixed joint in the middle, a slide, a joint without limits
local urdf = [[<?xml version="1.0"?>
<robot name="six">
  <link name="base"><inertial><mass value="4"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
  <link name="shoulder"><inertial><origin xyz=".1 .2 .05" rpy=".3 -.2 .1"/><mass value="3"/>
    <inertia ixx=".05" ixy=".001" ixz=".002" iyy=".06" iyz="-.001" izz=".04"/></inertial>
    <collision><origin xyz="0 .1 0" rpy=".1 .2 .3"/><geometry><box size=".1 .2 .3"/></geometry></collision></link>
  <link name="bracket"><inertial><origin xyz="0 0 .1"/><mass value=".5"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".005"/></inertial></link>
  <link name="rail"><inertial><origin xyz=".2 0 0" rpy="0 .5 0"/><mass value="2"/><inertia ixx=".02" ixy="0" ixz="0" iyy=".03" iyz="0" izz=".03"/></inertial>
    <visual><geometry><sphere radius=".1"/></geometry></visual></link>
  <link name="wrist"><inertial><origin xyz="0 .1 .1" rpy=".1 .1 .1"/><mass value="1"/><inertia ixx=".01" ixy=".002" ixz="0" iyy=".02" iyz="0" izz=".015"/></inertial>
    <collision><origin xyz="0 0 .2"/><geometry><sphere radius=".08"/></geometry></collision></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="shoulder"/><origin xyz="0 0 .3" rpy=".2 .1 -.3"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="10" velocity="1"/><dynamics damping=".3"/></joint>
  <joint name="j2" type="fixed"><parent link="shoulder"/><child link="bracket"/><origin xyz=".1 .1 .4" rpy=".5 0 .2"/></joint>
  <joint name="j3" type="prismatic"><parent link="bracket"/><child link="rail"/><origin xyz="0 0 .2" rpy="0 .3 0"/><axis xyz="1 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="j4" type="continuous"><parent link="rail"/><child link="wrist"/><origin xyz=".4 0 0" rpy="-.4 .2 .6"/><axis xyz="0 1 1"/></joint>
</robot>]]

test("URDF: turned frames, inertias in axes of their own, a slide: MuJoCo's mass matrix and forces", function()
  if not exists(oracle) then return end
  local file = write("six.urdf", urdf)
  local m = k.mechanism.load(file)
  compare(file, m, 1e-9)
  equal(m["shoulder.upper"], 2.0)
  equal(m["shoulder.damping"], 0.3)
end)

test("URDF: shapes become contacts with what the script adds, the rest is told with its line", function()
  local m = k.mechanism.load(write("six.urdf", urdf), { obstacles = { table_top = { point = { 0, 0, -1 }, normal = { 0, 0, 1 } } } })
  equal(#m.gap, 8 + 1 + 4) -- corners of the box, the sphere, four stops
  local text = table.concat(m.notes, "\n")
  equal(text:find("line 9: <visual> of a link is not used", 1, true) ~= nil, true)
  equal(text:find("effort of <limit> is not used", 1, true) ~= nil, true)
  local free = k.mechanism.load(write("six.urdf", urdf), { root = "free" })
  equal(#free.u, 6 + 3)
end)

test("a shape that no joint can move touches no obstacle", function()
  local fixed = urdf:gsub('izz="%.1"/></inertial></link>', 'izz=".1"/></inertial><collision><geometry><box size=".3 .3 .3"/></geometry></collision></link>', 1)
  local floor = { floor_top = { point = { 0, 0, -0.1 }, normal = { 0, 0, 1 } } } -- the base is bolted into it
  equal(#k.mechanism.load(write("fixed.urdf", fixed), { obstacles = floor }).gap, 8 + 1 + 4)
  equal(#k.mechanism.load(write("fixed.urdf", fixed), { obstacles = floor, root = "free", q = { base = { 0, 0, 1, 1, 0, 0, 0 } } }).gap, 8 + 8 + 1 + 4)
end)

test("an inertia that no body can have: a note from a file, an error in a script", function()
  local odd = urdf:gsub('ixx="%.01" ixy="0" ixz="0" iyy="%.01" iyz="0" izz="%.005"', 'ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".05"')
  local m = k.mechanism.load(write("odd.urdf", odd))
  equal(m.notes[1]:find("the inertia of 'bracket' is that of no body", 1, true) ~= nil, true)
  raises(function() k.mechanism { bodies = { { name = "a", joint = "free", mass = 1, inertia = { 0.01, 0.01, 0.05 } } } } end, "a.inertia is that of no body")
end)

test("saved and read back, a robot is the same", function()
  local m = k.mechanism.load(write("six.urdf", urdf), { root = "free", obstacles = { floor = { point = { 0, 0, -2 }, normal = { 0, 0, 1 } } },
    q = { base = { 0, 0, 1, 0.8, 0.6, 0, 0 }, rail = 0.3 }, u = { shoulder = 2 } })
  local g = dofile(m:save(shell.folder .. "/six.lua"))
  near((g.W - m.W):norm(), 0, 1e-15)
  near(g.forces, m.forces, 1e-15)
  near(g.q, m.q, 0)
  raises(function() k.ball {}:save "x.lua" end, "save: writes mechanisms, got k.ball")
end)

test("files that are no robots: one line each", function()
  local function refuses(name, text, ...) raises(function() k.mechanism.load(write(name, text)) end, ...) end
  raises(function() k.mechanism.load "no_such_file.urdf" end, "no_such_file.urdf", "No such file")
  refuses("a.urdf", "hello", "line 1")
  refuses("b.urdf", "<robot><link name='a'></robot>", "line 1", "mismatched tag")
  refuses("c.urdf", "<html/>", "a URDF file starts with <robot>", "got <html>")
  refuses("d.urdf", "<robot/>", "there is no <link>")
  refuses("e.urdf", "<robot><link name='a'/><link name='a'/></robot>", "two links are called 'a'")
  refuses("f.urdf", "<robot><link name='a'/>\n<joint name='j' type='screw'/></robot>", ":2:", "joints of type 'screw' are not known")
  refuses("g.urdf", "<robot><link name='a'/><joint type='fixed'><parent link='a'/><child link='b'/></joint></robot>", "there is no link called 'b'")
  refuses("h.urdf", "<!DOCTYPE x [<!ENTITY a 'b'>]><robot/>", "it declares entities")
  refuses("i.xml", "<mujoco><worldbody><body pos='1 2'/></worldbody></mujoco>", "pos of <body> must be 3 numbers, got 2")
  refuses("j.xml", "<mujoco><worldbody/></mujoco>", "there is no <body>")
  refuses("k.urdf", ("<a>"):rep(5000), "nested too deeply")
  refuses("l.urdf", "<robot><link name='a'/><link name='b'/><joint type='fixed'><parent link='a'/><child link='b'/></joint>" ..
    "<joint type='fixed'><parent link='b'/><child link='a'/></joint></robot>", "circle")
  raises(function() k.mechanism.load("x.urdf", { rot = "free" }) end, "unknown option 'rot'", "did you mean 'root'")
end)
