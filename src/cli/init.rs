//! `fencepost init`: what a nightly run needs, as files.

use super::output::say;
use super::{Exit, Failure};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The files, and where they go.
pub const FILES: [(&str, &str); 3] = [
    (".github/workflows/nightly.yml", include_str!("init/nightly.yml")),
    (".gitlab/nightly.yml", include_str!("init/gitlab.yml")),
    ("fencepost.toml", include_str!("init/fencepost.toml")),
];

/// `fencepost init [DIR]`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the project
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

/// Writes them.
///
/// # Errors
/// One cannot be written.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let mut told = String::new();
    let mut kept = 0;
    for (name, text) in FILES {
        let path = args.dir.join(name);
        let failed = |why| Failure::new(Exit::CannotStart, format!("{} cannot be written: {why}", path.display()));
        match written(&path, text, args.force) {
            Ok(()) => told += &format!("wrote {}\n", path.display()),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                kept += 1;
                told += &format!("left {} as it is\n", path.display());
            }
            Err(why) => return Err(failed(why)),
        }
    }
    if kept > 0 {
        told += "With --force files that are there are replaced.\n";
    }
    told += "Try it with: fencepost matrix fencepost.toml --world sim\n";
    say(&told)?;
    Ok(Exit::AsExpected)
}

fn written(path: &Path, text: &str, force: bool) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = File::options();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    options.open(path)?.write_all(text.as_bytes())
}
