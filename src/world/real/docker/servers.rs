//! The Redis servers of a topology: of an image of ours, made from this machine's own server, or of images that the plan names.

use super::super::habitat::Server;
use super::super::process::server;
use super::{cannot, container};
use crate::docker::{Engine, EngineError, Labels, make};
use crate::plan::Topology;
use crate::world::WorldError;
use crate::world::toxiproxy::program;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, HostConfig};
use bollard::query_parameters::CreateContainerOptionsBuilder;
use futures_util::TryStreamExt;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Says which server an image has: its path in the first line, its version in the second.
const PROBE: &str =
    "for server in redis-server valkey-server; do if command -v $server; then exec $server --version; fi; done; exit 127";

/// Which image and which server each node has.
#[derive(Debug)]
pub struct Servers {
    own: String,
    named: BTreeMap<String, String>,
    usual: String,
    by_image: BTreeMap<String, Server>,
}

impl Servers {
    /// Makes the image of ours, for a client program that is mounted, and looks into those that the plan names.
    ///
    /// # Errors
    /// There is no Redis server for some node, or the engine does not do what it should.
    pub async fn find(engine: &Engine, labels: &Labels, topology: &Topology, client: &Path) -> Result<Servers, WorldError> {
        let here = server::find();
        let programs: Vec<&Path> = here.as_deref().ok().into_iter().collect();
        // Whether some plan has toxics or none: one image is enough.
        let poison = program::find().ok().filter(|program| program::version(program).is_some());
        let guests: Vec<&Path> = [client].into_iter().chain(poison.as_deref()).collect();
        let own = make(engine, &programs, &guests).await.map_err(cannot)?.name;
        let mut by_image = BTreeMap::new();
        if let Ok(program) = &here {
            by_image.insert(own.clone(), Server { program: program.clone(), major: server::major(program).await });
        }
        let named = topology.images.clone();
        let usual = topology.image.clone().unwrap_or_else(|| own.clone());
        for image in named.values().chain([&usual]).filter(|image| **image != own) {
            if !by_image.contains_key(image) {
                by_image.insert(image.clone(), probe(engine, labels, image).await?);
            }
        }
        if !by_image.contains_key(&usual) {
            return Err(WorldError::Missing(
                "the docker world makes its image from the redis-server of this machine, and there is none on the PATH: install it (`apt-get install \
                 redis-server` on Debian and Ubuntu), or name an image that has one with `--image`"
                    .into(),
            ));
        }
        Ok(Servers { own, named, usual, by_image })
    }

    /// The image of a node.
    pub fn image(&self, node: &str) -> &str {
        self.named.get(node).unwrap_or(&self.usual)
    }

    /// The image of clients.
    pub fn own_image(&self) -> &str {
        &self.own
    }

    /// The server of a node.
    pub fn server(&self, node: &str) -> &Server {
        &self.by_image[self.image(node)]
    }

    /// Which images take part, where any is not ours.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let usual = (self.usual != self.own).then(|| ("image".to_owned(), self.usual.clone()));
        let named = self.named.iter().map(|(node, image)| (format!("image of {node}"), image.clone()));
        usual.into_iter().chain(named).collect()
    }
}

/// Starts a container to hear which server an image has.
async fn probe(engine: &Engine, labels: &Labels, image: &str) -> Result<Server, WorldError> {
    let docker = engine.docker();
    let body = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec!["/bin/sh".into()]),
        cmd: Some(vec!["-c".into(), PROBE.into()]),
        labels: Some(labels.to_map()),
        host_config: Some(HostConfig { network_mode: Some("none".into()), ..Default::default() }),
        ..Default::default()
    };
    let options = CreateContainerOptionsBuilder::new().name(&format!("fencepost-{}-probe-of-image", labels.id)).build();
    let id = match docker.create_container(Some(options), body).await {
        Ok(created) => created.id,
        Err(Error::DockerResponseServerError { status_code: 404, .. }) => {
            let advice = format!("`docker pull {image}`, or `docker images` for those there are");
            return Err(WorldError::Missing(format!("the Docker engine at {} has no image `{image}`: {advice}", engine.host())));
        }
        Err(error) => return Err(cannot(EngineError::of(format!("create a container of `{image}`"))(error))),
    };
    let ended = async {
        docker.start_container(&id, None).await?;
        match docker.wait_container(&id, None).try_collect::<Vec<_>>().await {
            Err(Error::DockerContainerWaitError { .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    };
    let ended = ended.await;
    let said = container::said(engine, &id).await;
    container::remove(docker, std::slice::from_ref(&id)).await;
    ended.map_err(EngineError::of(format!("run a shell of `{image}`, which it must have"))).map_err(cannot)?;
    let mut lines = said.lines();
    match lines.next() {
        Some(program) if program.starts_with('/') => {
            Ok(Server { program: PathBuf::from(program), major: lines.next().and_then(Server::major) })
        }
        _ => Err(WorldError::Missing(format!("the image `{image}` has neither redis-server nor valkey-server on its PATH"))),
    }
}
