//! One client: a process that speaks the client protocol.

use super::habitat::{Habitat, Life, Speech, Start};
use super::mailbox::{Heard, Mailbox, Refusal};
use super::preload::Leash;
use super::{line, scratch::Scratch};
use crate::client::protocol::Request;
use crate::client::{Answer, Ask, Told};
use crate::world::{Announced, WorldError};
use rustix::process::Pid;
use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::timeout;

/// How long a client may take until it is ready: a JVM needs its time.
const READY_WITHIN: Duration = Duration::from_secs(20);
/// How long it may take to shift its clock, which it does at once.
const CLOCK_WITHIN: Duration = Duration::from_secs(2);
/// Ids of our own requests begin here: beyond every ask, and still a whole number in JavaScript.
const OWN_IDS: u64 = 1 << 52;

/// What a client says of its wall clock.
#[derive(Debug)]
pub enum Shown {
    /// Milliseconds since 1970.
    At(i64),
    /// It answered something else: it is not one of those that can say.
    Nothing(String),
}

/// A client of a world.
pub struct Client {
    name: String,
    log: PathBuf,
    /// What holds its clock.
    pub leash: Leash,
    child: RefCell<Box<dyn Life>>,
    stdin: Mutex<Box<dyn AsyncWrite + Unpin + Send>>,
    mailbox: Arc<Mailbox>,
    paused: Cell<bool>,
    last_own_id: Cell<u64>,
}

impl Client {
    /// Starts a client and returns when it is ready. What it says unasked goes to `says`.
    ///
    /// # Errors
    /// It cannot be started, says that its lock is impossible here, or does not become ready; the text names its log.
    pub async fn start(
        name: &str,
        at: IpAddr,
        mut command: Command,
        habitat: &dyn Habitat,
        scratch: &Scratch,
        says: UnboundedSender<Announced>,
    ) -> Result<Client, WorldError> {
        let unwritable = |error| WorldError::Sick(format!("the log of {name} cannot be written: {error}"));
        let log = scratch.log(name).map_err(unwritable)?;
        let path = log.path.clone();
        let sick = |why: String| WorldError::Sick(format!("{name} {why}; its log is {}", path.display()));
        let leash = Leash::new(name, scratch).map_err(|error| sick(format!("has no page to share: {error}")))?;
        leash.tie(&mut command);
        let program = command.get_program().to_string_lossy().into_owned();
        let unstarted = |error| sick(format!("could not be started ({program}): {error}"));
        let start = Start { name, at, scratch, command, log: &log, speech: Speech::OverPipes };
        let mut child = habitat.start(start).await.map_err(unstarted)?;
        let (stdin, stdout) = child.pipes().map_err(unstarted)?.expect("it is spoken to, and nobody has taken them");
        let (mailbox, ready) = Mailbox::new(name, log.file, says);
        let mailbox = Arc::new(mailbox);
        tokio::spawn(listen(stdout, mailbox.clone()));
        match timeout(READY_WITHIN, ready).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(Refusal::Impossible(why)))) => return Err(WorldError::Impossible(why)),
            Ok(_) => return Err(sick("ended before it was ready".into())),
            Err(_) => return Err(sick(format!("was not ready within {} s", READY_WITHIN.as_secs()))),
        }
        let (paused, last_own_id) = (Cell::default(), Cell::new(OWN_IDS));
        let (name, child, stdin) = (name.to_owned(), RefCell::new(child), Mutex::new(stdin));
        Ok(Client { name, log: path, leash, child, stdin, mailbox, paused, last_own_id })
    }

    /// Asks it something and waits for its answer.
    pub async fn call(&self, ask: Ask) -> Answer {
        let heard = self.mailbox.wait(ask.id);
        if let Err(error) = self.say(&ask.to_line()).await {
            return if self.mailbox.is_gone() || self.pid().is_none() {
                Answer::Gone
            } else {
                unknown(format!("the client does not listen: {error}"))
            };
        }
        match heard.await {
            Ok(Heard::Answer(answer)) => answer,
            Ok(Heard::Clock(_)) => unknown("the client answered with its clock, and was not asked for it".into()),
            Err(_) => Answer::Gone,
        }
    }

    /// Asks it to shift its wall clock by itself, and what it shows then.
    ///
    /// # Errors
    /// In words, why it does not answer.
    pub async fn clock(&self, jump_ms: i64) -> Result<Shown, String> {
        let id = self.last_own_id.get() + 1;
        self.last_own_id.set(id);
        let heard = self.mailbox.wait(id);
        let asked = async {
            self.say(&Request::Clock { id, jump_ms }.to_line()).await.map_err(|error| format!("does not listen: {error}"))?;
            match heard.await {
                Ok(Heard::Clock(wall_ms)) => Ok(Shown::At(wall_ms)),
                Ok(Heard::Answer(answer)) => Ok(Shown::Nothing(format!("it answered {answer:?}"))),
                Err(_) => Err("is dead".into()),
            }
        };
        let asked = timeout(CLOCK_WITHIN, asked).await;
        asked.unwrap_or_else(|_| Err(format!("did not say what its clock shows within {} s", CLOCK_WITHIN.as_secs())))
    }

    async fn say(&self, line: &str) -> std::io::Result<()> {
        let mut stdin = self.stdin.lock().await;
        stdin.write_all(format!("{line}\n").as_bytes()).await?;
        stdin.flush().await
    }

    /// Its process id; none when it is dead.
    pub fn pid(&self) -> Option<Pid> {
        let mut child = self.child.borrow_mut();
        child.ended().is_none().then(|| child.pid())
    }

    /// In words that it ended, where nobody here had killed it.
    pub fn died(&self) -> Option<String> {
        let status = self.child.borrow_mut().died()?;
        Some(format!("{} ended by itself ({status}); its log is {}", self.name, self.log.display()))
    }

    /// Kills it (SIGKILL) and reaps it. What was asked of it is answered with [`Answer::Gone`].
    ///
    /// # Errors
    /// It could not be signalled.
    pub fn kill(&self) -> std::io::Result<String> {
        let ended = self.child.borrow_mut().kill()?;
        self.mailbox.gone();
        Ok(ended)
    }

    /// Remembers that it is stopped or goes on.
    pub fn is_paused(&self, paused: bool) {
        self.paused.set(paused);
    }

    /// Whether it is stopped.
    pub fn paused(&self) -> bool {
        self.paused.get()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

async fn listen(stdout: Box<dyn AsyncRead + Unpin + Send>, mailbox: Arc<Mailbox>) {
    let mut stdout = BufReader::new(stdout);
    while let Some(line) = line::next(&mut stdout).await {
        if !line.trim().is_empty() {
            mailbox.line(&line);
        }
    }
    mailbox.gone();
}

fn unknown(why: String) -> Answer {
    Answer::Unknown(Told { why: Some(why), ..Told::default() })
}
