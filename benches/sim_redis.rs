//! How many commands a second the simulated node answers on one core.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fencepost::world::sim::redis::{Node, NodeConfig};
use std::hint::black_box;

const RELEASE: &[u8] = b"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

fn commands(c: &mut Criterion) {
    let cases: &[(&str, &[&[&[u8]]])] = &[
        ("GET", &[&[b"GET", b"lock"]]),
        ("SET NX PX", &[&[b"SET", b"lock", b"owner-1", b"NX", b"PX", b"500"]]),
        ("SET, DEL", &[&[b"SET", b"lock", b"owner-1", b"PX", b"500"], &[b"DEL", b"lock"]]),
        ("INCR", &[&[b"INCR", b"fence"]]),
        ("SET, EVAL compare-and-delete", &[&[b"SET", b"lock", b"owner-1"], &[b"EVAL", RELEASE, b"1", b"lock", b"owner-1"]]),
        ("EVAL that refuses", &[&[b"EVAL", RELEASE, b"1", b"lock", b"owner-2"]]),
        ("EVAL return 1", &[&[b"EVAL", b"return 1", b"0"]]),
    ];
    let mut group = c.benchmark_group("sim_redis");
    for (name, commands) in cases {
        let mut node = Node::new(NodeConfig::default());
        let mut session = node.open().expect("a new node is up");
        node.execute(&mut session, &[b"SET", b"lock", b"owner-1"], 0).expect("it is up");
        group.throughput(Throughput::Elements(commands.len() as u64));
        group.bench_function(*name, |b| {
            b.iter(|| {
                for command in *commands {
                    black_box(node.execute(&mut session, black_box(command), 0).expect("it is up"));
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(std::time::Duration::from_secs(1)).warm_up_time(std::time::Duration::from_millis(300));
    targets = commands
}
criterion_main!(benches);
