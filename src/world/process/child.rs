//! Processes that die with the runner, whatever happens to it.

use rustix::process::{Pid, Signal, getpid, getppid, kill_process_group, set_parent_process_death_signal};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};

/// A child process in a group of its own, so that the terminal's Ctrl-C hits only the runner. It is killed and reaped when dropped.
///
/// The kernel kills it when the thread that started it ends: that thread must live as long as the child.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    ended: Option<ExitStatus>,
    killed: bool,
}

impl Child {
    /// Starts it.
    ///
    /// # Errors
    /// The program is not there or cannot be run.
    pub fn spawn(command: &mut Command) -> io::Result<Child> {
        let parent = getpid();
        let die_with_parent = move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before the kernel was asked to watch it.
            if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        };
        command.process_group(0);
        // SAFETY: between fork and exec it makes two system calls, and neither allocates nor locks.
        unsafe { command.pre_exec(die_with_parent) };
        Ok(Child { process: command.spawn()?, ended: None, killed: false })
    }

    /// Its process id, which is its group's too.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// What it said with its end; none while it lives.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.process.try_wait().ok().flatten();
        }
        self.ended
    }

    /// What it said with its end, where it was not killed by us.
    pub fn died(&mut self) -> Option<ExitStatus> {
        self.ended().filter(|_| !self.killed)
    }

    /// Its standard input and output, where they are pipes and not taken yet.
    pub fn pipes(&mut self) -> Option<(std::process::ChildStdin, std::process::ChildStdout)> {
        self.process.stdin.take().zip(self.process.stdout.take())
    }

    /// Kills it and its group (SIGKILL) and reaps it. The kernel has closed its connections when this returns.
    ///
    /// # Errors
    /// It could not be signalled or reaped.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        if let Some(ended) = self.ended() {
            return Ok(ended);
        }
        kill_process_group(self.pid(), Signal::KILL)?;
        self.killed = true;
        let ended = self.process.wait()?;
        self.ended = Some(ended);
        Ok(ended)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Nobody is left to tell; and it dies with us at the latest.
        let _ = self.kill();
    }
}
