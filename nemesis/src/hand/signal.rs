//! Pauses and resumes a process, a child of ours or one in a container, with everything in its process group.

use crate::{Evidence, NotInjected};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::path::Path;
use std::time::{Duration, Instant};

/// A stop takes 70 µs, and at most a few milliseconds; one that takes so long is none.
const PATIENCE: Duration = Duration::from_secs(2);

/// For this long it is asked again at once; the clock of timers ticks too slowly.
const AT_ONCE: Duration = Duration::from_millis(2);

/// Stops a process (SIGSTOP), the leader of its group, and returns when each of its threads stands still.
///
/// # Errors
/// It is dead, it is not ours to signal, or it did not stop.
pub async fn pause(pid: Pid) -> Result<Evidence, NotInjected> {
    signal(pid, Signal::STOP)?;
    // The kernel reports a child as stopped when its last thread has stopped; its main thread may show T before that.
    let stopped = || match waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT) {
        Ok(status) => status.is_some(),
        // Of others than its children it reports nothing.
        Err(Errno::CHILD) => stands_still(pid),
        Err(_) => true,
    };
    until(|| stopped() || state(pid).is_none_or(is_dead)).await;
    match state(pid) {
        Some('T') => Ok(Evidence(format!("state T in /proc/{pid}/stat"))),
        other => Err(not(pid, "stop", other)),
    }
}

/// Lets a stopped process go on (SIGCONT) and returns when it does.
///
/// # Errors
/// It is dead, or it did not go on.
pub async fn resume(pid: Pid) -> Result<Evidence, NotInjected> {
    signal(pid, Signal::CONT)?;
    until(|| state(pid) != Some('T')).await;
    match state(pid) {
        Some(state) if state != 'T' && !is_dead(state) => Ok(Evidence(format!("state {state} in /proc/{pid}/stat"))),
        other => Err(not(pid, "go on", other)),
    }
}

fn signal(pid: Pid, signal: Signal) -> Result<(), NotInjected> {
    kill_process_group(pid, signal).map_err(|error| match error {
        Errno::SRCH => NotInjected(format!("process {pid} is dead")),
        error => NotInjected(format!("process {pid} could not be signalled: {error}")),
    })
}

fn not(pid: Pid, what: &str, state: Option<char>) -> NotInjected {
    match state {
        Some(state) if !is_dead(state) => NotInjected(format!(
            "process {pid} did not {what} within {} s: state {state} in /proc/{pid}/stat",
            PATIENCE.as_secs()
        )),
        _ => NotInjected(format!("process {pid} is dead")),
    }
}

/// The state of a process as the kernel shows it: R, S, D, T, Z; none where there is no such process.
pub fn state(pid: Pid) -> Option<char> {
    state_in(format!("/proc/{pid}/stat").as_ref())
}

fn state_in(file: &Path) -> Option<char> {
    let stat = std::fs::read_to_string(file).ok()?;
    // The name before it may hold anything, parentheses too.
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Whether each thread of a process shows that it is stopped.
fn stands_still(pid: Pid) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let states: Vec<Option<char>> = threads.flatten().map(|thread| state_in(&thread.path().join("stat"))).collect();
    !states.is_empty() && states.iter().all(|state| *state == Some('T'))
}

fn is_dead(state: char) -> bool {
    matches!(state, 'Z' | 'X' | 'x')
}

async fn until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() && begun.elapsed() < PATIENCE {
        if begun.elapsed() < AT_ONCE {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    fn sleeper() -> (Child, Pid) {
        let child = Command::new("sleep").arg("60").process_group(0).spawn().expect("sleep is everywhere");
        let pid = Pid::from_child(&child);
        (child, pid)
    }

    #[tokio::test]
    async fn a_process_stops_and_goes_on() {
        let (mut child, pid) = sleeper();
        for _ in 0..20 {
            assert_eq!(pause(pid).await, Ok(Evidence(format!("state T in /proc/{pid}/stat"))));
            assert_eq!(state(pid), Some('T'));
            assert!(resume(pid).await.is_ok());
            assert_ne!(state(pid), Some('T'));
        }
        child.kill().and_then(|()| child.wait()).expect("a child can be killed");
    }

    #[tokio::test]
    async fn a_process_that_is_no_child_of_ours_stops_and_goes_on() {
        use std::io::BufRead;
        // The shell in the middle is its parent; it leads a group of its own, as the first process of a container does.
        let script = "setsid sleep 60 & echo $!; wait";
        let mut shell =
            Command::new("sh").args(["-c", script]).stdout(std::process::Stdio::piped()).spawn().expect("a shell is everywhere");
        let mut said = String::new();
        std::io::BufReader::new(shell.stdout.take().expect("a pipe")).read_line(&mut said).expect("a line");
        let pid = said.trim().parse().ok().and_then(Pid::from_raw).expect("a process id");
        // Until it leads its group it cannot be signalled as one.
        let begun = Instant::now();
        while rustix::process::test_kill_process_group(pid).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10));
            tokio::task::yield_now().await;
        }
        for _ in 0..20 {
            assert_eq!(pause(pid).await, Ok(Evidence(format!("state T in /proc/{pid}/stat"))));
            assert!(stands_still(pid));
            assert!(resume(pid).await.is_ok());
        }
        kill_process_group(pid, Signal::KILL).expect("it can be killed");
        shell.wait().expect("a child can be reaped");
        assert!(pause(pid).await.is_err());
    }

    #[tokio::test]
    async fn a_dead_process_does_not_stop() {
        let (mut child, pid) = sleeper();
        child.kill().expect("a child can be killed");
        while state(pid) != Some('Z') {
            tokio::task::yield_now().await;
        }
        let dead = NotInjected(format!("process {pid} is dead"));
        assert_eq!((pause(pid).await, resume(pid).await), (Err(dead.clone()), Err(dead.clone())));
        child.wait().expect("a child can be reaped");
        assert_eq!(pause(pid).await, Err(dead));
    }
}
