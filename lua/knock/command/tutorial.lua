-- knock tutorial: from dropping a ball to a sweep and a figure.

return function() print(require "knock.tutorial".text()) end
