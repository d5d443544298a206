--- k.read(path) -> table
--- A table back from its file: .csv, .jsonl or .h5 by the ending.

require "knock.table"
return require("knock.core").records.read_data
