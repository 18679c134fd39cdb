//! What a world of containers does, seen from this machine.

use super::stage::{engine, on_a_thread, world};
use fencepost::client::real::RealNode;
use fencepost::client::{Answer, Ask, Do};
use fencepost::plan::Plan;
use fencepost::world::{RealWorld, Setup, World};
use nemesis::{Data, Fault, Stop};
use std::net::Ipv4Addr;

fn setup(lines: &str) -> Setup {
    let text = format!("about = \"a test\"\nlock = {{ kind = \"set-nx-px\", ttl_ms = 60000 }}\n{lines}");
    let plan: Plan = toml::from_str(&text).expect("a plan");
    Setup { plan, patterns: vec![], folder: None, client_program: None }
}

async fn acquire(world: &RealWorld, client: &str, id: u64) -> Answer {
    world.call(client, Ask { id, what: Do::Acquire { lock: "order:1".into(), ttl_ms: 60_000 } }).await
}

/// The process in a container of ours, as this machine sees it.
async fn process_of(engine: &fencepost::docker::Engine, name: &str) -> i64 {
    let all = super::stage::ours(engine.docker()).await;
    let all = super::stage::of(std::process::id(), &all);
    let name = all.into_iter().find(|known| known.ends_with(&format!("-{name}"))).expect("it is there");
    let seen = engine.docker().inspect_container(name, None).await.expect("it is there");
    seen.state.and_then(|state| state.pid).expect("a process id")
}

/// The addresses at both ends of the connections of a process's network.
fn connections(pid: i64) -> Vec<(Ipv4Addr, Ipv4Addr)> {
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).expect("a table");
    let address = |field: &str| Some(Ipv4Addr::from(u32::from_str_radix(field.split_once(':')?.0, 16).ok()?.to_ne_bytes()));
    let ends = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // 01 is an open connection.
        (*fields.get(3)? == "01").then_some(())?;
        Some((address(fields.get(1)?)?, address(fields.get(2)?)?))
    };
    table.lines().skip(1).filter_map(ends).collect()
}

#[test]
fn every_link_leads_over_the_wire() {
    let Some((_turn, engine)) = engine("every link leads over the wire") else { return };
    on_a_thread(async {
        let world = world(setup("topology = { kind = \"sentinel\", replicas = 2 }")).await;
        world.start_clients(&["c1".into(), "c2".into()]).await.expect("clients");
        world.health().await.expect("a healthy world");
        assert!(matches!(acquire(&world, "c1", 1).await, Answer::Ok(_)));
        for name in ["n1", "n2", "n3", "s1", "s2", "s3", "c1"] {
            let open = connections(process_of(&engine, name).await);
            assert!(!open.is_empty(), "{name} has no connection");
            for (here, there) in open {
                assert_eq!(there.octets()[3], 1, "{name} at {here} is connected to {there}, past the wire");
            }
        }
    });
}

#[test]
fn nothing_outside_is_reached() {
    let Some((_turn, engine)) = engine("nothing outside is reached") else { return };
    on_a_thread(async {
        let (one, other) = (world(setup("resource = { kind = \"redis\" }")).await, world(setup("")).await);
        let all = super::stage::ours(engine.docker()).await;
        let mut at = std::collections::BTreeMap::new();
        for name in super::stage::of(std::process::id(), &all)
            .into_iter()
            .filter(|name| !name.ends_with(char::is_numeric) || name.ends_with("-n1"))
        {
            let seen = engine.docker().inspect_container(name, None).await.expect("it is there");
            let networks = seen.network_settings.and_then(|settings| settings.networks).expect("a network");
            at.insert(name, networks.into_values().next().and_then(|network| network.ip_address).expect("an address"));
        }
        let (store, near) = at.iter().find(|(name, _)| name.ends_with("-store")).expect("a store");
        let is_beside = |name: &str| name.trim_end_matches("-n1") == store.trim_end_matches("-store");
        let node = |beside| at.iter().find(|(name, _)| name.ends_with("-n1") && is_beside(name) == beside).expect("a node").1;
        let (here, far) = (node(true), node(false));
        // A node that hands a key on must connect to whom it hands it to.
        let hand_on = async |to: &str| {
            let mut node = RealNode::new(format!("{here}:6379").parse().expect("an address"));
            redis::cmd("SET").arg("a").arg("b").query_async::<()>(&mut node).await.expect("it is written");
            redis::cmd("MIGRATE").arg(to).arg(6379).arg("a").arg(0).arg(500).arg("COPY").query_async::<String>(&mut node).await
        };
        assert_eq!(hand_on(near).await, Ok("OK".into()));
        let refused = hand_on(far).await.expect_err("another run's network is out of reach").to_string();
        assert!(refused.contains("IOERR"), "{refused}");
        drop((one, other));
    });
}

#[test]
fn a_node_is_the_same_after_it_was_killed_and_its_data_is_what_the_plan_says() {
    let Some((_turn, engine)) = engine("restarts") else { return };
    on_a_thread(async {
        let world = world(setup("topology = { persistence = \"aof-always\" }")).await;
        world.start_clients(&["c1".into(), "c2".into()]).await.expect("clients");
        assert!(matches!(acquire(&world, "c1", 1).await, Answer::Ok(_)));
        let first = process_of(&engine, "n1").await;
        let restart = |data| Fault::Restart { node: "n1".into(), data, stop: Stop::Kill };
        world.inject(&restart(Data::Kept)).await.expect("a restart");
        assert_ne!(process_of(&engine, "n1").await, first);
        assert!(matches!(acquire(&world, "c2", 2).await, Answer::No(_)));
        let evidence = world.inject(&restart(Data::Lost)).await.expect("a restart");
        assert!(evidence.0.contains("0 after"), "{evidence:?}");
        assert!(matches!(acquire(&world, "c2", 3).await, Answer::Ok(_)));
        assert_eq!(world.casualties(), None);
    });
}

#[test]
fn who_dies_by_himself_is_missed() {
    let Some((_turn, engine)) = engine("casualties") else { return };
    on_a_thread(async {
        let world = world(setup("")).await;
        world.start_client("c1").await.expect("a client");
        assert_eq!(world.casualties(), None);
        for (name, nth) in [("n1", 1), ("c1", 2)] {
            let pid =
                i32::try_from(process_of(&engine, name).await).ok().and_then(rustix::process::Pid::from_raw).expect("an id");
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it lives");
            let begun = std::time::Instant::now();
            while world.casualties().is_none_or(|told| told.matches("ended by itself").count() < nth) {
                assert!(begun.elapsed().as_secs() < 10, "{name} is not missed: {:?}", world.casualties());
            }
        }
        let told = world.casualties().expect("both are missed");
        assert!(told.contains("n1") && told.contains("c1"), "{told}");
    });
}
