-- Links that lie flat on a floor, three points each: nine normal rows of which few are independent, and friction that follows
-- how they share the load. Which points stick and which slide must go with the shares (states that stopped runs once).
local k = require "knock"

-- links in a row: {length of the one before, mass, place of its mass centre, damping, angle, its rate}
local function row(links, u, mu)
  local bodies, contacts, q, rates = {}, {}, { b1 = { 0, 0, 0, 1, 0, 0, 0 } }, { b1 = u }
  for j, link in ipairs(links) do
    local L = 2 * link[3]
    bodies[j] = { name = "b" .. j, parent = j > 1 and "b" .. j - 1 or nil, joint = j == 1 and "free" or "hinge", axis = j > 1 and { 0, 0, 1 } or nil,
      at = j > 1 and { link[1], 0, 0 } or nil, mass = link[2], com = { link[3], 0, 0.02 }, inertia = { 0.005, 0.01, 0.01 }, damping = link[4],
      points = { tip = { L, 0, 0 }, left = { L / 2, 0.05, 0 }, right = { L / 2, -0.05, 0 } } }
    for _, p in ipairs { "tip", "left", "right" } do contacts[#contacts + 1] = { ("b%d.%s"):format(j, p), "floor" } end
    if j > 1 then q["b" .. j], rates["b" .. j] = link[5], link[6] end
  end
  local m = k.mechanism { name = "flat", bodies = bodies, contacts = contacts, q = q, u = rates, obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } } }
  return m, k.simulate(m, k.law.moreau { e = 0, mu = mu }, { t_end = 1 })
end

-- all that moved has gone into sliding and the dampers
local function rests(m, run)
  equal(run.status, "ok")
  local last, most = run:at(1).u, 0
  for i = 1, #last do most = math.max(most, math.abs(last[i])) end
  near(most, 0, 1e-9)
  near(run.ledger.sliding - run.ledger.work, m.energy.kinetic, 1e-9)
  near(run.ledger.residual, 0, 1e-10)
end

test("a point that stops while others slide", function()
  rests(row({ { nil, 1.2702589685138, 0.1646271207054 }, { 0.29195931065375, 1.1206856144999, 0.14597965532687, 0.02, 0.84788356904764, 0.24538286886533 },
    { 0.37695640705447, 1.3288596012779, 0.18847820352723, nil, 0.71353317328684, -0.062727393334986 } },
    { 0.21093391292809, 0.28219330478427, 0, 0, 0, -0.58946004543293 }, 0.50107975673645))
end)

test("a point at the limit of its friction, which its neighbours hold", function()
  rests(row({ { nil, 0.64899584478545, 0.14010282925818 }, { 0.37174177028531, 0.69514262026888, 0.18587088514265, nil, 0.15639304422164, -0.92776895486077 },
    { 0.21855629102253, 0.7297865411231, 0.10927814551127, nil, -0.95501927324013, 0.71553635325241 } },
    { -0.1775252382178, 0.44983204700839, 0, 0, 0, -0.37463292910535 }, 0.76939645550539))
end)
