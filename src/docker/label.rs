//! The labels on whatever is ours, by which it is found again when its runner is dead.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What everything of a run is labelled with.
pub const RUN: (&str, &str) = ("org.fencepost", "run");
/// What an image of ours is labelled with.
pub const IMAGE: (&str, &str) = ("org.fencepost", "image");
const OWNER: &str = "org.fencepost.owner";
const ID: &str = "org.fencepost.id";

/// A runner: a process of a machine that has booted once. No other has the same, now or later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Which boot of the machine, and which of its namespaces of process ids.
    machine: String,
    pid: u32,
    /// When it began, in the kernel's ticks.
    began: u64,
}

impl Owner {
    /// This process.
    pub fn ourselves() -> Owner {
        let pid = std::process::id();
        Owner { machine: machine(), pid, began: began(pid).unwrap_or_default() }
    }

    /// Whether it is certainly dead. Of a process of another namespace nobody here knows.
    pub fn is_dead(&self) -> bool {
        let (boot, _) = self.machine.split_once('/').unwrap_or_default();
        let here = machine();
        let (booted, _) = here.split_once('/').unwrap_or_default();
        boot != booted || (self.machine == here && began(self.pid) != Some(self.began))
    }

    /// Who it is, in words.
    pub fn in_words(&self) -> String {
        format!("process {}", self.pid)
    }

    fn to_label(&self) -> String {
        format!("{} {} {}", self.machine, self.pid, self.began)
    }

    fn from_label(text: &str) -> Option<Owner> {
        let mut words = text.split(' ');
        let (machine, pid, began) = (words.next()?.to_owned(), words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Owner { machine, pid, began })
    }
}

/// The labels of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// Whose it is.
    pub owner: Owner,
    /// What it is called; no two runs at once are called the same.
    pub id: String,
}

impl Labels {
    /// For a run of this process.
    pub fn new() -> Labels {
        static RUNS: AtomicUsize = AtomicUsize::new(1);
        let owner = Owner::ourselves();
        let id = format!("{}-{}-{}", owner.pid, owner.began, RUNS.fetch_add(1, Ordering::Relaxed));
        Labels { owner, id }
    }

    /// What the run's folders are called.
    pub fn folder(&self) -> String {
        format!("docker-{}", self.id)
    }

    /// As an engine keeps them.
    pub fn to_map(&self) -> HashMap<String, String> {
        [(RUN.0, RUN.1.to_owned()), (OWNER, self.owner.to_label()), (ID, self.id.clone())]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    /// Reads them; none where they are not ours.
    pub fn from_map(labels: &HashMap<String, String>) -> Option<Labels> {
        (labels.get(RUN.0)? == RUN.1).then_some(())?;
        Some(Labels { owner: Owner::from_label(labels.get(OWNER)?)?, id: labels.get(ID)?.clone() })
    }
}

impl Default for Labels {
    fn default() -> Labels {
        Labels::new()
    }
}

/// Which boot of this machine this is, and in which of its namespaces of process ids we are.
fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", boot.trim(), namespace.display())
}

/// When a process began; none where there is none.
fn began(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    // A process that only waits to be reaped does nothing any more.
    (fields.next()? != "Z").then_some(())?;
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_were_written() {
        let (first, second) = (Labels::new(), Labels::new());
        assert_ne!(first.id, second.id);
        assert_eq!(Labels::from_map(&first.to_map()), Some(first.clone()));
        let mut other = first.to_map();
        other.insert(RUN.0.into(), "image".into());
        assert_eq!(Labels::from_map(&other), None);
        assert_eq!(Labels::from_map(&HashMap::new()), None);
    }

    #[test]
    fn the_living_live_and_the_dead_are_dead() {
        let ourselves = Owner::ourselves();
        assert!(!ourselves.is_dead());
        assert!(Owner { began: ourselves.began + 1, ..ourselves.clone() }.is_dead(), "another process that has our id");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep is everywhere");
        let owner = Owner { pid: child.id(), began: began(child.id()).expect("it lives"), ..ourselves.clone() };
        assert!(!owner.is_dead());
        child.kill().expect("a child can be killed");
        while !owner.is_dead() {
            std::thread::yield_now();
        }
        child.wait().expect("a child can be reaped");
        let elsewhere = |machine: &str| Owner { machine: machine.into(), ..owner.clone() };
        let (boot, _) = ourselves.machine.split_once('/').expect("a namespace");
        assert!(elsewhere("another boot/pid:[1]").is_dead());
        assert!(!elsewhere(&format!("{boot}/pid:[1]")).is_dead(), "nobody knows");
    }
}
