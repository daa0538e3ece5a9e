-- Asks for the front page of one site after the other, in an order that is read from a file.
-- Arguments: a file of hosts, a file of line numbers of it, and at which of these to begin.
local requests, draws, at = {}, {}, 0
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  for host in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", "/", { Host = host })
  end
  for draw in io.lines(args[2]) do
    draws[#draws + 1] = tonumber(draw)
  end
  at = tonumber(args[3]) + number * math.floor(#draws / 2)
end

function request()
  at = at % #draws + 1
  return requests[draws[at]]
end
