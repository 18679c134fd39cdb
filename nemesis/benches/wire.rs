//! Throughput through the wire, and through Toxiproxy where there is one, as a ratio of direct: all measured side by side with redis-benchmark.
//!
//! The wire is given rules that fit no command of the benchmark, as in a run in which nothing is being held. Toxiproxy has no toxic. It is the
//! `toxiproxy-server` on the PATH, or the one that `FENCEPOST_TOXIPROXY` names.

use nemesis::wire::{Gate, Rule, Wire};
use nemesis::{Moment, WirePattern};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// Rounds of each way, taken in turns, of which the best counts: what else the machine does can only make a round slower.
const ROUNDS: usize = 9;
const DIRECT: ([u8; 4], u16) = ([127, 99, 7, 10], 6379);
const WIRED: ([u8; 4], u16) = ([127, 99, 7, 110], 6379);

const POISONED: ([u8; 4], u16) = ([127, 99, 7, 111], 6379);

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

fn main() {
    let direct = SocketAddr::from(DIRECT);
    let wired = SocketAddr::from(WIRED);
    let server = Command::new("redis-server")
        .args(["--bind", &direct.ip().to_string(), "--port", &direct.port().to_string(), "--save", "", "--protected-mode", "no"])
        .stdout(Stdio::null())
        .spawn();
    let Ok(server) = server else { return eprintln!("SKIPPED: there is no redis-server on the PATH") };
    let _server = Server(server);
    until_it_listens(direct);
    let pattern = |command: &str, moment| WirePattern {
        client: "c1".into(),
        node: Some("n1".into()),
        command: command.into(),
        moment,
        nth: 1,
    };
    let rules = [("SET", Moment::Request), ("SET", Moment::Reply), ("EVAL", Moment::Reply), ("DEL", Moment::Request)];
    let rules = rules.map(|(command, moment)| Rule::hold(&pattern(command, moment))).to_vec();
    let gate = Gate { node: "n1".into(), listen: wired, dial: direct };
    let _wire = Wire::start(vec![gate], rules).expect("the wire's address is free");
    let toxiproxy = toxiproxy(direct);
    let mut ways = vec![("direct", direct), ("the wire", wired)];
    match &toxiproxy {
        Some(_) => ways.push(("Toxiproxy", SocketAddr::from(POISONED))),
        None => eprintln!("SKIPPED: there is no toxiproxy-server"),
    }
    for (clients, pipeline, requests) in [(50, 1, 20_000), (1, 1, 3_000), (50, 16, 200_000)] {
        for command in ["SET", "GET"] {
            let mut rates = vec![Vec::new(); ways.len()];
            for _ in 0..ROUNDS {
                for (rates, (_, address)) in rates.iter_mut().zip(&ways) {
                    rates.push(rate(*address, command, clients, pipeline, requests));
                }
            }
            let rates: Vec<f64> = rates.into_iter().map(best).collect();
            let told = ways.iter().zip(&rates).skip(1);
            let told: Vec<String> = told.map(|((way, _), rate)| format!("{way} {:.2}", rate / rates[0])).collect();
            println!(
                "{command}, {clients} clients, pipeline {pipeline}: {} of direct ({:.0} a second)",
                told.join(", "),
                rates[0]
            );
        }
    }
}

/// A Toxiproxy with one proxy, to there.
fn toxiproxy(node: SocketAddr) -> Option<Server> {
    let at = SocketAddr::from(POISONED);
    let config = std::env::temp_dir().join(format!("fencepost-bench-{}.json", std::process::id()));
    let proxy = format!(r#"[{{"name":"n1","listen":"{at}","upstream":"{node}","enabled":true}}]"#);
    std::fs::write(&config, proxy).expect("a file can be written");
    let program = std::env::var_os("FENCEPOST_TOXIPROXY").unwrap_or_else(|| "toxiproxy-server".into());
    let server = Command::new(program)
        .args(["-host", &at.ip().to_string(), "-port", "8474", "-config"])
        .arg(&config)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let server = server.ok().map(Server);
    if server.is_some() {
        until_it_listens(at);
    }
    let _ = std::fs::remove_file(config);
    server
}

fn until_it_listens(address: SocketAddr) {
    while std::net::TcpStream::connect(address).is_err() {
        std::thread::yield_now();
    }
}

/// Requests a second, by redis-benchmark's own word.
fn rate(address: SocketAddr, command: &str, clients: u32, pipeline: u32, requests: u32) -> f64 {
    let (ip, port) = (address.ip().to_string(), address.port().to_string());
    let run = Command::new("redis-benchmark")
        .args(["-h", &ip, "-p", &port, "-t", &command.to_lowercase(), "--csv"])
        .args(["-c", &clients.to_string(), "-P", &pipeline.to_string(), "-n", &requests.to_string()])
        .output()
        .expect("redis-benchmark is there where redis-server is");
    let csv = String::from_utf8_lossy(&run.stdout);
    let row = csv.lines().find(|row| row.starts_with(&format!("\"{command}"))).expect("a row of the command");
    row.split(',').nth(1).and_then(|rate| rate.trim_matches('"').parse().ok()).expect("a rate")
}

fn best(rates: Vec<f64>) -> f64 {
    rates.into_iter().fold(0.0, f64::max)
}
