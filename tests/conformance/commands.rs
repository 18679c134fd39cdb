//! Every command that locks use, right and wrong.

use proptest::prelude::*;

/// The shapes of commands. `<s>` is a key that mostly holds a string, `<h>` a hash, `<e>` a set, `<z>` a sorted set; `<v>` a value,
/// `<f>` a field or member, `<n>` an integer or something like it, `<w>` a score, `<b>` a bound of scores, `<i>` a rank; `<px>` and `<ex>`
/// a time to live, `<pxat>` and `<exat>` a point in time, far from now in both directions.
#[rustfmt::skip]
const SHAPES: &[&str] = &[
    "GET <s>", "SET <s> <v>", "SET <s> <v> NX", "SET <s> <v> XX", "SET <s> <v> GET", "SET <s> <v> NX GET", "SET <s> <v> XX GET",
    "SET <s> <v> NX PX <px>", "SET <s> <v> EX <ex> NX", "SET <s> <v> PXAT <pxat>", "SET <s> <v> EXAT <exat> XX", "SET <s> <v> KEEPTTL",
    "SET <s> <v> GET PX <px> XX", "SET <s> <v> KEEPTTL EX <ex>", "SET <s> <v> EX <ex> EX <ex>", "SET <s> <v> PX", "SET <s> <v> NX XX",
    "SETNX <s> <v>", "SETEX <s> <ex> <v>", "PSETEX <s> <px> <v>", "GETSET <s> <v>", "GETDEL <s>",
    "GETEX <s>", "GETEX <s> PERSIST", "GETEX <s> EX <ex>", "GETEX <s> PX <px>", "GETEX <s> PXAT <pxat>", "GETEX <s> EXAT <exat>",
    "GETEX <s> PERSIST EX <ex>", "GETEX <s> EX <ex> PERSIST", "GETEX <s> EX", "GETEX <s> PX <px> PX <px>", "GETEX <s> PX <px> EX <ex>",
    "DEL <s>", "DEL <s> <h> <s>", "UNLINK <z> <e>", "EXISTS <s>", "EXISTS <s> <s> <h>", "TYPE <s>", "TYPE <h>", "TYPE <e>", "TYPE <z>",
    "EXPIRE <s> <ex>", "PEXPIRE <s> <px>", "EXPIREAT <s> <exat>", "PEXPIREAT <s> <pxat>", "EXPIRE <h> <ex> NX", "PEXPIRE <s> <px> XX",
    "EXPIREAT <s> <exat> GT", "PEXPIREAT <s> <pxat> LT", "PEXPIREAT <h> <pxat> GT", "EXPIREAT <z> <exat> LT", "PEXPIREAT <s> <pxat> NX",
    "EXPIRE <s> <ex> NX XX", "EXPIRE <s> <ex> NX GT", "EXPIREAT <s> <exat> GT LT", "EXPIREAT <s> <exat> XX GT", "EXPIRE <s> <ex> WHAT",
    "TTL <s>", "PTTL <s>", "EXPIRETIME <s>", "PEXPIRETIME <s>", "TTL <h>", "PTTL <z>", "PERSIST <s>", "PERSIST <h>",
    "INCR <s>", "INCRBY <s> <n>", "DECR <s>", "DECRBY <s> <n>", "APPEND <s> <v>", "STRLEN <s>", "MGET <s> <s> <h>", "MSET <s> <v> <s> <v>",
    "MSET <s> <v> <s>",
    "HSET <h> <f> <v>", "HSET <h> <f> <v> <f> <v>", "HSET <h> <f> <v> <f>", "HGET <h> <f>", "HDEL <h> <f>", "HDEL <h> <f> <f> <f>",
    "HEXISTS <h> <f>", "HINCRBY <h> <f> <n>", "HGETALL <h>", "HLEN <h>", "HSETNX <h> <f> <v>", "HMGET <h> <f> <f>", "HKEYS <h>", "HVALS <h>",
    "SADD <e> <f>", "SADD <e> <f> <f> <f>", "SREM <e> <f>", "SREM <e> <f> <f> <f>", "SISMEMBER <e> <f>", "SMEMBERS <e>", "SCARD <e>",
    "ZADD <z> <w> <f>", "ZADD <z> <w> <f> <w> <f> <w> <f>", "ZADD <z> NX <w> <f>", "ZADD <z> XX <w> <f>", "ZADD <z> GT <w> <f>",
    "ZADD <z> LT CH <w> <f>", "ZADD <z> CH <w> <f> <w> <f>", "ZADD <z> INCR <w> <f>", "ZADD <z> XX INCR <w> <f>", "ZADD <z> NX INCR <w> <f>",
    "ZADD <z> GT INCR <w> <f>", "ZADD <z> NX XX <w> <f>", "ZADD <z> GT LT <w> <f>", "ZADD <z> NX GT <w> <f>", "ZADD <z> INCR <w> <f> <w> <f>",
    "ZADD <z> <w>", "ZADD <z> NX XX", "ZINCRBY <z> <w> <f>", "ZREM <z> <f>", "ZREM <z> <f> <f>", "ZSCORE <z> <f>", "ZRANK <z> <f>",
    "ZREVRANK <z> <f>", "ZCARD <z>", "ZCOUNT <z> <b> <b>", "ZRANGE <z> <i> <i>", "ZRANGE <z> <i> <i> WITHSCORES", "ZRANGE <z> <i> <i> REV",
    "ZRANGE <z> <b> <b> BYSCORE", "ZRANGE <z> <b> <b> BYSCORE REV WITHSCORES", "ZRANGE <z> <b> <b> BYSCORE LIMIT <i> <i>",
    "ZRANGE <z> <i> <i> LIMIT 0 1", "ZRANGEBYSCORE <z> <b> <b>", "ZRANGEBYSCORE <z> <b> <b> WITHSCORES LIMIT <i> <i>",
    "ZRANGEBYSCORE <z> <b> <b> REV", "ZREMRANGEBYSCORE <z> <b> <b>", "ZREMRANGEBYRANK <z> <i> <i>",
    "ZINTERSTORE <z> 2 <z> <z>", "ZINTERSTORE <z> 2 <z> <e>", "ZINTERSTORE <z> 2 <z> <z> WEIGHTS <w> <w>",
    "ZINTERSTORE <z> 2 <z> <z> AGGREGATE MIN", "ZINTERSTORE <z> 2 <z> <z> WEIGHTS 1 0 AGGREGATE MAX", "ZINTERSTORE <z> 1 <z>",
    "ZINTERSTORE <z> <n> <z> <z>", "ZINTERSTORE <z> 2 <z> <z> AGGREGATE WHAT", "ZINTERSTORE <z> 2 <z> <z> WEIGHTS 1",
    "PING", "PING <v>", "ECHO <v>", "SELECT 0", "SELECT <n>", "TIME", "DBSIZE", "KEYS *", "KEYS s[12]", "KEYS ?1", "PUBLISH <s> <v>",
    "FLUSHALL", "FLUSHDB ASYNC", "FLUSHDB WHAT", "ROLE", "ROLE x", "REPLICAOF NO ONE", "REPLICAOF x", "WAIT 0 0", "WAIT <i> 1", "WAIT x 0", "WAIT 0 -1", "WAIT 0 x",
    "CLIENT ID", "CLIENT SETNAME <f>", "CLIENT GETNAME", "CLIENT SETINFO LIB-NAME x", "CLIENT", "CLIENT NOPE",
    "HELLO", "HELLO 2", "HELLO 4", "HELLO x", "HELLO 2 SETNAME me", "INFO", "INFO server", "COMMAND", "CONFIG GET databases",
    "CONFIG GET maxmemory", "CONFIG GET sav?", "CONFIG GET", "CONFIG NOPE",
    "SCRIPT FLUSH", "SCRIPT FLUSH ASYNC", "SCRIPT FLUSH WHAT", "SCRIPT", "SCRIPT NOPE", "SCRIPT LOAD", "SCRIPT KILL", "SCRIPT EXISTS",
    "NOSUCH", "NOSUCH a b", "DELEX <s> IFEQ <v>", "DELIFEQ <s> <v>",
];

/// Any command, sometimes spoilt.
pub fn command() -> BoxedStrategy<Vec<Vec<u8>>> {
    let sound = prop::sample::select(SHAPES).prop_flat_map(filled);
    (sound, damage()).prop_map(|(args, damage)| damage.done_to(args)).boxed()
}

fn filled(shape: &'static str) -> BoxedStrategy<Vec<Vec<u8>>> {
    shape.split(' ').map(word).collect::<Vec<_>>().prop_map(|words| words.into_iter().map(String::into_bytes).collect()).boxed()
}

/// What a word of a shape stands for.
fn word(word: &'static str) -> BoxedStrategy<String> {
    match word {
        "<s>" => key(&["s1", "s2"]),
        "<h>" => key(&["h1"]),
        "<e>" => key(&["set1"]),
        "<z>" => key(&["z1", "z2"]),
        "<v>" => any_of(&[
            "",
            "v",
            "owner-1",
            "owner-2",
            "0",
            "1",
            "10",
            "-7",
            "9223372036854775807",
            "-9223372036854775808",
            "3.5",
            "a b\n",
        ]),
        "<f>" => any_of(&["a", "b", "c", "1", "2", "10", "owner-1"]),
        "<n>" => {
            any_of(&["1", "2", "-1", "0", "10", "9223372036854775807", "-9223372036854775808", "1.5", "x", "", "01", "+1", " 1"])
        }
        "<w>" => any_of(&[
            "0",
            "1",
            "2",
            "2",
            "-1",
            "1.5",
            "3.7",
            "0.1",
            "1e20",
            "inf",
            "-inf",
            "nan",
            "x",
            "",
            "1e400",
            "100000000000000000",
        ]),
        "<b>" => any_of(&["-inf", "+inf", "0", "1", "2", "(1", "(2", "1.5", "(inf", "x", "(", "nan", "-1"]),
        "<i>" => any_of(&["0", "1", "2", "-1", "-2", "-100", "100", "x"]),
        // Far from each other, so that the time that commands take changes no comparison.
        "<px>" => any_of(&["100000", "500000", "0", "-1", "x", "9223372036854775807", "1.5"]),
        "<ex>" => any_of(&["100", "500", "0", "-5", "x", "9223372036854775807", "9223372036854776"]),
        "<pxat>" => any_of(&[
            "4102444800000",
            "4102444800499",
            "4102444800500",
            "5000000000000",
            "1",
            "1000000000000",
            "0",
            "-1",
            "x",
            "9223372036854775807",
        ]),
        "<exat>" => any_of(&["4102444800", "5000000000", "1", "1000000000", "0", "-1", "x", "9223372036854775807"]),
        literal => Just(literal.to_string()).boxed(),
    }
}

fn any_of(words: &'static [&'static str]) -> BoxedStrategy<String> {
    prop::sample::select(words).prop_map(str::to_string).boxed()
}

/// Mostly a key of the wanted type; now and then one of another.
fn key(wanted: &'static [&'static str]) -> BoxedStrategy<String> {
    prop_oneof![9 => any_of(wanted), 1 => any_of(&["s1", "h1", "set1", "z1", "nokey"])].boxed()
}

/// What is done to a command to make it wrong.
#[derive(Debug, Clone)]
enum Damage {
    None,
    LastDropped,
    Added(String),
    Replaced(usize, String),
    CaseChanged,
}

fn damage() -> impl Strategy<Value = Damage> {
    // No GT and LT: with times that are counted from now they would depend on the millisecond.
    let token = || any_of(&["", "NX", "XX", "GET", "EX", "PX", "KEEPTTL", "1", "0", "-1", "x", "s1", "WITHSCORES", "nan"]);
    prop_oneof![
        25 => Just(Damage::None),
        1 => Just(Damage::LastDropped),
        1 => token().prop_map(Damage::Added),
        1 => (1..6usize, token()).prop_map(|(at, token)| Damage::Replaced(at, token)),
        2 => Just(Damage::CaseChanged),
    ]
}

impl Damage {
    fn done_to(self, mut args: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        match self {
            Damage::None => {}
            Damage::LastDropped if args.len() > 1 => drop(args.pop()),
            Damage::LastDropped => {}
            Damage::Added(token) => args.push(token.into()),
            Damage::Replaced(at, token) => {
                if let Some(arg) = args.get_mut(at) {
                    *arg = token.into();
                }
            }
            Damage::CaseChanged => args.iter_mut().step_by(2).for_each(|arg| arg.make_ascii_lowercase()),
        }
        // A server that follows another would be a replica for every sequence that comes.
        if let [name, host, port] = args.as_slice()
            && name.eq_ignore_ascii_case(b"REPLICAOF")
            && !(host.eq_ignore_ascii_case(b"NO") && port.eq_ignore_ascii_case(b"ONE"))
        {
            args.pop();
        }
        // A wait for replicas that do not exist, without a timeout, would never end.
        if let [name, replicas, timeout] = args.as_mut_slice()
            && name.eq_ignore_ascii_case(b"WAIT")
            && replicas != b"0"
            && timeout == b"0"
        {
            *timeout = b"1".to_vec();
        }
        args
    }
}
