-- k.read "x.csv": a table back from its file (.csv or .jsonl).

require "knock.table"
return require("knock.core").records.read_table
