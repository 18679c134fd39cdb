//! Scripts: those that locks send, those that call any command, and those that return any value.

use crate::commands::command;
use proptest::prelude::*;

/// Scripts of locks and semaphores, over one key and a counter.
const LOCKS: &[&str] = &[
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end",
    "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('incr', KEYS[2]) end return false",
    "if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
       redis.call('hincrby', KEYS[1], ARGV[1], 1)
       redis.call('pexpire', KEYS[1], ARGV[2])
       return nil
     end
     return redis.call('pttl', KEYS[1])",
    "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
     local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)
     if left > 0 then redis.call('pexpire', KEYS[1], ARGV[2]) return 0 end
     redis.call('del', KEYS[1])
     redis.call('publish', KEYS[2], '0')
     return 1",
    "redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[2])
     if redis.call('zcard', KEYS[1]) < 2 then redis.call('zadd', KEYS[1], ARGV[2] + 1, ARGV[1]) return 1 end
     return 0",
    "local last = tonumber(redis.call('get', KEYS[2]) or '0')
     if tonumber(ARGV[2]) < last then return {err = 'FENCED by ' .. last} end
     redis.call('set', KEYS[2], ARGV[2]) redis.call('set', KEYS[1], ARGV[1])
     return {ok = 'WRITTEN'}",
    "local t = redis.call('time') return #t",
];

/// Scripts that call whatever they are given.
const CALLERS: &[&str] = &[
    "return redis.call(unpack(ARGV))",
    "return redis.pcall(unpack(ARGV))",
    "local reply = redis.call(unpack(ARGV)) return {reply, 2}",
    "local reply = redis.call(unpack(ARGV)) return type(reply)",
    "local reply = redis.pcall(unpack(ARGV)) if type(reply) == 'table' and reply.err then return {'failed', reply.err} end return reply",
    "local ok, reply = pcall(redis.call, unpack(ARGV)) return {tostring(ok), reply}",
    "redis.call('set', 's1', 'before')\nreturn redis.call(unpack(ARGV))",
    "#!lua flags=no-writes\nreturn redis.call(unpack(ARGV))",
];

/// Any script, by its text or by its digest.
pub fn script() -> BoxedStrategy<Vec<Vec<u8>>> {
    let words = |words: &'static [&'static str]| prop::sample::select(words).prop_map(|word| word.as_bytes().to_vec());
    let lock =
        (prop::sample::select(LOCKS), words(&["s1", "h1", "z1"]), words(&["owner-1", "owner-2"]), words(&["100000", "0", "x"]))
            .prop_map(|(body, key, owner, number)| (body.to_string(), vec![b"2".to_vec(), key, b"s2".to_vec(), owner, number]));
    let caller = (prop::sample::select(CALLERS), inner_command()).prop_map(|(body, mut args)| {
        args.insert(0, b"0".to_vec());
        (body.to_string(), args)
    });
    let values = value().prop_map(|value| (format!("return {value}"), vec![b"0".to_vec()]));
    let wrong = (value(), words(&["-1", "1", "x", ""])).prop_map(|(value, keys)| (format!("return {value}"), vec![keys]));
    let any = prop_oneof![4 => lock, 6 => caller, 3 => values, 1 => wrong];
    (any, 0..10u8).prop_map(|((body, args), how)| sent(body, args, how)).boxed()
}

/// Whether a command runs, by its text or its digest, a script of a lock that tells how long a key has left.
pub fn tells_time_left(command: &[Vec<u8>]) -> bool {
    let is_script = |body: &&str| {
        let digest = sha1_smol::Sha1::from(body).digest().to_string();
        command.get(1).is_some_and(|arg| arg == body.as_bytes() || arg.eq_ignore_ascii_case(digest.as_bytes()))
    };
    LOCKS.iter().filter(|body| body.contains("'pttl'")).any(is_script)
}

fn sent(body: String, args: Vec<Vec<u8>>, how: u8) -> Vec<Vec<u8>> {
    let digest = sha1_smol::Sha1::from(&body).digest().to_string();
    let (mut command, with_args) = match how {
        0 => (vec!["SCRIPT".into(), "LOAD".into(), body], false),
        1 => (vec!["SCRIPT".into(), "EXISTS".into(), digest.clone(), digest.to_uppercase()], false),
        2 | 3 => (vec!["EVALSHA".into(), digest], true),
        4 => (vec!["evalsha".into(), digest.to_uppercase()], true),
        _ => (vec!["EVAL".into(), body], true),
    };
    let mut args = if with_args { args } else { Vec::new() };
    let mut all: Vec<Vec<u8>> = command.drain(..).map(String::into_bytes).collect();
    all.append(&mut args);
    all
}

/// A command that a script may try. What a server says of itself is another's.
fn inner_command() -> impl Strategy<Value = Vec<Vec<u8>>> {
    command().prop_filter("introspection", |args| {
        !["INFO", "COMMAND"].iter().any(|name| args[0].eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// A Lua expression, as deep as replies go.
fn value() -> BoxedStrategy<String> {
    let leaf = prop::sample::select(
        &[
            "nil",
            "true",
            "false",
            "0",
            "1",
            "-1",
            "3.99",
            "-3.99",
            "1e15",
            "2^53",
            "1e30",
            "'text'",
            "''",
            "{}",
            "{ok = 'FINE'}",
            "{err = 'MY error'}",
            "{err = 'bare'}",
            "{err = 5}",
            "{ok = 5}",
            "{double = 3.7}",
            "redis.status_reply('YES')",
            "redis.error_reply('OH no')",
            "redis.error_reply('oh')",
            "redis.error_reply('-CODE oh')",
            "redis.error_reply('-bare')",
            "redis.error_reply('')",
            "redis.error_reply(1)",
            "redis.status_reply()",
            "redis.sha1hex('x')",
            "redis.sha1hex()",
            "KEYS",
            "ARGV",
            "redis.call('get', 'nokey')",
            "redis.call('ping')",
            "redis.pcall('incr', 'h1')",
            "redis.pcall('nosuch')",
            "redis.call()",
            "redis.call('set', 's1', 3.7)",
            "redis.call('set', 's1', 1e20)",
            "redis.call('set', 's1', {})",
            "missing",
            "missing.field",
            "error('oh')",
            "error('oh', 0)",
            "error({err = 'OH no'})",
            "error()",
            "pcall(error, 'oh')",
            "tostring(nil)",
            "#'abc'",
            "1 / 0",
            "type(math.random())",
            "math.random(1)",
            "math.random(7, 7)",
            "tostring(1e15)",
            "tonumber('0x10')",
            "function() end",
            "redis.log(redis.LOG_NOTICE, 'x')",
            "redis.log('x')",
            "redis.LOG_WARNING",
            "string.format('%d', 3)",
            "('x'):rep(3)",
            "('x'):nope()",
            "select('#', 1, 2)",
            "setmetatable({}, nil)",
            "rawset(_G, 'x', 1)",
            "loadstring('return 7')()",
            "assert(false)",
            "if",
            "1 2",
            "redis.call('eval', 'return 1', 0)",
            "redis.call('multi')",
            "(function() local a = nil; return a.b end)()",
            "(function() x = 1 end)()",
            "(function() redis.foo = 1 end)()",
            "(function() string.foo = 1 end)()",
        ][..],
    );
    let leaf = leaf.prop_map(str::to_string);
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop::collection::vec(inner, 0..4).prop_map(|items| format!("{{{}}}", items.join(", ")))
    })
    .boxed()
}
