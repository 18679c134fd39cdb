//! What runs left behind whose runner is dead.

use super::label::{IMAGE, Labels, RUN};
use super::{Engine, EngineError};
use crate::world::real::scratch::OURS;
use bollard::query_parameters::{
    ListContainersOptionsBuilder, ListImagesOptionsBuilder, ListNetworksOptionsBuilder, RemoveContainerOptionsBuilder,
    RemoveImageOptionsBuilder,
};
use futures_util::future::join_all;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

/// What was removed, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Names of containers that are gone.
    pub containers: Vec<String>,
    /// Names of networks that are gone.
    pub networks: Vec<String>,
    /// Folders of dead runs that are gone.
    pub folders: Vec<PathBuf>,
    /// Names of images that are gone.
    pub images: Vec<String>,
    /// What is still there, and why.
    pub left: Vec<Left>,
}

/// Something that was not removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Its name.
    pub name: String,
    /// Why it is still there.
    pub why: String,
}

impl Swept {
    fn leave(&mut self, name: String, why: impl ToString) {
        self.left.push(Left { name, why: why.to_string() });
    }
}

fn labelled((name, value): (&str, &str)) -> HashMap<String, Vec<String>> {
    HashMap::from([("label".to_owned(), vec![format!("{name}={value}")])])
}

/// The run whose runner is dead; else, why its things are not touched.
fn dead_run(labels: Option<HashMap<String, String>>) -> Result<Labels, String> {
    let labels = labels.as_ref().and_then(Labels::from_map).ok_or("its labels do not say whose it is")?;
    match labels.owner.is_dead() {
        true => Ok(labels),
        false => Err(format!("its runner, {}, may be alive", labels.owner.in_words())),
    }
}

/// Removes the containers, networks and folders of runs whose runner is dead.
///
/// # Errors
/// The engine does not say what there is.
pub async fn sweep(engine: &Engine) -> Result<Swept, EngineError> {
    let mut swept = Swept::default();
    let docker = engine.docker();
    let all = ListContainersOptionsBuilder::new().all(true).filters(&labelled(RUN)).build();
    let containers = docker.list_containers(Some(all)).await.map_err(EngineError::of("list containers"))?;
    let (mut dead, mut folders) = (vec![], BTreeSet::new());
    for container in containers {
        let id = container.id.unwrap_or_default();
        let names = container.names.unwrap_or_default();
        let name = names.first().map_or(id.clone(), |name| name.trim_start_matches('/').to_owned());
        match dead_run(container.labels) {
            Err(why) => swept.leave(name, why),
            Ok(labels) => {
                folders.insert(labels.folder());
                dead.push((id, name));
            }
        }
    }
    let by_force = || Some(RemoveContainerOptionsBuilder::new().force(true).v(true).build());
    let removed = join_all(dead.iter().map(|(id, _)| docker.remove_container(id, by_force()))).await;
    for ((_, name), removed) in dead.into_iter().zip(removed) {
        match removed {
            Ok(()) => swept.containers.push(name),
            Err(error) if is_gone(&error) => {}
            Err(error) => swept.leave(name, error),
        }
    }
    let all = ListNetworksOptionsBuilder::new().filters(&labelled(RUN)).build();
    for network in docker.list_networks(Some(all)).await.map_err(EngineError::of("list networks"))? {
        let name = network.name.unwrap_or_default();
        match dead_run(network.labels) {
            Err(why) => swept.leave(name, why),
            Ok(labels) => {
                folders.insert(labels.folder());
                match docker.remove_network(&name).await {
                    Ok(()) => swept.networks.push(name),
                    Err(error) if is_gone(&error) => {}
                    Err(error) => swept.leave(name, error),
                }
            }
        }
    }
    let folders = folders.into_iter().map(|name| std::env::temp_dir().join(format!("{OURS}{name}")));
    swept.folders = folders.filter(|folder| std::fs::remove_dir_all(folder).is_ok()).collect();
    Ok(swept)
}

/// Removes the images that were made for runs; the next run makes its own again.
///
/// # Errors
/// The engine does not say what there is.
pub async fn sweep_images(engine: &Engine, swept: &mut Swept) -> Result<(), EngineError> {
    let docker = engine.docker();
    let all = ListImagesOptionsBuilder::new().filters(&labelled(IMAGE)).build();
    for image in docker.list_images(Some(all)).await.map_err(EngineError::of("list images"))? {
        let name = image.repo_tags.into_iter().next().unwrap_or(image.id);
        match docker.remove_image(&name, Some(RemoveImageOptionsBuilder::new().build()), None).await {
            Ok(_) => swept.images.push(name),
            Err(error) => swept.leave(name, error),
        }
    }
    Ok(())
}

/// Whether somebody else has removed it meanwhile, or is about to.
fn is_gone(error: &bollard::errors::Error) -> bool {
    matches!(error, bollard::errors::Error::DockerResponseServerError { status_code: 404 | 409, .. })
}
