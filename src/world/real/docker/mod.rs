//! Containers on a private network of the run, which leads nowhere else.
//!
//! Everything has an address in the network's block: nodes at .10, .11, …, sentinels at .30, .31, …, clients at .120, .121, …, the resource's store at .2, Toxiproxy at .3.
//! The wire and the runner are at .1, where the engine puts this machine itself; the wire has a port a gate, and a port a door.
//!
//! Folders are mounted where they are here, and everything runs as the runner's user, so that what is done to a process's clock, memory and files is
//! done as to any other process of this machine. Programs that are no Redis server, clients and Toxiproxy, are mounted too, and need nothing of an image but
//! a shell and what they load.

mod container;
mod network;
mod script;
mod servers;

use super::habitat::{Doing, Habitat, Life, Server, Speech, Start};
use super::{gates, sick, toxiproxy};
use crate::docker::{Engine, EngineError, Labels, sweep};
use crate::plan::Topology;
use crate::world::WorldError;
use crate::world::toxiproxy::program;
use bollard::models::{
    ContainerCreateBody, EndpointIpamConfig, EndpointSettings, HostConfig, HostConfigLogConfig, NetworkingConfig,
};
use bollard::query_parameters::{CreateContainerOptionsBuilder, WaitContainerOptionsBuilder};
use container::{Container, Pipe};
use futures_util::TryStreamExt;
use nemesis::wire::{Rule, Wire};
use network::Network;
use servers::Servers;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::rc::Rc;

/// The port of every server.
const PORT: u16 = 6379;
/// Where the wire's ports begin. Should somebody listen on every address at one of them, the next beginning is tried.
const BEGINNINGS: [u16; 4] = [7000, 10_000, 13_000, 20_000];
/// How many doors a client may have, one beside another.
const DOORS: usize = 16;

/// The containers of one world.
pub struct Containers {
    engine: Engine,
    labels: Labels,
    network: Network,
    /// The first of the wire's ports.
    ports: u16,
    servers: Servers,
    /// By the name of what lives in them.
    ids: RefCell<BTreeMap<String, String>>,
}

/// Opens the gates of these nodes in a network that nobody else has, after whatever dead runs left on the engine is removed.
///
/// # Errors
/// There is no engine, it is not on this machine, or it does not have an image.
pub async fn settle(topology: &Topology, client: &[String], rules: Vec<Rule>) -> Result<(Rc<dyn Habitat>, Wire), WorldError> {
    let engine = Engine::find().await.map_err(|error| WorldError::Missing(format!("the docker world cannot start: {error}")))?;
    sweep(&engine).await.map_err(cannot)?;
    let program = client.first().ok_or_else(|| WorldError::Missing("the program of the clients is not named".into()))?;
    if !Path::new(program).is_absolute() {
        let why = format!("clients in the docker world are mounted: name their program by its whole path, not as `{program}`");
        return Err(WorldError::Impossible(why));
    }
    let labels = Labels::new();
    let servers = Servers::find(&engine, &labels, topology, Path::new(program)).await?;
    let network = Network::create(&engine, &labels).await.map_err(cannot)?;
    let mut containers = Containers { engine, labels, network, ports: 0, servers, ids: RefCell::default() };
    let mut taken = io::Error::from(io::ErrorKind::AddrInUse);
    for beginning in BEGINNINGS {
        containers.ports = beginning;
        match Wire::start(gates(&containers, topology), rules.clone()) {
            Ok(wire) => return Ok((Rc::new(containers), wire)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken = error,
            Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => return Err(elsewhere(&containers)),
            Err(error) => return Err(sick("the wire cannot listen", error)),
        }
    }
    Err(sick("the wire cannot listen", taken))
}

fn cannot(error: EngineError) -> WorldError {
    WorldError::Sick(format!("the docker world cannot start: {error}"))
}

/// The wire must listen where containers find this machine.
fn elsewhere(containers: &Containers) -> WorldError {
    WorldError::Missing(format!(
        "the Docker engine at {} keeps its networks on another machine, or in a virtual one: their gateway {} is not an address of this machine, and the wire \
         must listen there; run fencepost where the engine runs, or use `--world process`",
        containers.engine.host(),
        containers.runner()
    ))
}

impl Containers {
    fn port(&self, index: usize) -> SocketAddr {
        SocketAddr::new(self.runner(), self.ports + index as u16)
    }

    fn server_at(&self, host: u8) -> SocketAddr {
        SocketAddr::new(self.network.at(host), PORT)
    }

    async fn create(&self, start: &Start<'_>, script: &Path) -> Result<String, EngineError> {
        let Start { name, at, log, scratch, speech, command } = start;
        let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        let mount = |path: &Path, how: &str| format!("{0}:{0}{how}", path.display());
        let mut binds = vec![mount(scratch.folder(), ""), mount(&log.path, "")];
        let program = Path::new(command.get_program());
        let is_server = *speech == Speech::None && program == self.servers.server(name).program;
        let image = if is_server { self.servers.image(name) } else { self.servers.own_image() };
        if !is_server {
            binds.push(mount(program, ":ro"));
        }
        let address = EndpointIpamConfig { ipv4_address: Some(at.to_string()), ..Default::default() };
        let endpoint = EndpointSettings { ipam_config: Some(address), ..Default::default() };
        let body = ContainerCreateBody {
            image: Some(image.to_owned()),
            hostname: Some((*name).to_owned()),
            user: Some(format!("{user}:{group}")),
            entrypoint: Some(vec!["/bin/sh".into()]),
            cmd: Some(vec![script.display().to_string()]),
            working_dir: Some("/".into()),
            labels: Some(self.labels.to_map()),
            networking_config: Some(NetworkingConfig {
                endpoints_config: Some(HashMap::from([(self.network.name.clone(), endpoint)])),
            }),
            host_config: Some(HostConfig {
                binds: Some(binds),
                network_mode: Some(self.network.name.clone()),
                init: Some(false),
                cap_drop: Some(vec!["ALL".into()]),
                security_opt: Some(vec!["no-new-privileges".into()]),
                log_config: Some(HostConfigLogConfig { typ: Some("json-file".into()), config: None }),
                ..Default::default()
            }),
            ..Default::default()
        };
        let called = CreateContainerOptionsBuilder::new().name(&format!("fencepost-{}-{name}", self.labels.id)).build();
        let created = self.engine.docker().create_container(Some(called), body).await;
        let created = created.map_err(EngineError::of(format!("create a container for {name}")))?;
        self.ids.borrow_mut().insert((*name).to_owned(), created.id.clone());
        Ok(created.id)
    }

    /// The process of a container that was started now; none where it has ended already.
    async fn run(&self, name: &str, id: &str) -> Result<Option<Container>, EngineError> {
        let docker = self.engine.docker();
        docker.start_container(id, None).await.map_err(EngineError::of(format!("start the container of {name}")))?;
        let seen = docker.inspect_container(id, None).await;
        let seen = seen.map_err(EngineError::of(format!("say how the container of {name} is")))?;
        let pid = seen.state.and_then(|state| state.pid).and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0);
        Ok(pid.and_then(|pid| Container::of(self.engine.clone(), id, pid)))
    }

    /// Waits until the engine knows that what was in a container has ended.
    async fn ended(&self, id: &str) {
        let wait = WaitContainerOptionsBuilder::new().condition("not-running").build();
        // How it ended, which comes as an error where it was killed, is known already.
        let _ = self.engine.docker().wait_container(id, Some(wait)).try_collect::<Vec<_>>().await;
    }
}

impl Habitat for Containers {
    fn name(&self) -> String {
        self.labels.folder()
    }

    fn runner(&self) -> IpAddr {
        self.network.at(1)
    }

    fn store(&self) -> SocketAddr {
        self.server_at(2)
    }

    fn node(&self, index: u8) -> SocketAddr {
        self.server_at(10 + index)
    }

    fn gate(&self, index: u8) -> SocketAddr {
        self.port(index.into())
    }

    fn sentinel(&self, index: u8) -> SocketAddr {
        self.server_at(30 + index)
    }

    fn sentinel_gate(&self, index: u8) -> SocketAddr {
        self.port(100 + usize::from(index))
    }

    fn client(&self, index: usize) -> Option<IpAddr> {
        let host = u8::try_from(index).ok()?.checked_add(120)?;
        (host < 255).then(|| self.network.at(host))
    }

    fn door(&self, client: usize) -> SocketAddr {
        self.port(200 + DOORS * client)
    }

    fn server<'a>(&'a self, node: &'a str) -> Doing<'a, Result<Server, WorldError>> {
        Box::pin(async { Ok(self.servers.server(node).clone()) })
    }

    fn toxiproxy(&self) -> Result<toxiproxy::Server, WorldError> {
        let program = program::find()?;
        let program = program.canonicalize().unwrap_or(program);
        Ok(toxiproxy::Server { program, at: SocketAddr::new(self.network.at(3), toxiproxy::PORT) })
    }

    fn versions(&self) -> BTreeMap<String, String> {
        let docker = ("docker".to_owned(), self.engine.version.clone());
        [docker].into_iter().chain(self.servers.versions()).collect()
    }

    fn start<'a>(&'a self, start: Start<'a>) -> Doing<'a, io::Result<Box<dyn Life>>> {
        Box::pin(async move {
            let pipes = match start.speech {
                Speech::None => None,
                Speech::OverPipes => {
                    Some((Pipe::make(start.scratch, start.name, "in")?, Pipe::make(start.scratch, start.name, "out")?))
                }
            };
            let paths = pipes.as_ref().map(|(stdin, stdout)| (stdin.path(), stdout.path()));
            let script = start.scratch.folder().join(format!("{}.sh", start.name));
            std::fs::write(&script, script::of(&start.command, &start.log.path, paths))?;
            let known = self.ids.borrow().get(start.name).cloned();
            let id = match known {
                Some(id) => {
                    self.ended(&id).await;
                    id
                }
                None => self.create(&start, &script).await.map_err(io::Error::other)?,
            };
            match self.run(start.name, &id).await.map_err(io::Error::other)? {
                Some(life) => {
                    // It waits at its pipes until they are opened here, and so could not end before we knew its process.
                    let open = pipes.as_ref().map(|(stdin, stdout)| container::open(stdin, stdout)).transpose()?;
                    Ok(Box::new(life.speaking(open)) as Box<dyn Life>)
                }
                None => {
                    Err(io::Error::other(format!("it ended at once, and said: {}", container::said(&self.engine, &id).await)))
                }
            }
        })
    }
}

impl Drop for Containers {
    fn drop(&mut self) {
        let ids: Vec<String> = self.ids.borrow().values().cloned().collect();
        // What cannot be removed now is removed by the next run, or by `fencepost clean`: it has our labels.
        let _ = self.engine.at_last(async |docker| {
            container::remove(&docker, &ids).await;
            let _ = docker.remove_network(&self.network.name).await;
        });
    }
}
