-- Figures for LaTeX: every one of the gallery compiles in one real document, in ASCII, as wide as the column.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock
local there = shell.run "command -v pdflatex".code == 0

local function document(class, body)
  return ("\\documentclass%s\n\\usepackage{graphicx,color}\n\\begin{document}\n%s\n\\end{document}\n"):format(class, body)
end

local wide = "{article}\n\\usepackage[paperwidth=20in,paperheight=20in,margin=0.1in]{geometry}"

local function compile(name, text)
  shell.write(name .. ".tex", text)
  return knock(("pdflatex -interaction=nonstopmode -halt-on-error %s.tex"):format(name))
end

test("every figure of the gallery compiles in one document", function()
  local result = knock(('mkdir -p g; for f in %s/scenarios/*_*.lua; do "$K" --out g --term tex $f >/dev/null || exit 9; done; ls g/*.tex'):format(shell.quote(shell.source)))
  local said = result.err:gsub("[^\n]*sweep: [^\n]*\n?", ""):gsub("simulate: [^\n]*\n?", "") -- progress, on a slow machine
  equal(said, "")
  local body, n = {}, 0
  for path in result.out:gmatch "[^\n]+" do
    n = n + 1
    local odd = shell.read(shell.folder .. "/" .. path):match "[\128-\255]+"
    if odd then error(("%s has %q in it"):format(path, odd)) end
    body[n] = ("\\noindent\\input{%s}\\newpage"):format(path)
  end
  equal(n >= 40, true)
  if not there then return print "  skipped: there is no pdflatex (Debian: texlive-latex-base)" end
  shell.run "cp g/*.pdf ."
  local made = compile("doc", document(wide, table.concat(body, "\n")))
  if made.code ~= 0 then error(made.out:match "\n(!.-\n.-\n)" or made.out:sub(-400)) end
  equal(made.out:match "(%d+) pages", tostring(n))
end)

test("a figure needs no package but graphicx", function()
  equal(knock([["$K" -e 'require "knock".plot { y = { 1, 2 }, ylabel = "v [m/s]" }:save "plain.tex"']]).code, 0)
  if not there then return print "  skipped: there is no pdflatex (Debian: texlive-latex-base)" end
  local made = compile("doc3", "\\documentclass{article}\n\\usepackage{graphicx}\n\\begin{document}\n\\input{plain.tex}\n\\end{document}\n")
  if made.code ~= 0 then error(made.out:match "\n(!.-\n.-\n)" or made.out:sub(-400)) end
end)

test("text of all kinds becomes ASCII that LaTeX takes", function()
  shell.write("words.lua", [[
    local k = require "knock"
    local f = k.plot { x = { 1e-6, 2e-6 }, y = { 1e-5, 3e-5 }, xlabel = "µ of 10⁻⁵ m² s [N s]", ylabel = "größe “a” – b… ½ ° x₁₂ [kg m^2/s^2]", title = "50 % of #1 & {x}_2 ^~ \\\\ é ß ≤ √2" }
    f:save "words.tex"]])
  equal(knock '"$K" words.lua'.err, "")
  local text = shell.read(shell.folder .. "/words.tex")
  equal(text:match "[\128-\255]+", nil)
  assert(text:find("$10^{-5}$", 1, true), "one exponent with its base")
  if there then equal(compile("w", document("{article}", "\\input{words}")).code, 0) end
end)

-- the classes' own widths, in TeX's points; a bp of PDF is 1.00375 of them, and gnuplot rounds to whole bp
test("figures are as wide as the columns of IEEEtran and elsarticle, and not wider", function()
  for style, width in pairs { ieee1 = 252, ieee2 = 516, elsevier1 = 252, elsevier2 = 522 } do
    knock(("\"$K\" -e 'require [[knock]].plot{ y = {1, 2}, style = [[%s]] }:save([[%s.tex]], [[%s.pdf]])'"):format(style, style, style))
    local bp = tonumber(shell.read(shell.folder .. "/" .. style .. ".tex"):match "includegraphics%[width={([%d.]+)bp}")
    near(bp * 72.27 / 72, width, 0.5)
    equal(bp * 72.27 / 72 <= width, true)
    equal(shell.read(shell.folder .. "/" .. style .. ".pdf"):match "/MediaBox %[ 0 0 ([%d.]+)", ("%g"):format(bp))
  end
end)

-- Measured by LaTeX from the class files themselves (Debian: texlive-publishers, which the set-up does not install: 20 MB
-- for two numbers). Times is set in Computer Modern where it is missing; widths do not depend on it. Last done on
-- 2026-11-17 with texlive-publishers 2022.20230122: IEEEtran (journal, conference) 252 and 516 pt, elsarticle (5p) 252
-- and 522 pt.
test("the widths are those of the class files", function()
  local function class(name)
    local path = there and shell.run("kpsewhich " .. name .. ".cls").out:match "[^\n]+"
    return path and shell.read(path)
  end
  for name, case in pairs { IEEEtran = { "journal", 252, 516 }, elsarticle = { "5p,twocolumn", 252, 522 } } do
    local text = class(name)
    if not text then return print "  skipped: there is no IEEEtran.cls or elsarticle.cls (Debian: texlive-publishers)" end
    shell.write(name .. ".cls", (text:gsub("{ptm}", "{cmr}"):gsub("{phv}", "{cmss}"):gsub("{pcr}", "{cmtt}")))
    local made = compile("wide", ("\\documentclass[%s]{%s}\\begin{document}\\typeout{WIDE \\the\\columnwidth, \\the\\textwidth.}x\\end{document}"):format(case[1], name))
    equal(made.out:match "WIDE ([%d.]+)pt, *[%d.]+pt", ("%.1f"):format(case[2]))
    equal(made.out:match "WIDE [%d.]+pt, *([%d.]+)pt", ("%.1f"):format(case[3]))
  end
end)

test("lines are as thick as in the PDF, text is as large as the layout takes it to be", function()
  knock [["$K" -e 'require "knock".plot{ y = {1, 2} }:save("same.tex", "same.pdf", { keep = true })']]
  assert(shell.read(shell.folder .. "/same.tex"):find("\\fontsize{8}{9.6}\\selectfont", 1, true))
  local function widths(name)
    local out = {}
    for w in shell.run(([[perl -MCompress::Zlib -0777 -ne 'while (/stream\r?\n(.*?)endstream/sg) { my $t = uncompress($1); next unless defined $t; print "$1\n" while $t =~ /([\d.]+) w\b/g }' %s]]):format(name)).out:gmatch "[^\n]+" do out[#out + 1] = w end
    return table.concat(out, " ")
  end
  local pdf = widths "same.pdf"
  assert(#pdf > 3, "no lines found")
  equal(widths "same-inc.pdf", pdf)
end)

shell.finish()
