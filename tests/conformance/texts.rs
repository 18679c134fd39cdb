//! Sequences that a random walk seldom finds; each line is a command of a connection.

use crate::pair::Pair;
use crate::server::Server;
use crate::step::Step;

/// A blank line parts two sequences; `!s1` lets a key expire; `|` parts words where there is one, else spaces do.
const SEQUENCES: &str = r#"
0 WATCH s1
1 SET s1 other
0 MULTI
0 SET s1 mine
0 EXEC
0 GET s1

0 WATCH s1
0 SET s1 own
0 MULTI
0 GET s1
0 EXEC

0 SET s1 v
0 WATCH s1
!s1
0 MULTI
0 GET s1
0 EXEC
0 MULTI
0 GET s1
0 EXEC

0 SET s1 v
!s1
0 WATCH s1
1 GET s1
0 MULTI
0 PING
0 EXEC

0 SET s1 v
!s1
0 WATCH s1
1 FLUSHALL
0 MULTI
0 PING
0 EXEC

0 SET s1 v
!s1
0 WATCH s1
1 SET s1 new
0 MULTI
0 PING
0 EXEC

0 WATCH s1
1 FLUSHALL
0 MULTI
0 PING
0 EXEC

0 SET s1 v
0 WATCH s1
1 FLUSHALL
0 MULTI
0 PING
0 EXEC

0 WATCH s1
1 SET s1 v
0 UNWATCH
0 MULTI
0 PING
0 EXEC

0 WATCH s1
0 MULTI
0 DISCARD
1 SET s1 v
0 MULTI
0 PING
0 EXEC

0 WATCH h1
1 HDEL h1 f
1 SREM h1 f
1 EXPIRE h1 100
1 PERSIST h1
0 MULTI
0 PING
0 EXEC

0 HSET h1 f v
0 WATCH h1
1 HSET h1 f v
0 MULTI
0 PING
0 EXEC

0 SADD set1 a
0 WATCH set1
1 SADD set1 a
0 MULTI
0 PING
0 EXEC

0 MULTI
0 SET s1 v
0 NOSUCH
0 SET s2 v
0 EXEC
0 EXISTS s1 s2

0 MULTI
0 SET s1 v
0 INCR s1
0 GETEX
0 EXEC

0 MULTI
0 SET s1 v
0 INCR s1
0 GET s1
0 EXEC

0 MULTI
0 MULTI
0 WATCH s1
0 SET s1 v
0 EXEC

0 MULTI
0 EVAL|return redis.call('set', 's1', 'from a script')|0
0 GET s1
0 EXEC

0 WATCH s1
1 EVAL|redis.call('set', 's1', 'v')|0
0 MULTI
0 PING
0 EXEC

0 EVAL|return redis.call('get', KEYS[1])|1|s1
0 SCRIPT FLUSH
0 EVALSHA 4e6d8fc8bb01276962cce5371fa795a7763657ae 1 s1
0 SCRIPT|LOAD|return redis.call('get', KEYS[1])
0 EVALSHA 4e6d8fc8bb01276962cce5371fa795a7763657ae 1 s1

0 SET s1 v PXAT 1
0 DBSIZE
0 SET s1 v NX
0 GET s1

0 SET s1 v PXAT 1
0 SET s1 v XX
0 SET s2 v EX 100
0 SET s2 w KEEPTTL
0 TTL s2
0 SET s2 x
0 TTL s2
0 GETSET s2 y
0 APPEND s2 z
0 GET s2

0 ZADD z1 0 a -inf b inf c
0 ZINTERSTORE z2 2 z1 z1 WEIGHTS 1 0 AGGREGATE MAX
0 ZRANGE z2 0 -1 WITHSCORES
0 ZINTERSTORE z2 2 z1 z1 WEIGHTS 1 0 AGGREGATE MIN
0 ZRANGE z2 0 -1 WITHSCORES
0 ZINTERSTORE z2 2 z1 z1 WEIGHTS 1 0
0 ZRANGE z2 0 -1 WITHSCORES
0 ZINTERSTORE z2 2 z1 z1 WEIGHTS 0 1 AGGREGATE MAX
0 ZRANGE z2 0 -1 WITHSCORES

0 ZADD z1 1 a 2 b 3 c
0 ZADD z2 10 b 20 c 30 d
0 ZINTERSTORE z1 2 z1 z2 WEIGHTS 1 2
0 ZRANGE z1 0 -1 WITHSCORES
0 ZREMRANGEBYSCORE z1 -inf +inf
0 EXISTS z1

0 EVAL|redis.call('set', 's1', '1')|0
0 EVAL|redis.call('incr', 's1') error('after the write')|0
0 GET s1
0 EVAL|return {1, 2, {3, 'four', false, true}, nil, 5}|0
0 EVAL|return pcall(function() redis.call('incr', 'nokey', 'x') end)|0
0 EVAL|local t = {} for i = 1, 3 do t[i] = redis.call('incr', 's1') end return t|0
0 EVAL|local function f() error('deep') end\nlocal ok, e = pcall(f)\nreturn e|0
0 EVAL|return redis.call('hset', KEYS[1], 'f', 1.5)|1|h1
0 EVAL|return redis.call('hgetall', KEYS[1])|1|h1
0 EVAL|KEYS[1] = 'changed' return {KEYS[1], #KEYS, #ARGV}|1|k|a|b
0 EVAL|return coroutine.wrap(function() return redis.call('get', 's1') end)()|0
0 EVAL|#!lua flags=nonsense\nreturn 1|0
0 EVAL|#!python\nreturn 1|0
0 EVAL|#!lua\nreturn nope|0

0 FLUSHALL x
0 PING a b
0 CLIENT SETNAME me
0 CLIENT GETNAME
0 CLIENT|SETNAME|two words
0 GETEX
0 EVAL
0 EVAL x
0 SCRIPT EXISTS
0 NOSUCH|with 'quotes'|and more
"#;

#[test]
fn sequences_that_a_random_walk_seldom_finds() {
    let Some(server) = Server::start() else { return };
    for sequence in SEQUENCES.split("\n\n") {
        let steps: Vec<Step> = sequence.lines().filter(|line| !line.is_empty()).map(step).collect();
        Pair::new(&server).run(&steps).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

fn step(line: &str) -> Step {
    if let Some(key) = line.strip_prefix('!') {
        return Step::LetExpire(key.into());
    }
    let (connection, command) = line.split_once(' ').expect("a connection and a command");
    let between = if command.contains('|') { '|' } else { ' ' };
    let args = command.split(between).map(|word| word.replace("\\n", "\n").into_bytes()).collect();
    Step::Command { connection: connection.parse().expect("0 or 1"), args }
}
