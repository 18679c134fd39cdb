//! How many whole runs a second the simulator does on one core: 3 clients, 10 lock cycles each, one node; judged, and the history forgotten.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fencepost::plan::{self, Plan};
use fencepost::run::{Audience, Site, run};
use fencepost::world::WorldKind;
use std::future::pending;
use std::hint::black_box;

const PLAN: &str = r#"
about = "Three clients take one lock ten times each."

[lock]
kind = "set-nx-px"
ttl_ms = 5000

[workload]
clients = 3
cycles = 10
hold_ms = [1, 3]
think_ms = [1, 3]
retry_ms = [1, 3]
contention = false
"#;

fn runs(criterion: &mut Criterion) {
    let plan: Plan = plan::read("the bench's plan", PLAN).expect("the plan is sound");
    let site = Site { world: WorldKind::Sim, folder: None, client_program: None };
    let mut group = criterion.benchmark_group("simulator");
    group.throughput(Throughput::Elements(1));
    group.bench_function("3 clients x 10 cycles on one node", |bencher| {
        let mut seed = 0;
        bencher.iter(|| {
            seed += 1;
            let plan = Plan { seed, ..plan.clone() };
            let audience = Audience { history: None, progress: &mut |_| {} };
            black_box(run(site, &plan, "bench", audience, pending()).expect("a simulation runs"))
        });
    });
    group.finish();
}

criterion_group!(benches, runs);
criterion_main!(benches);
