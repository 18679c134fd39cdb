//! Builds the plans of `scenarios/` into the binary: a file more is a scenario more.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=scenarios");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("scenarios");
    let mut files = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort_by_key(|file| file.file_stem().map(ToOwned::to_owned));
    let mut code = String::from("const SCENARIOS: &[Scenario] = &[\n");
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).ok_or("a scenario's name is not UTF-8")?;
        let path = file.to_str().ok_or("the path of the scenarios is not UTF-8")?;
        writeln!(code, "    Scenario {{ name: {name:?}, text: include_str!({path:?}) }},")?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("scenarios.rs"), code)?;
    Ok(())
}
