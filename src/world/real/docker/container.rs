//! A process in a container: signalled and seen to be dead by the kernel of this machine, which is its kernel too.

use super::super::habitat::{Life, Pipes};
use super::super::scratch::Scratch;
use crate::docker::Engine;
use bollard::Docker;
use bollard::query_parameters::{LogsOptionsBuilder, RemoveContainerOptionsBuilder};
use futures_util::TryStreamExt;
use futures_util::future::join_all;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe::{OpenOptions, Receiver};

/// How long a killed process may take to end: it is a matter of milliseconds.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// What runs in a container, from one start to its end.
pub struct Container {
    engine: Engine,
    id: String,
    pid: Pid,
    process: OwnedFd,
    pipes: Option<Pipes>,
    /// How it ended, where that is known.
    ended: Option<String>,
    killed: bool,
}

impl Container {
    /// The process of that id, which the engine has just started; none where it has ended and is gone.
    pub fn of(engine: Engine, id: &str, pid: i32) -> Option<Container> {
        let pid = Pid::from_raw(pid)?;
        let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some(Container { engine, id: id.to_owned(), pid, process, pipes: None, ended: None, killed: false })
    }

    /// With which it is spoken to.
    pub fn speaking(mut self, pipes: Option<Pipes>) -> Container {
        self.pipes = pipes;
        self
    }

    /// Whether it has ended within this time.
    fn ends_within(&self, time: Duration) -> bool {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        loop {
            match poll(&mut [PollFd::new(&self.process, PollFlags::IN)], Some(&time)) {
                Err(rustix::io::Errno::INTR) => {}
                polled => return polled.is_ok_and(|ready| ready > 0),
            }
        }
    }

    /// How it ended, by the engine's word.
    fn status(&self) -> String {
        let id = &self.id;
        let status = self.engine.at_last(async move |docker| {
            let wait = docker.wait_container(id, None).try_collect::<Vec<_>>();
            // Whatever is not 0 comes as an error.
            match wait.await {
                Err(bollard::errors::Error::DockerContainerWaitError { code, .. }) => Some(code),
                Ok(_) => Some(0),
                Err(_) => None,
            }
        });
        match status.ok().flatten() {
            // The shell's way of saying so.
            Some(code @ 129..) => format!("signal: {}", code - 128),
            Some(code) => format!("exit status: {code}"),
            None => "nobody knows how".into(),
        }
    }
}

impl Life for Container {
    fn pid(&self) -> Pid {
        self.pid
    }

    fn ended(&mut self) -> Option<String> {
        if self.ended.is_none() && self.ends_within(Duration::ZERO) {
            self.ended = Some(self.status());
        }
        self.ended.clone()
    }

    fn died(&mut self) -> Option<String> {
        self.ended().filter(|_| !self.killed)
    }

    fn pipes(&mut self) -> io::Result<Option<Pipes>> {
        Ok(self.pipes.take())
    }

    fn kill(&mut self) -> io::Result<String> {
        if let Some(ended) = self.ended() {
            return Ok(ended);
        }
        // It is the first of its container, and the kernel kills the others with it.
        pidfd_send_signal(&self.process, Signal::KILL)?;
        self.killed = true;
        if !self.ends_within(ENDS_WITHIN) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("it did not end within {} s", ENDS_WITHIN.as_secs())));
        }
        Ok(self.ended.insert("signal: 9 (SIGKILL)".into()).clone())
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // Nobody is left to tell; and its container is removed by force at the latest.
        if !self.ends_within(Duration::ZERO) {
            let _ = self.kill();
        }
    }
}

/// A named pipe, at the same path here and in a container.
#[derive(Debug)]
pub struct Pipe(PathBuf);

impl Pipe {
    /// Makes one for a client, anew where there was one.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(scratch: &Scratch, client: &str, end: &str) -> io::Result<Pipe> {
        let path = scratch.folder().join(format!("{client}.{end}"));
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?,
        }
        Ok(Pipe(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Opens our ends of a client's standard input and output, at which it waits for us. The input ends when we do.
///
/// # Errors
/// They cannot be opened.
pub fn open(stdin: &Pipe, stdout: &Pipe) -> io::Result<Pipes> {
    let stdin = OpenOptions::new().read_write(true).open_sender(stdin.path())?;
    let receiver = OpenOptions::new().open_receiver(stdout.path())?;
    let place = Some(File::options().write(true).open(stdout.path())?);
    Ok((Box::new(stdin), Box::new(Stdout { receiver, place })))
}

/// A client's standard output. A pipe that nobody writes to is at its end, so we hold the client's place until it has come.
struct Stdout {
    receiver: Receiver,
    place: Option<File>,
}

impl AsyncRead for Stdout {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.receiver).poll_read(context, into);
        if read.is_ready() {
            self.place = None;
        }
        read
    }
}

/// What a container printed that is not in its log.
pub async fn said(engine: &Engine, id: &str) -> String {
    let options = LogsOptionsBuilder::new().stdout(true).stderr(true).tail("20").build();
    let said = engine.docker().logs(id, Some(options)).try_collect::<Vec<_>>().await;
    let said = said.map(|said| said.iter().map(ToString::to_string).collect::<String>()).unwrap_or_default();
    if said.trim().is_empty() { "nothing".into() } else { said.trim().to_owned() }
}

/// Removes containers, whatever they do.
pub async fn remove(docker: &Docker, ids: &[String]) {
    let by_force = || Some(RemoveContainerOptionsBuilder::new().force(true).v(true).build());
    join_all(ids.iter().map(|id| docker.remove_container(id, by_force()))).await;
}
