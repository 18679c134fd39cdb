//! Who serves which slot, as far as a client was told.

use redis::{FromRedisValue, RedisResult, Value};
use std::io;

/// Which nodes serve which slots, by their indices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SlotMap(Vec<Range>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Range {
    first: u16,
    last: u16,
    /// The master, and then its replicas.
    nodes: Vec<usize>,
}

impl SlotMap {
    /// What CLUSTER SLOTS answered; `index` knows a node by its address. Who is not known is left out.
    ///
    /// # Errors
    /// It is no such answer.
    pub(super) fn read(said: &Value, index: impl Fn(&str) -> Option<usize>) -> RedisResult<SlotMap> {
        let range = |said: &Value| {
            let Value::Array(parts) = said else { return None };
            let number = |at: usize| u16::from_redis_value_ref(parts.get(at)?).ok();
            let nodes = parts.get(2..)?.iter().filter_map(|node| {
                let Value::Array(node) = node else { return None };
                let host = String::from_redis_value_ref(node.first()?).ok()?;
                let port = u16::from_redis_value_ref(node.get(1)?).ok()?;
                index(&format!("{host}:{port}"))
            });
            Some(Range { first: number(0)?, last: number(1)?, nodes: nodes.collect() })
        };
        let ranges = match said {
            Value::Array(ranges) => ranges.iter().map(range).collect::<Option<Vec<Range>>>(),
            _ => None,
        };
        Ok(SlotMap(ranges.ok_or_else(|| io::Error::other("CLUSTER SLOTS was answered with something else"))?))
    }

    /// Who serves a slot.
    pub(super) fn owner(&self, slot: u16) -> Option<usize> {
        self.shard(slot)?.first().copied()
    }

    /// Who serves a slot, and its replicas.
    pub(super) fn shard(&self, slot: u16) -> Option<&[usize]> {
        self.0.iter().find(|range| (range.first..=range.last).contains(&slot)).map(|range| range.nodes.as_slice())
    }

    /// Every master.
    pub(super) fn masters(&self) -> Vec<usize> {
        self.0.iter().filter_map(|range| range.nodes.first().copied()).collect()
    }

    /// A slot is served by this node.
    pub(super) fn moved(&mut self, slot: u16, node: usize) {
        if self.owner(slot) == Some(node) {
            return;
        }
        self.0.insert(0, Range { first: slot, last: slot, nodes: vec![node] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_a_server_is_read() {
        let node = |port| Value::Array(vec![Value::BulkString("h".into()), Value::Int(port), Value::BulkString("id".into())]);
        let range = |first, last, nodes: &[i64]| {
            let mut parts = vec![Value::Int(first), Value::Int(last)];
            parts.extend(nodes.iter().map(|port| node(*port)));
            Value::Array(parts)
        };
        let index = |address: &str| address.strip_prefix("h:")?.parse().ok().filter(|node| *node < 9);
        let said = Value::Array(vec![range(0, 5, &[1, 4]), range(6, 9, &[2, 77])]);
        let mut map = SlotMap::read(&said, index).unwrap();
        assert_eq!((map.owner(5), map.owner(6), map.owner(10)), (Some(1), Some(2), None));
        assert_eq!((map.shard(0), map.shard(9)), (Some(&[1, 4][..]), Some(&[2][..])));
        assert_eq!(map.masters(), [1, 2]);
        map.moved(5, 1);
        assert_eq!(map.shard(5), Some(&[1, 4][..]), "that was known");
        map.moved(5, 4);
        assert_eq!((map.owner(5), map.owner(4)), (Some(4), Some(1)));
        for nonsense in [Value::Nil, Value::Array(vec![Value::Int(1)]), Value::Array(vec![Value::Array(vec![Value::Int(-1)])])] {
            assert!(SlotMap::read(&nonsense, index).is_err());
        }
    }
}
