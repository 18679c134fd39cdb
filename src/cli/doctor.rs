//! `fencepost doctor`: what this machine has for each world, and how to get what is missing.

use super::machine::{GET_REDIS, on_path};
use super::output::{ColourChoice, look, say, say_json};
use super::{Exit, Failure};
use crate::brief;
use crate::report::paint::{Look, Paint};
use crate::world::real::preload;
use crate::world::toxiproxy::program as toxiproxy;
use serde::Serialize;
use std::env;
use std::net::TcpListener;
use std::process::Command;

/// How to say it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// When to use colours
    #[arg(long, visible_alias = "colour", default_value = "auto", value_name = "WHEN")]
    color: ColourChoice,
}

/// What this machine has for one world.
#[derive(Debug, Serialize)]
struct World {
    name: &'static str,
    about: &'static str,
    ready: bool,
    items: Vec<Item>,
}

/// One thing that a world needs, or can make use of.
#[derive(Debug, Serialize)]
struct Item {
    name: &'static str,
    need: Need,
    found: Option<String>,
    /// What is here in its place and does not work, and how that shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
    get: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Need {
    Needed,
    ForClocksAndPower,
    ForToxics,
    Later,
}

/// Looks, and says what it saw. That something is missing is no failure.
///
/// # Errors
/// It cannot be said.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let worlds = [sim(), process(), docker()];
    if args.json {
        say_json(&serde_json::json!({ "version": env!("CARGO_PKG_VERSION"), "worlds": worlds }))?;
    } else {
        let look = look(args.color);
        say(&worlds.iter().map(|world| render(world, look)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::AsExpected)
}

fn world(name: &'static str, about: &'static str, built: bool, items: Vec<Item>) -> World {
    World { name, about, ready: built && items.iter().all(|item| item.need != Need::Needed || item.found.is_some()), items }
}

fn sim() -> World {
    let found = |text: &str| Some(text.to_owned());
    let items = vec![
        Item { name: "simulated Redis", need: Need::Needed, found: found("built in"), broken: None, get: "" },
        Item { name: "Lua for scripts", need: Need::Needed, found: found("built in (Lua 5.1)"), broken: None, get: "" },
    ];
    world("sim", "embedded, deterministic, in virtual time", true, items)
}

fn process() -> World {
    let items = vec![
        program("redis-server", Need::Needed, GET_REDIS),
        Item {
            name: "loopback addresses",
            need: Need::Needed,
            found: loopback(),
            broken: None,
            get: "127.0.0.0/8 must be on the interface lo: `ip addr add 127.0.0.1/8 dev lo`",
        },
        Item {
            name: "preloaded library",
            need: Need::ForClocksAndPower,
            found: preloaded(),
            broken: None,
            get: "a redis-server that is linked to glibc dynamically, as every distribution's is",
        },
        Item { name: "open files", need: Need::Needed, found: open_files(), broken: None, get: "`ulimit -n 1024`" },
        program("redis-sentinel", Need::Later, "Debian, Ubuntu: `apt-get install redis-sentinel`"),
        toxiproxy(),
    ];
    world("process", "real Redis processes on loopback, a process a client", true, items)
}

/// The engine is looked for as a run does it; the command `docker` itself is not needed.
#[cfg(feature = "docker")]
fn docker() -> World {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (found, broken) = match runtime.map(|runtime| runtime.block_on(crate::docker::Engine::find())) {
        Ok(Ok(engine)) => (Some(format!("{} at {}, API {}", engine.version, engine.host(), engine.api)), None),
        Ok(Err(none)) => (None, Some(none.to_string())),
        Err(error) => (None, Some(format!("no runtime: {error}"))),
    };
    let get = "Debian, Ubuntu: `apt-get install docker.io iptables`, then `systemctl start docker`";
    let items = vec![
        Item { name: "Docker engine", need: Need::Needed, found, broken, get },
        program(
            "redis-server",
            Need::Needed,
            "the image is made from it: install it, or name an image that has one with `--image redis:8`",
        ),
    ];
    world("docker", "the same in containers, on a network of their own", true, items)
}

#[cfg(not(feature = "docker"))]
fn docker() -> World {
    world("docker", "not in this build: `cargo build --features docker`", false, vec![])
}

fn program(name: &'static str, need: Need, get: &'static str) -> Item {
    let item = |found, broken| Item { name, need, found, broken, get };
    let Some(path) = on_path(name) else { return item(None, None) };
    let here = path.display();
    match brief::run(Command::new(&path).arg("--version")) {
        Ok(said) if said.status.success() => {
            item(Some(version(&said.text).map_or_else(|| here.to_string(), |version| format!("{version} at {here}"))), None)
        }
        Ok(said) => item(None, Some(format!("{here} does not work: `--version` ended with {}", said.status))),
        Err(why) => item(None, Some(format!("{here} does not work: `--version`: {why}"))),
    }
}

/// The server that poisons links, and whether this build can drive it.
fn toxiproxy() -> Item {
    let item = |found, broken, get| Item { name: toxiproxy::NAME, need: Need::ForToxics, found, broken, get };
    let named = env::var_os(toxiproxy::VARIABLE);
    let program = toxiproxy::look(named.as_deref(), &env::var_os("PATH").unwrap_or_default());
    match (program, cfg!(feature = "toxiproxy")) {
        (Ok(program), true) => match toxiproxy::version(&program) {
            Some(version) => item(Some(format!("{version} at {}", program.display())), None, ""),
            None => item(None, Some(format!("{} does not say its version", program.display())), toxiproxy::GET),
        },
        (_, false) => {
            item(None, Some("this build cannot drive it: plans with toxics run in simulation only".into()), toxiproxy::BUILD)
        }
        (Err(why), true) => item(None, Some(format!("{why}: plans with toxics run in simulation only")), toxiproxy::GET),
    }
}

/// The first word of what a program says of itself that looks like a version.
fn version(said: &str) -> Option<&str> {
    said.split([' ', '\n', ',', '='])
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// Several addresses of 127.0.0.0/8, which nodes listen on.
fn loopback() -> Option<String> {
    let addresses = ["127.0.0.1", "127.0.0.2", "127.0.1.2"];
    let all = addresses.iter().all(|address| TcpListener::bind((*address, 0)).is_ok());
    all.then(|| "127.0.0.0/8 can be listened on".into())
}

/// Whether the library that bends clocks and sees what is synced gets into the server.
fn preloaded() -> Option<String> {
    let server = on_path("redis-server")?;
    preload::reaches_program(&server).ok().map(|()| "bends the clock of redis-server and sees its fsync".into())
}

fn open_files() -> Option<String> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    match limit.current {
        None => Some("no limit".into()),
        Some(files) if files >= 256 => Some(format!("at most {files}")),
        Some(_) => None,
    }
}

fn render(world: &World, look: Look) -> String {
    let (state, paint) = if world.ready { ("ready", Paint::Guard) } else { ("not ready", Paint::Pause) };
    let mut out = format!(
        "{}  {}  {}\n",
        look.paint(Paint::Bold, world.name),
        look.paint(paint, state),
        look.paint(Paint::Dim, world.about)
    );
    for item in &world.items {
        match &item.found {
            Some(found) => out.push_str(&format!("  {}  {:20}{}\n", look.glyph('✓', '+'), item.name, look.prose(found))),
            None => {
                let (glyph, optional) = match item.need {
                    Need::Needed => ('✗', item.broken.as_deref().unwrap_or("missing")),
                    Need::ForClocksAndPower => ('✗', "missing: `clock`, `drift` and `power` cannot be injected into nodes"),
                    Need::ForToxics => {
                        ('✗', item.broken.as_deref().unwrap_or("missing: plans with toxics run in simulation only"))
                    }
                    Need::Later => ('·', item.broken.as_deref().unwrap_or("not here; nothing needs it yet")),
                };
                out.push_str(&format!("  {}  {:20}{}\n", look.glyph(glyph, '-'), item.name, look.prose(optional)));
                out.push_str(&format!("     {:20}{}\n", "", look.wrap(item.get, 25)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (said, expected) in [
            ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", Some("7.0.15")),
            ("Docker version 20.10.24+dfsg1, build 297e128", Some("20.10.24+dfsg1")),
            ("toxiproxy-server version 2.12.0\n", Some("2.12.0")),
            ("", None),
        ] {
            assert_eq!(version(said), expected);
        }
    }
}
