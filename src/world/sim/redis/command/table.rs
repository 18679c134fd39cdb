//! Which commands there are.

use super::*;

/// Every command, in the order of its name.
pub(super) static COMMANDS: &[Command] = &[
    Command::writes("append", 3, string::append),
    Command::connection("asking", 1, cluster::asking),
    Command::new("client", -2, Run::Container(CLIENT)),
    Command::new("cluster", -2, Run::Container(CLUSTER)),
    Command::new("command", -1, Run::Container(COMMAND)),
    Command::new("config", -2, Run::Container(CONFIG)),
    Command::reads("dbsize", 1, key::dbsize),
    Command::writes("decr", 2, counter::decr),
    Command::writes("decrby", 3, counter::decrby),
    Command::writes("del", -2, key::del),
    Command::writes("delex", -2, compare_and_delete::delex).only(Imitates::Redis84),
    Command::writes("delifeq", 3, compare_and_delete::delifeq).only(Imitates::Valkey9),
    Command::connection("discard", 1, transaction::discard).runs_at_once(),
    Command::reads("echo", 2, connection::echo),
    Command::connection("eval", -3, scripting::eval),
    Command::connection("evalsha", -3, scripting::evalsha),
    Command::connection("exec", 1, transaction::exec).runs_at_once(),
    Command::reads("exists", -2, key::exists),
    Command::writes("expire", -3, expiry::expire),
    Command::writes("expireat", -3, expiry::expireat),
    Command::reads("expiretime", 2, expiry::expiretime),
    Command::writes("flushall", -1, flush::flush),
    Command::writes("flushdb", -1, flush::flush),
    Command::reads("get", 2, string::get),
    Command::writes("getdel", 2, string::getdel),
    Command::writes("getex", -2, string::getex),
    Command::writes("getset", 3, string::getset),
    Command::writes("hdel", -3, hash::hdel),
    Command::connection("hello", -1, connection::hello),
    Command::reads("hexists", 3, hash::hexists),
    Command::reads("hget", 3, hash::hget),
    Command::reads("hgetall", 2, hash::hgetall),
    Command::writes("hincrby", 4, hash::hincrby),
    Command::reads("hkeys", 2, hash::hkeys),
    Command::reads("hlen", 2, hash::hlen),
    Command::reads("hmget", -3, hash::hmget),
    Command::writes("hset", -4, hash::hset),
    Command::writes("hsetnx", 4, hash::hsetnx),
    Command::reads("hvals", 2, hash::hvals),
    Command::writes("incr", 2, counter::incr),
    Command::writes("incrby", 3, counter::incrby),
    Command::connection("info", -1, introspection::info),
    Command::reads("keys", 2, key::keys),
    Command::reads("mget", -2, string::mget),
    Command::writes("mset", -3, string::mset),
    Command::connection("multi", 1, transaction::multi).runs_at_once(),
    Command::writes("persist", 2, expiry::persist),
    Command::writes("pexpire", -3, expiry::pexpire),
    Command::writes("pexpireat", -3, expiry::pexpireat),
    Command::reads("pexpiretime", 2, expiry::pexpiretime),
    Command::reads("ping", -1, connection::ping),
    Command::writes("psetex", 4, string::psetex),
    Command::reads("pttl", 2, expiry::pttl),
    Command::writes("publish", 3, pubsub::publish),
    Command::connection("replicaof", 3, replication::replicaof),
    Command::connection("role", 1, replication::role),
    Command::writes("sadd", -3, set::sadd),
    Command::reads("scard", 2, set::scard),
    Command::new("script", -2, Run::Container(SCRIPT)),
    Command::reads("select", 2, connection::select),
    Command::writes("set", -3, string::set),
    Command::writes("setex", 4, string::setex),
    Command::writes("setnx", 3, string::setnx),
    Command::reads("sismember", 3, set::sismember),
    Command::reads("smembers", 2, set::smembers),
    Command::writes("srem", -3, set::srem),
    Command::reads("strlen", 2, string::strlen),
    Command::connection("subscribe", -2, pubsub::subscribe),
    Command::reads("time", 1, introspection::time),
    Command::reads("ttl", 2, expiry::ttl),
    Command::reads("type", 2, key::type_of),
    Command::writes("unlink", -2, key::del),
    Command::connection("unsubscribe", -1, pubsub::unsubscribe),
    Command::connection("unwatch", 1, transaction::unwatch),
    Command::connection("wait", 3, replication::wait),
    Command::connection("watch", -2, transaction::watch).runs_at_once(),
    Command::writes("zadd", -4, sorted_set::zadd),
    Command::reads("zcard", 2, sorted_set::zcard),
    Command::reads("zcount", 4, sorted_set::zcount),
    Command::writes("zincrby", 4, sorted_set::zincrby),
    Command::writes("zinterstore", -4, zinterstore::zinterstore),
    Command::reads("zrange", -4, zrange::zrange),
    Command::reads("zrangebyscore", -4, zrange::zrangebyscore),
    Command::reads("zrank", 3, sorted_set::zrank),
    Command::writes("zrem", -3, sorted_set::zrem),
    Command::writes("zremrangebyrank", 4, sorted_set::zremrangebyrank),
    Command::writes("zremrangebyscore", 4, sorted_set::zremrangebyscore),
    Command::reads("zrevrank", 3, sorted_set::zrevrank),
    Command::reads("zscore", 3, sorted_set::zscore),
];

static CLIENT: &[Command] = &[
    Command::connection("client|getname", 2, connection::client_getname),
    Command::connection("client|id", 2, connection::client_id),
    Command::connection("client|setinfo", 4, connection::client_setinfo).only(Imitates::Redis84),
    Command::connection("client|setinfo", 4, connection::client_setinfo).only(Imitates::Valkey9),
    Command::connection("client|setname", 3, connection::client_setname),
];

static CLUSTER: &[Command] =
    &[Command::connection("cluster|keyslot", 3, cluster::keyslot), Command::connection("cluster|slots", 2, cluster::slots)];

static COMMAND: &[Command] = &[Command::connection("command|info", -2, introspection::command_info)];

static CONFIG: &[Command] = &[Command::connection("config|get", -3, introspection::config_get)];

static SCRIPT: &[Command] = &[
    Command::connection("script|exists", -3, scripting::exists),
    Command::connection("script|flush", -2, scripting::flush),
    Command::connection("script|kill", 2, scripting::kill),
    Command::connection("script|load", 3, scripting::load),
];

#[cfg(test)]
mod tests {
    use super::COMMANDS;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name));
    }
}
