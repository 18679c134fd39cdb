//! The engine on histories that are made here: `cargo bench -p fencepost-checker`. For the peers' corpora and the peers themselves see `versus.sh`.

use checker::engine::{Limits, Operation, check};
use checker::format::{self, BadLines, Content};
use checker::history::Value;
use checker::model::cas_register::{CasOp, CasRegister};
use checker::model::fenced_mutex::FencedMutex;
use checker::model::owner_mutex::OwnerOp;
use checker::model::register::{Register, RegisterOp};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;

fn int(n: u64) -> Value {
    Value::Int(n.cast_signed())
}

/// Grants one after the other, of which every `lost_every`th lost the replies of its acquire and its release; the last is a double holder where asked for.
fn lock(grants: u64, lost_every: u64, double_holder: bool) -> Vec<Operation<OwnerOp>> {
    let mut history = Vec::new();
    for n in 0..grants {
        let (acquire, release) = (OwnerOp::Acquire(int(n)), OwnerOp::Release(int(n)));
        if lost_every > 0 && n % lost_every == 0 {
            history.extend([Operation::unknown(acquire, n * 100), Operation::unknown(release, n * 100 + 60)]);
        } else {
            history.extend([
                Operation::known(acquire, n * 100, n * 100 + 20),
                Operation::known(release, n * 100 + 60, n * 100 + 115),
            ]);
        }
    }
    if double_holder {
        let at = (grants - 1) * 100;
        history.push(Operation::known(OwnerOp::Acquire(int(grants)), at + 30, at + 50));
    }
    history
}

/// Twenty clients write, read and compare and set five values.
fn cas(operations: u64) -> Vec<Operation<CasOp>> {
    let mut held = 0;
    (0..operations)
        .map(|n| {
            let next = (n * 7) % 5;
            let op = match n % 3 {
                0 => CasOp::Write(int(next)),
                1 => CasOp::Cas(int(held), int(next)),
                _ => CasOp::Read(int(held)),
            };
            held = if n % 3 == 2 { held } else { next };
            Operation::known(op, n * 10, n * 10 + 45)
        })
        .collect()
}

/// Every written value is distinct.
fn register(operations: u64) -> Vec<Operation<RegisterOp>> {
    let op = |n: u64| if n.is_multiple_of(2) { RegisterOp::Write(int(n + 1)) } else { RegisterOp::Read(int(n)) };
    (0..operations).map(|n| Operation::known(op(n), n * 10, n * 10 + 9)).collect()
}

fn engine(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("engine");
    for (name, history) in [
        ("lock/valid", lock(500, 0, false)),
        ("lock/double-holder", lock(500, 0, true)),
        ("lock/lost-replies", lock(500, 8, false)),
        ("lock/lost-replies-and-double-holder", lock(500, 8, true)),
    ] {
        group.throughput(Throughput::Elements(history.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| check(&FencedMutex, black_box(&history), &Limits::default())));
    }
    let history = cas(10_000);
    let model = CasRegister { initial: int(0) };
    group.throughput(Throughput::Elements(history.len() as u64));
    group.bench_function("cas-register", |bencher| bencher.iter(|| check(&model, black_box(&history), &Limits::default())));
    let history = register(100_000);
    group.throughput(Throughput::Elements(history.len() as u64));
    group.bench_function("register-of-distinct-values", |bencher| {
        bencher.iter(|| check(&Register::default(), black_box(&history), &Limits::default()));
    });
    group.finish();
}

fn formats(criterion: &mut Criterion) {
    let mut lines = String::new();
    for n in 0..10_000u64 {
        let (client, call, ret) = (n % 20, n * 100, n * 100 + 30);
        writeln!(lines, r#"{{"client":{client},"op":"acquire","token":{n},"call":{call},"return":{ret},"ok":false}}"#)
            .expect("a string takes it");
    }
    let open = || match format::read(std::io::Cursor::new(lines.clone().into_bytes()), "bench", BadLines::Refuse) {
        Ok(Content::Locks(locks)) => locks,
        _ => panic!("these are operations of locks"),
    };
    let mut group = criterion.benchmark_group("formats");
    group.throughput(Throughput::Elements(10_000));
    group.bench_function("operations/records", |bencher| {
        bencher.iter_batched(open, |locks| locks.records().expect("it is good").0.len(), BatchSize::LargeInput);
    });
    group.bench_function("operations/events", |bencher| {
        bencher.iter_batched(open, |locks| locks.events().filter(|event| event.is_ok()).count(), BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group!(benches, engine, formats);
criterion_main!(benches);
