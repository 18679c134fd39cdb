//! The image that is made from this machine's own programs, without any registry.

use super::closure::Closure;
use super::label::IMAGE;
use super::{Engine, EngineError};
use bollard::errors::Error;
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures_util::TryStreamExt;
use std::path::Path;

/// What images of ours are called, before the hash of what is in them.
const NAME: &str = "fencepost/world";
/// The shell that starts what is in a container.
pub const SHELL: &str = "/bin/sh";

/// An image of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its name, with the hash of its content.
    pub name: String,
    /// How many bytes were sent to make it; none where it was there already.
    pub sent: Option<usize>,
}

/// Makes an image with a shell, these programs, and what these guests, which are mounted later, load; unless it is there already.
///
/// # Errors
/// A program cannot be read here, or the engine does not take the image.
pub async fn make(engine: &Engine, programs: &[&Path], guests: &[&Path]) -> Result<Made, EngineError> {
    let unread = || EngineError::of("get an image, since a program of this machine cannot be read");
    let mut closure = Closure::default();
    closure.program(Path::new(SHELL)).map_err(unread())?;
    for program in programs {
        closure.program(program).map_err(unread())?;
    }
    for guest in guests {
        closure.libraries_of(guest).map_err(unread())?;
    }
    let tag = closure.hash();
    let name = format!("{NAME}:{tag}");
    match engine.docker().inspect_image(&name).await {
        Ok(_) => return Ok(Made { name, sent: None }),
        Err(Error::DockerResponseServerError { status_code: 404, .. }) => {}
        Err(error) => return Err(EngineError::of("say which images it has")(error)),
    }
    let tar = closure.to_tar().map_err(unread())?;
    let sent = Some(tar.len());
    let changes = vec![format!("LABEL {}={}", IMAGE.0, IMAGE.1)];
    let options = CreateImageOptionsBuilder::new().from_src("-").repo(NAME).tag(&tag).changes(changes).build();
    let made = engine.docker().create_image(Some(options), Some(bollard::body_full(tar.into())), None);
    made.try_collect::<Vec<_>>().await.map_err(EngineError::of("take an image"))?;
    Ok(Made { name, sent })
}
