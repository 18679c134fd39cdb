//! Nothing outlives its runner. The runner is this test program, started again as [`act_as_runner`].

use crate::stage::{acquire, granted, plan, redis_is_here, setup, soon, world};
use fencepost::world::World;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A runner with a world, in a folder of its own.
struct Runner {
    process: Child,
    stdout: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Runner {
    fn start() -> Runner {
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .args(["runner::act_as_runner", "--exact", "--ignored", "--nocapture"])
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let stdout = BufReader::new(process.stdout.take().expect("it was piped"));
        let mut runner = Runner { process, stdout, folder };
        runner.until("started");
        runner
    }

    fn until(&mut self, said: &str) {
        let mut line = String::new();
        while !line.contains(said) {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).expect("text"), 0, "the runner ended before it {said}");
        }
    }

    /// Its children, by process id, with their process groups.
    fn children(&self) -> BTreeMap<u32, u32> {
        processes()
            .into_iter()
            .filter(|(_, (parent, _))| *parent == self.process.id())
            .map(|(pid, (_, group))| (pid, group))
            .collect()
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = (self.process.kill(), self.process.wait());
    }
}

/// Every living process with its parent and its group.
fn processes() -> BTreeMap<u32, (u32, u32)> {
    let pids = std::fs::read_dir("/proc").expect("Linux").flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        let [state, parent, group] = fields.splitn(4, ' ').take(3).collect::<Vec<_>>()[..] else { return None };
        if state == "Z" { None } else { Some((pid, (parent.parse().ok()?, group.parse().ok()?))) }
    })
    .collect()
}

#[test]
fn a_killed_runner_leaves_no_process_behind() {
    if !redis_is_here() {
        return;
    }
    let mut runner = Runner::start();
    let children = runner.children();
    assert_eq!(children.len(), 4, "two nodes and two clients: {children:?}");
    assert!(children.iter().all(|(pid, group)| pid == group), "Ctrl-C would hit them: {children:?}");
    runner.process.kill().expect("ours");
    runner.process.wait().expect("ours");
    let begun = Instant::now();
    while processes().keys().any(|pid| children.contains_key(pid)) {
        assert!(begun.elapsed() < Duration::from_secs(20), "they live on: {children:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_dropped_world_leaves_nothing_behind() {
    if !redis_is_here() {
        return;
    }
    let mut runner = Runner::start();
    let files = |runner: &Runner| std::fs::read_dir(runner.folder.path()).expect("a folder").count();
    assert_eq!(files(&runner), 1);
    runner.process.stdin.take().expect("it was piped").write_all(b"drop\n").expect("it listens");
    runner.until("dropped");
    assert_eq!((runner.children().len(), files(&runner)), (0, 0));
}

#[test]
#[ignore = "the other tests here start it as a program of its own"]
fn act_as_runner() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let world = runtime.block_on(async {
        let world = world(setup(plan("resource = { kind = \"redis\" }"))).await;
        for client in ["c1", "c2"] {
            soon(world.start_client(client)).await.expect("a client");
        }
        granted(acquire(&world, "c1").await);
        // Even what stands still must die.
        soon(world.inject(&nemesis::Fault::Pause("c2".into()))).await.expect("it stops");
        world
    });
    println!("started");
    std::io::stdin().read_line(&mut String::new()).expect("a pipe");
    drop(world);
    println!("dropped");
    std::io::stdin().read_line(&mut String::new()).expect("a pipe");
}
