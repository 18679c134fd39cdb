//! Processes that die with the runner, whatever happens to it.

use crate::world::real::habitat::{Life, Pipes};
use rustix::process::{Pid, Signal, getpid, getppid, kill_process_group, set_parent_process_death_signal};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use tokio::process::{ChildStdin, ChildStdout};

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
}

impl Life for Child {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    fn ended(&mut self) -> Option<String> {
        if self.ended.is_none() {
            self.ended = self.process.try_wait().ok().flatten();
        }
        self.ended.map(|status| status.to_string())
    }

    fn died(&mut self) -> Option<String> {
        self.ended().filter(|_| !self.killed)
    }

    fn pipes(&mut self) -> io::Result<Option<Pipes>> {
        let Some((stdin, stdout)) = self.process.stdin.take().zip(self.process.stdout.take()) else { return Ok(None) };
        Ok(Some((Box::new(ChildStdin::from_std(stdin)?), Box::new(ChildStdout::from_std(stdout)?))))
    }

    fn kill(&mut self) -> io::Result<String> {
        if let Some(ended) = self.ended() {
            return Ok(ended);
        }
        kill_process_group(self.pid(), Signal::KILL)?;
        self.killed = true;
        let ended = self.process.wait()?;
        self.ended = Some(ended);
        Ok(ended.to_string())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Nobody is left to tell; and it dies with us at the latest.
        let _ = self.kill();
    }
}
