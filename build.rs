//! Builds the plans of `scenarios/` into the binary: a file more is a scenario more. Compiles the library of `shim/`, which is embedded.

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let (source, out) = (env::var("CARGO_MANIFEST_DIR")?, env::var("OUT_DIR")?);
    scenarios(Path::new(&source), Path::new(&out))?;
    preload(Path::new(&source), Path::new(&out))
}

fn scenarios(source: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=scenarios");
    let mut files =
        fs::read_dir(source.join("scenarios"))?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort_by_key(|file| file.file_stem().map(ToOwned::to_owned));
    let mut code = String::from("const SCENARIOS: &[Scenario] = &[\n");
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).ok_or("a scenario's name is not UTF-8")?;
        let path = file.to_str().ok_or("the path of the scenarios is not UTF-8")?;
        writeln!(code, "    Scenario {{ name: {name:?}, text: include_str!({path:?}) }},")?;
    }
    code.push_str("];\n");
    Ok(fs::write(out.join("scenarios.rs"), code)?)
}

/// The library for processes of the target. Where it cannot be for the target, nothing is embedded, and a fault that needs it says so.
fn preload(source: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=shim");
    let of_target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let possible = of_target("OS") == "linux"
        && of_target("ENV") == "gnu"
        && of_target("POINTER_WIDTH") == "64"
        && matches!(of_target("ARCH").as_str(), "x86_64" | "aarch64");
    let mut code = "const LIBRARY: Option<&[u8]> = None;\n".to_owned();
    if possible {
        let library = out.join("libfencepost_preload.so");
        let mut rustc = Command::new(env::var_os("RUSTC").ok_or("cargo names no rustc")?);
        rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "fencepost_preload"]);
        rustc.args(["-C", "panic=abort", "-C", "opt-level=3", "-C", "lto=fat", "-C", "strip=symbols"]);
        rustc.args(["--target", &env::var("TARGET")?]);
        if let Some(linker) = env::var_os("RUSTC_LINKER") {
            let mut option = OsString::from("linker=");
            option.push(linker);
            rustc.arg("-C").arg(option);
        }
        rustc.arg(source.join("shim/lib.rs")).arg("-o").arg(&library);
        let status = rustc.status()?;
        if !status.success() {
            return Err(format!("the library to preload could not be compiled ({status}): {rustc:?}").into());
        }
        let path = library.to_str().ok_or("the path of the build is not UTF-8")?;
        code = format!("const LIBRARY: Option<&[u8]> = Some(include_bytes!({path:?}));\n");
    }
    Ok(fs::write(out.join("preload.rs"), code)?)
}
