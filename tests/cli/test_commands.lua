-- knock list, help, new, tutorial, doctor, manual: what they print and how they end.

local shell = dofile(test_dir .. "/shell.lua")

local function says(line, code, ...)
  local result = shell.knock(line)
  equal(result.code, code)
  for _, text in ipairs { ... } do
    if not (result.out .. result.err):find(text, 1, true) then
      error(("%s: does not say %q but %q"):format(line, text, result.out .. result.err), 2)
    end
  end
  return result.out
end

test("list and help", function()
  says('"$K" list', 0, "k.ball", "k.law.compliant", "Scenarios")
  says('"$K" help ball', 0, "mass of the ball", "kg", "Example")
  says('"$K" help bal', 1, "nothing is called 'bal' (did you mean 'ball'?)")
  says('"$K" help', 0, "usage: knock", "Topics of help", "cluster, commands", "sandbox", "session", "units")
  says('"$K" tutorial', 0, "11. Simulate")
end)

test("each command that --help lists has a page, by help and by --help behind it", function()
  local list = says('"$K" --help', 0, "Commands:"):match "Commands:\n(.-)\n\n"
  local count = 0
  for name in list:gmatch "%f[^\n\0]  (%a+)" do
    count = count + 1
    local page = says('"$K" help ' .. name, 0, "knock " .. name, "Example")
    equal(says(('"$K" %s --help'):format(name), 0), page)
    equal(says(('"$K" %s -h'):format(name), 0), page)
  end
  equal(count, 12)
  says('"$K" gallery --far', 2, "unknown option '--far'", "usage: knock gallery [-o DIR] [NAME...]")
  says('"$K" help gallery --json', 0, '"usage":"knock gallery [-o DIR] [NAME...]"')
  says([["$K" -e 'require "knock"; require "knock.help" "reproduce"']], 0, "[--json | --markdown]", "Example")
end)

-- those that take long, need a sweep, or tests of their own have them
local elsewhere = { gallery = true, merge = true, submit = true, watch = true, test = true }

test("the examples on the pages of commands run", function()
  local count = 0
  for name in says('"$K" --help', 0, "Commands:"):match "Commands:\n(.-)\n\n":gmatch "%f[^\n\0]  (%a+)" do
    local examples = says('"$K" help ' .. name, 0):match "\nExample\n(.*)$"
    for line in (elsewhere[name] and "" or examples:match "^(.-)\n\n" or examples):gmatch "  (knock [^\n]*)" do
      says(line:gsub("%s*[|>].*", ""):gsub("^knock", '"$K"'), 0)
      count = count + 1
    end
  end
  equal(count, 12)
  shell.run "rm mine.lua"
end)

test("JSON for machines", function()
  local text = says('"$K" list --json', 0, '"models":[{', '"name":"ball"')
  equal(text:sub(1, 1), "{")
  says('"$K" help ball --json', 0, '"key":"mass"', '"unit":"kg"', '"default":"1"')
end)

test("new writes a scenario that runs, and overwrites nothing", function()
  says('"$K" new mine.lua', 0, "wrote mine.lua")
  says('"$K" mine.lua', 0, "ball meets law.stronge")
  says('"$K" new mine.lua', 1, "'mine.lua' exists already")
  says('"$K" new', 2, "usage: knock new FILE.lua")
  says('"$K" new nowhere/mine.lua', 1, "cannot write nowhere/mine.lua")
end)

test("doctor finds what is there and says what is missing", function()
  says('"$K" doctor', 0, "ok   gnuplot", "ok   LAPACK")
  says('PATH=/nowhere "$K" doctor', 4, "MISS gnuplot      not found: plots need it: apt-get install gnuplot-nox")
end)

test("the manual in all its forms", function()
  says('"$K" manual man', 0, ".TH KNOCK 1", ".SH MODELS")
  says('"$K" manual markdown', 0, "### `k.ball`", "| `mass` | 1 | kg |")
  says('"$K" manual luals', 0, "---@meta knock", "function k.ball(parameters) end")
  says('"$K" manual bash >c.bash && bash -c ". ./c.bash; COMP_WORDS=(knock help law.comp); COMP_CWORD=2; _knock; echo \\${COMPREPLY[*]}; COMP_WORDS=(knock help units); COMPREPLY=(); _knock; echo \\${#COMPREPLY[*]} of units"', 0, "law.compliant", "1 of units")
  says('"$K" manual bash >c.bash && bash -n c.bash && bash -c ". ./c.bash; COMP_WORDS=(knock he); COMP_CWORD=1; _knock; echo \\${COMPREPLY[0]}"', 0, "help")
  says('"$K" manual zsh', 0, "#compdef knock")
  says('"$K" manual html', 2, "usage: knock manual")
end)

test("reproduce ends with 0 when the papers come out as expected, with 2 for no such paper", function()
  says('"$K" reproduce F m --json', 0, '"unexpected": 0', '"paper": "F"', '"paper": "M"')
  says('"$K" reproduce M', 0, "every verdict is the expected one")
  says('"$K" reproduce jai', 2, "no paper is called 'jai' (did you mean 'jia'?)")
end)

test("bash completes values of --term, papers and scenarios", function()
  local function offers(line, n)
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = shell.quote(word) end
    if line:sub(-1) == " " then words[#words + 1] = "''" end
    local result = shell.knock(([["$K" manual bash >c.sh; bash -c '. ./c.sh; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _knock; echo "${COMPREPLY[*]}"' bash %s]]):format(table.concat(words, " ")))
    return result.out
  end
  if shell.run "command -v bash".code ~= 0 then return end
  equal(offers "knock --term s", "svg\n")
  equal(offers "knock reproduce m", "manipulator morgan\n")
  equal(offers "knock gallery show_e", "show_energy\n")
  equal(offers "knock --san", "--sandbox\n")
end)

test("the first thing asked of a run's events may be a method", function()
  shell.write("events.lua", [[local k = require "knock"
    local run = k.simulate(k.ball { position = { 0, 0, 2 } }, k.law.newton { e = 0.5 }, { t_end = 1 })
    run.events:write "e.csv"
    print(#k.read "e.csv" == #run.events)]])
  local result = shell.knock '"$K" events.lua'
  equal(result.out .. result.err, "true\n")
end)

shell.finish()
