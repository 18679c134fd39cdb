-- The world that a script sees, as Redis 7.0 furnishes it.
--
-- Stock Lua cannot make a table read-only, as Redis's own Lua can. So a script sees an empty table in front of each library:
-- reading falls through to the library, writing is refused.
local host = ...
local error, getmetatable, setmetatable, type, tostring = error, getmetatable, setmetatable, type, tostring
local raw_pcall, raw_xpcall, raw_loadstring = pcall, xpcall, loadstring
local setfenv, string_sub = setfenv, string.sub
local READ_ONLY = "Attempt to modify a readonly table"

local function protect(contents, missing)
  return setmetatable({}, {
    __index = missing and setmetatable(contents, { __index = missing }) or contents,
    __newindex = function() error(READ_ONLY, 2) end,
    __metatable = false,
  })
end

local library = {
  _VERSION = _VERSION, assert = assert, error = error, gcinfo = function() return 0, 0 end, ipairs = ipairs, next = next,
  pairs = pairs, rawequal = rawequal, rawget = rawget, select = select, tonumber = tonumber, tostring = tostring, type = type,
  unpack = unpack,
}
local globals = protect(library, function(_, name)
  error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
end)
library._G = globals

-- How much memory is in use differs from run to run, so a script is not told.
function library.collectgarbage() return 0 end

-- These refuse what is protected, and are the host's because a function of Lua leaves no trace when it is called in `return f()`.
library.rawset, library.setmetatable = host.rawset, host.setmetatable

-- Code loaded by a script is in the sandbox too, and is source, never bytecode.
local function sandboxed(chunk, ...)
  if chunk then return setfenv(chunk, globals) end
  return chunk, ...
end
function library.loadstring(text, name)
  if string_sub(text, 1, 1) == "\27" then return nil, "attempt to load a binary chunk" end
  return sandboxed(raw_loadstring(text, name or text))
end
function library.load(reader, name)
  local text = ""
  while true do
    local piece = reader()
    if piece == nil or piece == "" then break end
    text = text .. piece
  end
  return library.loadstring(text, name or "=(load)")
end

-- An error of ours is a userdata of the host; a script must see what Redis would have raised.
local function raised(err)
  if type(err) == "userdata" then return host.raised(err) end
  return err
end

-- pcall gives the text of an error, as before Redis 7. A script that is out of budget cannot catch that.
local function caught(ok, err, ...)
  if ok then return ok, err, ... end
  host.check_budget()
  err = raised(err)
  if type(err) == "table" and type(err.err) == "string" then err = err.err end
  return ok, err
end
function library.pcall(...) return caught(raw_pcall(...)) end

local function passed(ok, ...)
  if not ok then host.check_budget() end
  return ok, ...
end
function library.xpcall(f, handler)
  return passed(raw_xpcall(f, function(err) return handler(raised(err)) end))
end

local function copy(from, to)
  for name, value in pairs(from) do to[name] = value end
  return to
end
library.string = protect(copy(string, {}))
library.table = protect(copy(table, {}))
getmetatable("").__index = copy(string, {})
getmetatable("").__metatable = protect({ __index = library.string })

local coroutines = copy(coroutine, {})
function coroutines.resume(...) return caught(coroutine.resume(...)) end
library.coroutine = protect(coroutines)

-- The same numbers in every run.
local maths, floor = copy(math, {}), math.floor
function maths.random(...)
  local count, low, high = select("#", ...), ...
  local drawn = host.draw()
  if count == 0 then return drawn end
  if count == 1 then low, high = 1, low end
  if count > 2 then error("wrong number of arguments", 2) end
  low, high = floor(low), floor(high)
  if low > high then error("bad argument #" .. count .. " to 'random' (interval is empty)", 2) end
  return floor(drawn * (high - low + 1)) + low
end
function maths.randomseed(seed) host.seed(seed) end
library.math = protect(maths)

local redis = {
  call = host.call, pcall = host.pcall, sha1hex = host.sha1hex, error_reply = host.error_reply, status_reply = host.status_reply,
  log = host.log, setresp = host.setresp, LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3,
  REPL_NONE = 0, REPL_AOF = 1, REPL_SLAVE = 2, REPL_REPLICA = 2, REPL_ALL = 3, REDIS_VERSION = "7.0.15", REDIS_VERSION_NUM = 0x7000f,
}
-- Scripts replicate by their effects, and there is no replica.
function redis.replicate_commands() return true end
function redis.set_repl() end
library.redis = protect(redis)

-- Where an error was raised: the innermost line of a script, past C functions and this file.
local function on_error(err)
  err = raised(err)
  if type(err) ~= "table" then err = { err = "ERR " .. tostring(err) } end
  host.locate(err)
  return err
end

local function run(script, keys, argv)
  library.KEYS, library.ARGV = keys, argv
  return raw_xpcall(script, on_error)
end

return globals, run
