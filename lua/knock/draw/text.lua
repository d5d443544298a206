-- Text of figures. A string is shown literally; text.math "..." has markup:
--
--   text.math "$v_n$ at $\\mu = 0.3$"
--
-- Between dollars: letters are italic, _ and ^ take the next character or {...} (upright), \mu and
-- the other Greek names, \dot x, \cdot, \times, \pm, \Delta ... Elsewhere text is as it stands.
-- What comes out is made of escaped characters and words of this file only, for gnuplot as for LaTeX.

local host = require "knock.host"

local text = {}

local symbols = {
  alpha = "α", beta = "β", gamma = "γ", delta = "δ", epsilon = "ε", zeta = "ζ", eta = "η",
  theta = "θ", kappa = "κ", lambda = "λ", mu = "μ", nu = "ν", xi = "ξ", pi = "π", rho = "ρ",
  sigma = "σ", tau = "τ", phi = "φ", chi = "χ", psi = "ψ", omega = "ω", Delta = "Δ", Gamma = "Γ",
  Theta = "Θ", Lambda = "Λ", Phi = "Φ", Psi = "Ψ", Omega = "Ω", Sigma = "Σ", cdot = "·",
  times = "×", pm = "±", le = "≤", ge = "≥", infty = "∞", perp = "⊥", circ = "°", to = "→",
  approx = "≈", degree = "°",
}
local names = {} -- "μ" -> "\\mu"
for name, sign in pairs(symbols) do
  if not names[sign] or name < names[sign] then names[sign] = name end
end
names["−"] = false -- handled by itself

local Math = {}
Math.__index = Math

function text.math(markup)
  if type(markup) ~= "string" then host.fail("figure.math: needs a text with $markup$, got " .. host.got(markup)) end
  return setmetatable({ markup = markup }, Math)
end

-- "v [m/s]": the same text followed by more literal text
function Math.__concat(a, b)
  local function markup(x)
    return getmetatable(x) == Math and x.markup or (tostring(x):gsub("[%$\\]", "\\%0"))
  end
  return text.math(markup(a) .. markup(b))
end

function text.is_math(x) return getmetatable(x) == Math end

-- ---- reading markup: a list of runs {s =, italic =, level = -1 | 0 | 1, dot =} ----------------

local function utf8_at(s, i) return s:match("^[%z\1-\127\194-\244][\128-\191]*", i) or s:sub(i, i) end

-- signs with room on both sides
local operator = { cdot = true, times = true, pm = true, le = true, ge = true, to = true, approx = true }

-- at a backslash: the sign it stands for, and the place after it; a space before a letter only ends the name ("\\mu v")
local function command(s, i)
  local name = s:match("^\\(%a+)", i)
  if not name then return utf8_at(s, i + 1), i + 1 + #utf8_at(s, i + 1) end
  local after = i + 1 + #name
  if s:find("^ [%a\\]", after) and not operator[name] then after = after + 1 end
  if name == "dot" or name == "ddot" then return name, after, true end
  return symbols[name] or name, after
end

local function math_runs(s, out)
  local i, level, upright, dot = 1, 0, false, nil
  local function put(c)
    local letter = c:match "^%a$" or (#c > 1 and names[c] and c:byte() >= 0xCE and c:byte() <= 0xCF)
    if c == "-" then c = "−" end
    out[#out + 1] = { s = c, italic = letter and not upright and level == 0 or false, level = level, dot = dot }
    dot = nil
  end
  local once = false -- a level for the next character only
  while i <= #s do
    local c = utf8_at(s, i)
    if (c == "_" or c == "^") and level == 0 then
      level, i = c == "_" and -1 or 1, i + 1
      once = s:sub(i, i) ~= "{"
      if not once then i = i + 1 end
    elseif c == "}" then level, i = 0, i + 1
    elseif c == "{" then i = i + 1
    else
      local accent
      if c == "\\" then c, i, accent = command(s, i) else i = i + #c end
      if accent then dot = c else
        put(c)
        if once then level, once = 0, false end
      end
    end
  end
end

local function runs(x)
  local out = {}
  if not text.is_math(x) then return { { s = tostring(x), level = 0 } } end
  local s, i = x.markup, 1
  while i <= #s do
    local c = s:sub(i, i)
    if c == "\\" then
      local sign, after = command(s, i)
      out[#out + 1] = { s = sign, level = 0 }
      i = after
    elseif c == "$" then
      local stop = s:find("$", i + 1, true) or #s + 1
      math_runs(s:sub(i + 1, stop - 1), out)
      i = stop + 1
    else
      local word = s:match("^[^\\$]+", i)
      out[#out + 1] = { s = word, level = 0 }
      i = i + #word
    end
  end
  return out
end

-- ---- writing it ----------------------------------------------------------------------------------

local dots = { dot = "\u{0307}", ddot = "\u{0308}" }

local function plain_run(r) return r.s .. (r.dot and dots[r.dot] or "") end

-- for terminals that know no markup, and for measuring
function text.plain(x)
  local out, level = {}, 0
  for _, r in ipairs(runs(x)) do
    if r.level ~= level and r.level ~= 0 then out[#out + 1] = r.level < 0 and "_" or "^" end
    level = r.level
    out[#out + 1] = plain_run(r)
  end
  return table.concat(out)
end

-- Fonts put a combining dot into the head of a tall letter: there the dot is a raised one of no width.
local function is_tall(c) return c:find "^[A-Zbdfhklt]$" ~= nil or c == "θ" or c == "β" or c == "δ" or c == "λ" or c == "φ" or c == "ψ" or c == "ξ" or c == "ζ" end
local over = { dot = "˙", ddot = "¨" }

-- the letter with its dot, in italics or not; SVG knows no text without width
local function dotted(r, mode)
  if not r.dot or mode == "svg" or not is_tall(r.s) then return nil end
  return ("@{/*1.15 ^{ %s}}%s"):format(over[r.dot], r.italic and mode ~= "gd" and "{/:Italic " .. r.s .. "}" or r.s)
end

-- gnuplot's enhanced text; every character with a meaning there is escaped
local function enhanced(x, mode)
  local out, level = {}, 0
  local italics = mode ~= "gd"
  for _, r in ipairs(runs(x)) do
    if r.level ~= level then
      if level ~= 0 then out[#out + 1] = "}" end
      if r.level ~= 0 then out[#out + 1] = r.level < 0 and "_{" or "^{" end
      level = r.level
    end
    local s = plain_run(r):gsub("[\\{}%^_@&~]", "\\%0")
    out[#out + 1] = dotted(r, mode) or r.italic and italics and "{/:Italic " .. s .. "}" or s
  end
  if level ~= 0 then out[#out + 1] = "}" end
  return table.concat(out)
end

local tex_specials = {
  ["\\"] = "\\textbackslash{}", ["{"] = "\\{", ["}"] = "\\}", ["$"] = "\\$", ["&"] = "\\&",
  ["%"] = "\\%", ["#"] = "\\#", ["_"] = "\\_", ["^"] = "\\textasciicircum{}", ["~"] = "\\textasciitilde{}",
  ["−"] = "$-$", ["<"] = "$<$", [">"] = "$>$", ["|"] = "$|$",
}

-- LaTeX gets ASCII: what pdflatex has no letter for stops it
local tex_signs = {
  ["\u{2009}"] = "\\,", ["\u{a0}"] = "~", ["\u{202f}"] = "\\,", ["µ"] = "$\\mu$", ["°"] = "$^\\circ$", ["’"] = "'", ["‘"] = "`", ["“"] = "\\textquotedblleft{}", ["”"] = "\\textquotedblright{}",
  ["–"] = "--", ["—"] = "---", ["…"] = "\\ldots{}", ["′"] = "$'$", ["½"] = "$1/2$", ["ß"] = "\\ss{}", ["æ"] = "\\ae{}", ["ø"] = "\\o{}", ["å"] = "\\aa{}",
  ["Ø"] = "\\O{}", ["Å"] = "\\AA{}", ["Æ"] = "\\AE{}", ["ł"] = "\\l{}", ["Ł"] = "\\L{}", ["§"] = "\\S{}", ["ı"] = "\\i{}", ["√"] = "$\\surd$", ["∑"] = "$\\sum$",
  ["∫"] = "$\\int$", ["∂"] = "$\\partial$", ["≠"] = "$\\ne$", ["∥"] = "$\\parallel$", ["←"] = "$\\leftarrow$", ["•"] = "$\\bullet$", ["∝"] = "$\\propto$",
}
for mark, letters in pairs { ['\\"'] = "äa ëe ïi öo üu ÄA ËE ÏI ÖO ÜU ÿy", ["\\'"] = "áa ée íi óo úu ýy ÁA ÉE ÍI ÓO ÚU ÝY ćc ńn śs źz", ["\\`"] = "àa èe ìi òo ùu ÀA ÈE ÌI ÒO ÙU",
  ["\\^"] = "âa êe îi ôo ûu ÂA ÊE ÎI ÔO ÛU", ["\\~"] = "ãa ñn õo ÃA ÑN ÕO", ["\\c "] = "çc ÇC şs ŞS", ["\\v "] = "čc šs žz ěe řr ČC ŠS ŽZ" } do
  for letter, plain in letters:gmatch "([\194-\244][\128-\191]*)(%a)" do tex_signs[letter] = ("%s{%s}"):format(mark, plain) end
end

local raised = { ["⁰"] = "0", ["¹"] = "1", ["²"] = "2", ["³"] = "3", ["⁴"] = "4", ["⁵"] = "5", ["⁶"] = "6", ["⁷"] = "7", ["⁸"] = "8", ["⁹"] = "9", ["⁻"] = "-", ["⁺"] = "+" }
local lowered = { ["₀"] = "0", ["₁"] = "1", ["₂"] = "2", ["₃"] = "3", ["₄"] = "4", ["₅"] = "5", ["₆"] = "6", ["₇"] = "7", ["₈"] = "8", ["₉"] = "9", ["₋"] = "-" }

local function tex_char(c)
  if raised[c] then return ("$^{%s}$"):format(raised[c]) end
  if lowered[c] then return ("$_{%s}$"):format(lowered[c]) end
  return tex_specials[c] or tex_signs[c] or names[c] and "$\\" .. names[c] .. "$" or c
end

local function tex_literal(s)
  s = s:gsub("[%z\1-\31\127]", " "):gsub("[%z\1-\127\194-\244][\128-\191]*", tex_char)
  s = s:gsub("%}%$%$%^%{", ""):gsub("%}%$%$_%{", "") -- "10⁻⁵" has one exponent
  return (s:gsub("(%d+)%$%^%{", "$%1^{")) -- and its base goes with it
end

local function tex_run(r)
  local s = tex_literal(r.s)
  if r.italic and r.s:match "^%a$" then s = "$" .. r.s .. "$" end
  if r.dot then s = "$\\" .. r.dot .. "{" .. s:gsub("%$", "") .. "}$" end
  return s
end

local function latex(x)
  local out, level = {}, 0
  for _, r in ipairs(runs(x)) do
    if r.level ~= level then
      if level ~= 0 then out[#out + 1] = "}}$" end
      if r.level ~= 0 then out[#out + 1] = r.level < 0 and "$_{\\mathrm{" or "$^{\\mathrm{" end
      level = r.level
    end
    local s = tex_run(r)
    out[#out + 1] = level ~= 0 and s:gsub("%$", "") or s
  end
  if level ~= 0 then out[#out + 1] = "}}$" end
  return table.concat(out)
end

-- The text as a gnuplot string and the word that goes with it. mode: "cairo", "svg", "gd", "dumb", "tex".
function text.gnuplot(x, mode, quote)
  if mode == "tex" then return quote(latex(x)), "" end
  if mode == "dumb" or not text.is_math(x) then return quote(text.plain(x)), "noenhanced" end
  return quote(enhanced(x, mode)), "enhanced"
end

-- ---- measuring -----------------------------------------------------------------------------------

-- widths of a wide sans serif (DejaVu), in hundredths of the font size
local widths = { ["−"] = 84, [" "] = 32, ["\u{2009}"] = 20, ["·"] = 32 }
for set, w in pairs { ["il.,:;'|!I"] = 32, ["jftr()[]/\\"] = 40, ["mwMW@%"] = 97, ["0123456789"] = 64, ["-"] = 36 } do
  for c in set:gmatch "." do widths[c] = w end
end

-- width in units of the font size
function text.width(x)
  local sum = 0
  for _, r in ipairs(runs(x)) do
    local scale = r.level == 0 and 0.01 or 0.008
    for c in r.s:gmatch "[%z\1-\127\194-\244][\128-\191]*" do
      sum = sum + (widths[c] or c:match "%u" and 70 or 62) * scale
    end
  end
  return sum
end

--- "leg (rad)", for keys of curves whose units differ.
function text.with_unit(label, unit)
  if not unit or unit == "" or unit == "1" then return label end
  return text.is_math(label) and text.math(("%s (%s)"):format(label.markup, unit)) or ("%s (%s)"):format(label, unit)
end

-- The text in lines no wider than `room` font sizes, broken at spaces; what stands between dollars keeps together.
function text.wrap(x, room)
  if text.width(x) <= room then return { x } end
  local marked = text.is_math(x)
  local function made(s) return marked and text.math(s) or s end
  local lines, line, inside = {}, nil, false
  for word in (marked and x.markup or tostring(x)):gmatch "[^ ]+" do
    local longer = line and line .. " " .. word or word
    if line and not inside and text.width(made(longer)) > room then lines[#lines + 1], line = made(line), word else line = longer end
    if marked and select(2, word:gsub("\\.", ""):gsub("%$", "")) % 2 == 1 then inside = not inside end
  end
  lines[#lines + 1] = line and made(line)
  return lines
end

return text
