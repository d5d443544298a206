-- knock help

return function() require "knock.host".usage() end
