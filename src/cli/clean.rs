//! `fencepost clean`: removes what runs left on the Docker engine whose runner is dead.

use super::output::{say, say_json};
use super::{Exit, Failure};
use crate::docker::{Engine, EngineError, NoEngine, Swept, sweep, sweep_images};

/// What to remove, and how to say it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Remove the images too that were made for runs; the next run makes its own again
    #[arg(long)]
    images: bool,
    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

impl From<NoEngine> for Failure {
    fn from(none: NoEngine) -> Failure {
        Failure::new(Exit::CannotStart, none)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::new(Exit::CannotStart, error)
    }
}

/// Removes it, and says what.
///
/// # Errors
/// There is no engine, or it does not do what it should.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Bug, format!("no runtime: {error}")))?;
    let swept = runtime.block_on(async {
        let engine = Engine::find().await?;
        let mut swept = sweep(&engine).await?;
        if args.images {
            sweep_images(&engine, &mut swept).await?;
        }
        Ok::<Swept, Failure>(swept)
    })?;
    if args.json {
        say_json(&swept)?;
    } else {
        say(&render(&swept))?;
    }
    Ok(Exit::AsExpected)
}

fn render(swept: &Swept) -> String {
    let Swept { containers, networks, folders, images, left } = swept;
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let kinds = [("container", containers), ("network", networks), ("folder", &folders), ("image", images)];
    let mut lines: Vec<String> =
        kinds.iter().flat_map(|(kind, names)| names.iter().map(move |name| format!("removed  {kind} {name}"))).collect();
    lines.extend(left.iter().map(|left| format!("left     {}: {}", left.name, left.why)));
    if lines.is_empty() {
        lines.push("nothing of ours is on the Docker engine".into());
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docker::Left;

    #[test]
    fn it_says_what_is_gone_and_what_is_not() {
        assert_eq!(render(&Swept::default()), "nothing of ours is on the Docker engine\n");
        let swept = Swept {
            containers: vec!["fencepost-1-2-1-n1".into()],
            networks: vec!["fencepost-1-2-1".into()],
            folders: vec!["/tmp/fencepost-docker-1-2-1".into()],
            images: vec![],
            left: vec![Left { name: "fencepost-7-8-1".into(), why: "its runner, process 7, may be alive".into() }],
        };
        let expected = "removed  container fencepost-1-2-1-n1\nremoved  network fencepost-1-2-1\n\
                        removed  folder /tmp/fencepost-docker-1-2-1\n\
                        left     fencepost-7-8-1: its runner, process 7, may be alive\n";
        assert_eq!(render(&swept), expected);
    }
}
