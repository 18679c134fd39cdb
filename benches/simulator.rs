//! How many whole runs a second the simulator does on one core: 3 clients, 10 lock cycles each; judged, and the history forgotten.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fencepost::plan::{self, Plan};
use fencepost::run::{Audience, Site, run};
use fencepost::world::WorldKind;
use std::future::pending;
use std::hint::black_box;

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What differs, before what both have.
const PLANS: [(&str, &str); 2] = [
    ("set-nx-px on one node", "[lock]\nkind = \"set-nx-px\"\nttl_ms = 5000\n"),
    ("redlock on five", "[lock]\nkind = \"redlock\"\nttl_ms = 5000\n[topology]\nkind = \"independent\"\nnodes = 5\n"),
];

const WORKLOAD: &str = r#"
[workload]
clients = 3
cycles = 10
hold_ms = [1, 3]
think_ms = [1, 3]
retry_ms = [1, 3]
contention = false
"#;

fn runs(criterion: &mut Criterion) {
    let site = Site { world: WorldKind::Sim, folder: None, client_program: None };
    let mut group = criterion.benchmark_group("simulator");
    group.throughput(Throughput::Elements(1));
    for (name, lock) in PLANS {
        let text = format!("about = \"Three clients take one lock ten times each.\"\n{lock}{WORKLOAD}");
        let plan: Plan = plan::read("the bench's plan", &text).expect("the plan is sound");
        group.bench_function(name, |bencher| {
            let mut seed = 0;
            bencher.iter(|| {
                seed += 1;
                let plan = Plan { seed, ..plan.clone() };
                let audience = Audience { history: None, progress: &mut |_| {} };
                black_box(run(site, &plan, "bench", audience, pending()).expect("a simulation runs"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, runs);
criterion_main!(benches);
