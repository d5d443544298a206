-- Every function, given things of every wrong kind: one line, at the script's line, in knock's words and not in Lua's.
-- Where a value is right after all the call may succeed.
k = require "knock"

ball = k.ball { position = { 0, 0, 2 }, velocity = { 1, 0, -5 } }
law = k.law.compliant { mu = 0.4, e = 0.5 }
hit = k.impact(k.ball { velocity = { 1, 0, -5 } }, law)
run = k.simulate(ball, law, { t_end = 0.8 })
tab = k.table { x = { 1, 2, 3 }, y = { 4, 5, 6 }, s = { "a", "b", "c" } }
sw = k.sweep { a = { 1, 2 }, b = { 3, 4 } }
m = k.matrix { { 1, 2 }, { 3, 4 } }
wheel, wlaw = k.rimless_wheel { spokes = 8, slope = 0.15, rate = 1.5 }, k.law.moreau { mu = 9, e = 0 }
c = k.cycle(wheel, wlaw, { map = "step" })
fig = k.plot { y = { 1, 2, 3 } }

local wrong = { "nil", "0/0", "math.huge", "-1", "0", "1e300", "1.5", "'abc'", "''", "{}", "{1,2}", "{{1}}", "{1,'a'}", "{1,0/0}", "true",
  "type", "ball", "law", "hit", "run", "tab", "m", "{x=1}", "io.stdout", "coroutine.create(print)" }

local calls = {
  "k.impact(ball, law, @)", "k.impact(@, law)", "k.impact(ball, @)", "k.impact(ball, law, {contacts=@})", "k.simulate(@, law, {t_end=1})",
  "k.simulate(ball, @, {t_end=1})", "k.simulate(ball, law, @)", "k.simulate(ball, law, {t_end=.1, rtol=@})",
  "k.simulate(ball, law, {t_end=.1, force=@})", "k.simulate(ball, law, {t_end=.1, events=@})", "k.simulate(ball, law, {t_end=.1, times=@})",
  "k.simulate(ball, law, {t_end=.1, max_step=@})", "k.simulate(ball, law, {t_end=.1, keep=@})", "k.simulate(ball, law, {t_end=.1, stop=@})",
  "k.compare(@, {law})", "k.compare(ball, @)", "k.compare(ball, {@})", "k.compare(ball, {law}, @)", "k.sweep(@)", "k.sweep{a=@}", "k.sweep.lhs(@)",
  "k.sweep.lhs({a={0,1}}, @)", "k.sweep.random(@)", "k.sweep.random({a={0,1}}, @)", "k.sweep.sobol({a={0,1}}, @)", "k.sweep.zip(@)",
  "k.sweep.grid(@)", "sw:run(@)", "sw:run(function() return @ end)", "sw:run(function() return {y=@} end)", "sw:run(function() return {y=1} end, @)",
  "sw:run(function() return {y=1} end, {seed=@})", "sw:run(function() return {y=1} end, {units=@})",
  "sw:run(function() return {y=1} end, {resume=@})", "sw:impact(@, law, {'velocity'})", "sw:impact(ball, @, {'velocity'})",
  "sw:impact(ball, law, @)", "sw:impact(ball, law, {'velocity'}, @)", "sw:impact(ball, law, {'velocity'}, {map=@})", "sw:filter(@)", "sw:units(@)",
  "sw:sample(@)", "k.solve.block(@)", "k.solve.block{M=@, A={{1,0}}, u={0,-1}}", "k.solve.block{M={{1,0},{0,1}}, A=@, u={0,-1}}",
  "k.solve.block{M={{1,0},{0,1}}, A={{1,0}}, u=@}", "k.solve.block{M={{1,0},{0,1}}, A={{1,0}}, u={0,-1}, e=@}",
  "k.solve.planar{W=@, v={0,-1}, mu=.1, e=.5}", "k.solve.planar{W={{1,0},{0,1}}, v=@, mu=.1, e=.5}",
  "k.solve.planar{W={{1,0},{0,1}}, v={0,-1}, mu=@, e=.5}", "k.solve.planar{W={{1,0},{0,1}}, v={0,-1}, mu=.1, e=@}",
  "k.solve.compliant{W=@, v={0,0,-1}, mu=.1,e=.5}", "k.solve.compliant{W=k.eye(3), v=@, mu=.1,e=.5}",
  "k.solve.compliant{W=k.eye(3), v={0,0,-1}, mu=.1,e=.5,k=@}", "k.solve.compliant{W=k.eye(3), v={0,0,-1}, mu=.1,e=.5,gap=@}", "k.solve.vibration(@)",
  "k.solve.vibration{W=@, v={-1}}", "k.solve.vibration{W={{1}}, v=@}", "k.solve.vibration{W={{1}}, v={-1}, k=@}", "k.linspace(@, 1, 3)",
  "k.linspace(0,@,3)", "k.linspace(0,1,@)", "k.logspace(@,1,3)", "k.logspace(0,@,3)", "k.logspace(0,1,@)", "k.eye(@)", "k.zeros(@)", "k.ones(@)",
  "k.ones(2,@)", "k.diag(@)", "k.matrix(@)", "k.approx(@,1)", "k.approx(1,@)", "m:solve(@)", "m*@", "m+@", "m-@", "m/@", "m^@", "m:slice(@)",
  "m:slice(1,@)", "m:row(@)", "m:col(@)", "m:set(@)", "m:set(1,1,@)", "m:map(@)", "m:dot(@)", "m:cross(@)", "m:norm(@)", "m:format(@)", "m:lstsq(@)",
  "m[@]", "m(@,1)", "m(1,@)", "m:approx(@)", "k.table(@)", "tab:column(@)", "tab:where(@)", "tab:select(@)", "tab:filter(@)", "tab:sort(@)",
  "tab:group(@)", "tab:interpolate(@,1,'y')", "tab:interpolate('x',@,'y')", "tab:interpolate('x',1,@)", "tab:quantile(@,.5)", "tab:quantile('x',@)",
  "tab:add(@)", "tab:add('z',@)", "tab:join(@)", "tab:argmax(@)", "tab:differences(@)", "tab:plot{x=@,y='y'}", "tab:plot{x='x',y=@}",
  "tab:plot{x='x',y='y',by=@}", "tab:plot{x='x',y='y',z=@}", "tab:unit(@)", "tab:unit('x',@)", "tab:rows(@)", "tab:summary(@)", "tab:has(@)",
  "tab:kind(@)", "k.read(@)", "k.read('/tmp', @)", "k.plot(@)", "k.plot{y=@}", "k.plot{x=@,y={1,2}}", "k.plot{y={1,2},xlabel=@}",
  "k.plot{y={1,2},ylabel=@}", "k.plot{y={1,2},title=@}", "k.plot{y={1,2},kind=@}", "k.plot{y={1,2},label=@}", "k.plot{y={1,2},xrange=@}",
  "k.plot{y={1,2},logx=@}", "k.plot{y={1,2},colour=@}", "k.plot{y={1,2},mark=@}", "k.plot{y={1,2},size=@}",
  "k.plot{y={1,2},bins=@,kind='histogram'}", "k.plot{y={1,2},style=@}", "k.plot{y={1,2},width=@}", "k.plot{y={1,2},height=@}",
  "k.plot{x={1,2},y={1,2},z=@,kind='heat'}", "k.plot{x={1,2},y={1,2},z={{1,2},{3,4}},kind='contour',levels=@}", "k.plot{y={1,2},key=@}",
  "fig[1]:line(@)", "fig[1]:line{x={1},y=@}", "fig[1]:hline(@)", "fig[1]:text(@)", "fig[@]", "k.figure(@)", "k.figure{rows=@}", "k.figure{title=@}",
  "hit:plot('impulse',@)", "hit:plot('impulse',{points=@})", "hit:trace(@)", "hit:course(@)", "hit:derivative(@)", "hit:derivative{@}", "hit[@]",
  "run:plot{x=@}", "run:plot{y=@}", "run:plot{x='t',y={'energy',@}}", "run:at(@)", "run:sample(@)", "run:table(@)", "run:saltation(@)",
  "run:monodromy(@)", "run.events:table(@)", "run[@]", "ball:with(@)", "ball:with{mass=@}", "ball:at(@)", "ball:at({0,0,0,1,0,0,0},@)",
  "ball:describe(@)", "law:with(@)", "law:with{mu=@}", "law:with{e=@}", "k.model(@)",
  "k.model{coordinates=@, mass={1}, gap=function() return 1 end, jacobian=function() return {{1}} end}",
  "k.model{coordinates={'x'}, mass=@, gap=function() return 1 end, jacobian=function() return {{1}} end}",
  "k.model{coordinates={'x'}, mass={1}, gap=@, jacobian=function() return {{1}} end}",
  "k.model{coordinates={'x'}, mass={1}, gap=function() return @ end, jacobian=function() return {{1}} end}",
  "k.impact(k.model{coordinates={'x'}, mass={1}, u={-1}, gap=function() return 0 end, jacobian=function() return @ end}, law)",
  "k.impact(k.model{coordinates={'x'}, mass=function() return @ end, u={-1}, gap=function() return 0 end, jacobian=function() return {{1}} end}, law)",
  "k.simulate(k.model{coordinates={'x'}, mass={1}, forces=function() return @ end, gap=function() return 1 end, jacobian=function() return {{1}} end}, law, {t_end=.1})",
  "k.mechanism(@)", "k.mechanism{plane=true, bodies=@}", "k.mechanism{plane=true, bodies={@}}",
  "k.mechanism{plane=true, bodies={{name='a',joint=@,mass=1,inertia=1}}}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=@,inertia=1}}}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, contacts=@}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, contacts={@}}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, q=@}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, q={a=@}}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, obstacles={@}}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, springs={@}}",
  "k.mechanism{plane=true, bodies={{name='a',joint='hinge',mass=1,inertia=1}}, loops={@}}", "k.mechanism.load(@)", "k.law(@)",
  "k.law.sequential{law=@}", "k.law.sequential{law=law, order=@}", "k.law.moreau{mu=@}", "k.law.lzb{exponent=@}", "k.law.stronge(@)",
  "k.cycle(@, wlaw, {map='step'})", "k.cycle(wheel, @, {map='step'})", "k.cycle(wheel, wlaw, @)", "k.cycle(wheel, wlaw, {map=@})",
  "k.cycle(wheel, wlaw, {map='step', guess=@})", "k.cycle(wheel, wlaw, {map='step', rtol=@})", "k.continue(@, {parameter='slope', from=.1, to=.2})",
  "k.prepare(@, law, {'mass'}, {'velocity'})", "k.prepare(ball, law, @, {'velocity'})", "k.prepare(ball, law, {'mass'}, @)",
  "k.prepare(ball, law, {'mass'}, {'velocity'})(@)", "k.problem(@)", "k.catalog(@)", "c[@]",
}

local function told(code)
  local f = load("local r = " .. code .. " return r", "=script")
  local ok, message = pcall(f)
  if ok then return nil end
  message = tostring(message)
  local bad = not message:match "^script:1: %S" or message:find "\n" or message:find "attempt to" or message:find "bad argument"
    or message:find ": 0x%x" or #message > 500
  return bad and code .. " says: " .. message
end

for _, call in ipairs(calls) do
  test(call, function()
    for _, value in ipairs(wrong) do
      local bad = told((call:gsub("@", function() return value end)))
      if bad then error(bad, 0) end
    end
  end)
end
