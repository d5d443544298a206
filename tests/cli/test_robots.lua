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

local function write(name, text)
  shell.write(name, text)
  return shell.folder .. "/" .. name
end

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
