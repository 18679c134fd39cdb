//! The compose files in `docker/` start what the docker world starts: the same nodes, by the same names, with the same options, at the same ports.

use super::stage::{engine, on_a_thread, world};
use fencepost::plan::Plan;
use fencepost::world::Setup;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use yaml_rust2::{Yaml, YamlLoader};

/// What a node is started with, where every address is the name of who is there, and every folder is the same.
type Commands = BTreeMap<String, Vec<String>>;

/// Names for addresses; a gate of the wire, which is an address and a port, is the node behind it at its own port.
struct Directory {
    at: BTreeMap<String, String>,
    gates: BTreeMap<(String, String), String>,
}

impl Directory {
    fn name(&self, words: &[String]) -> Vec<String> {
        let mut words = words.to_vec();
        for at in 0..words.len() {
            // The port of an address is the next number, past the name of an option, on the next line at most.
            let port = (at + 1..words.len().min(at + 5)).find(|next| words[*next].parse::<u16>().is_ok());
            let gate = port.and_then(|port| Some((port, self.gates.get(&(words[at].clone(), words[port].clone()))?)));
            if let Some((port, name)) = gate {
                (words[at], words[port]) = (name.clone(), "6379".into());
                // A gate's bus is as far from it as a node's.
                if words.get(port + 1).is_some_and(|option| option == "--cluster-announce-bus-port") {
                    words[port + 2] = "16379".into();
                }
            } else if let Some(name) = self.at.get(&words[at]) {
                words[at] = name.clone();
            }
        }
        words
    }
}

/// The lines of a sentinel's configuration, with the names of who is there.
fn configuration(text: &str, directory: &Directory) -> Vec<Vec<String>> {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("sentinel "));
    let all: Vec<String> = lines.flat_map(|line| words(line).into_iter().chain(["\n".to_owned()])).collect();
    directory.name(&all).split(|word| word == "\n").filter(|line| !line.is_empty()).map(<[String]>::to_vec).collect()
}

/// Without what differs and may: where the program and its files are.
fn essence(words: Vec<String>) -> Vec<String> {
    let mut words = words.into_iter().peekable();
    let mut kept = vec![];
    while let Some(word) = words.next() {
        if word.ends_with("redis-server") || word.ends_with("sentinel.conf") {
            kept.push(PathBuf::from(word).file_name().expect("a name").to_string_lossy().into_owned());
        } else if word == "--dir" || word == "--cluster-config-file" {
            kept.push(word);
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept
}

/// The words of a shell's command in which nothing but single or double quotes is special.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (vec![], None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() || c == '\\' => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn document(file: &str) -> Yaml {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docker").join(file);
    let text = std::fs::read_to_string(path).expect("a compose file");
    YamlLoader::load_from_str(&text).expect("a YAML file").remove(0)
}

/// What a compose file starts, and what its sentinels are configured with.
fn composed(file: &str) -> (Commands, BTreeMap<String, Vec<Vec<String>>>) {
    let document = document(file);
    let services = document["services"].as_hash().expect("services");
    let address = |service: &Yaml| service["networks"]["fencepost"]["ipv4_address"].as_str().expect("an address").to_owned();
    let name = |name: &Yaml| name.as_str().expect("a name").to_owned();
    let at = services.iter().map(|(service, said)| (address(said), name(service))).collect();
    let directory = Directory { at, gates: BTreeMap::new() };
    let (mut commands, mut configurations) = (Commands::new(), BTreeMap::new());
    for (service, said) in services {
        let command: Vec<String> =
            said["command"].as_vec().expect("a list").iter().map(|word| word.as_str().expect("a text").to_owned()).collect();
        match command.as_slice() {
            [shell, _, script] if shell == "sh" => {
                let Some((before, line)) = script.split_once("exec redis-server ") else { continue };
                configurations.insert(name(service), configuration(before, &directory));
                let line = words(&format!("redis-server {line}"));
                commands.insert(name(service), essence(directory.name(&line)));
            }
            [program, ..] if program == "redis-server" => {
                commands.insert(name(service), essence(directory.name(&command)));
            }
            _ => {}
        }
    }
    (commands, configurations)
}

/// What a world starts for this topology, and what its sentinels are configured with.
fn started(topology: &str) -> (Commands, BTreeMap<String, Vec<Vec<String>>>) {
    let plan = format!("about = \"a test\"\nlock = {{ kind = \"set-nx-px\", ttl_ms = 500 }}\ntopology = {topology}");
    let plan: Plan = toml::from_str(&plan).expect("a plan");
    let (nodes, sentinels) = (plan.topology.nodes(), plan.topology.sentinels());
    on_a_thread(async {
        let world = world(Setup { plan, patterns: vec![], folder: None, client_program: None }).await;
        let ours = format!("fencepost-docker-{}-", std::process::id());
        let folders = std::fs::read_dir(std::env::temp_dir()).expect("a folder").flatten().map(|entry| entry.path());
        let is_ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&ours));
        let folder = folders.filter(is_ours).last().expect("the world's folder");
        let script = |name: &String| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.sh"))).expect("a script");
            words(text.lines().last().and_then(|line| line.strip_prefix("exec ")).expect("a command"))
        };
        let raw: BTreeMap<String, Vec<String>> =
            nodes.iter().chain(&sentinels).map(|name| (name.clone(), script(name))).collect();
        let own = |words: &Vec<String>| words[words.iter().position(|word| word == "--bind").expect("an address") + 1].clone();
        let at: BTreeMap<String, String> = raw.iter().map(|(name, words)| (own(words), name.clone())).collect();
        let gateway = own(&raw["n1"]).rsplit_once('.').map(|(net, _)| format!("{net}.1")).expect("an address");
        let gates = [(&nodes, 7000), (&sentinels, 7100)].into_iter().flat_map(|(names, first)| {
            let gateway = &gateway;
            names.iter().enumerate().map(move |(index, name)| ((gateway.clone(), (first + index).to_string()), name.clone()))
        });
        let directory = Directory { at, gates: gates.collect() };
        let told = |name: &String| {
            let text = std::fs::read_to_string(folder.join(name).join("sentinel.conf")).expect("a configuration");
            (name.clone(), configuration(&text, &directory))
        };
        let configurations = sentinels.iter().map(told).collect();
        drop(world);
        (raw.iter().map(|(name, words)| (name.clone(), essence(directory.name(words)))).collect(), configurations)
    })
}

fn agree(file: &str, topology: &str) {
    let Some((_turn, _engine)) = engine(file) else { return };
    let ((composed, said), (started, told)) = (composed(file), started(topology));
    assert_eq!(composed, started, "{file}");
    for (sentinel, lines) in said {
        for line in lines {
            // A sentinel writes its file anew, without what is usual anyway.
            let is_usual = line[1] == "parallel-syncs";
            assert!(
                is_usual || told[&sentinel].contains(&line),
                "{sentinel} in {file}: {line:?} is not in {:?}",
                told[&sentinel]
            );
        }
    }
}

#[test]
fn a_single_node() {
    agree("single.yml", "{ kind = \"single\" }");
}

#[test]
fn independent_masters() {
    agree("independent.yml", "{ kind = \"independent\" }");
}

#[test]
fn a_cluster() {
    agree("cluster.yml", "{ kind = \"cluster\" }");
}

#[test]
fn sentinels() {
    agree("sentinel.yml", "{ kind = \"sentinel\" }");
}

#[test]
fn toxiproxy_stands_before_the_same_masters() {
    assert_eq!(composed("toxiproxy.yml").0, composed("independent.yml").0);
    let document = document("toxiproxy.yml");
    let address = |name: &str| document["services"][name]["networks"]["fencepost"]["ipv4_address"].as_str().map(str::to_owned);
    let proxies = Path::new(env!("CARGO_MANIFEST_DIR")).join("docker/toxiproxy/proxies.json");
    let proxies: serde_json::Value = serde_json::from_slice(&std::fs::read(proxies).expect("a file")).expect("JSON");
    let leads = |proxy: &serde_json::Value| {
        let name = proxy["name"].as_str().expect("a name");
        assert_eq!(proxy["upstream"].as_str(), address(name).map(|at| format!("{at}:6379")).as_deref());
        name.to_owned()
    };
    let names: Vec<String> = proxies.as_array().expect("proxies").iter().map(leads).collect();
    assert_eq!(names, ["n1", "n2", "n3", "n4", "n5"]);
}
