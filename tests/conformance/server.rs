//! A real redis-server, and connections to it that say exactly what was sent and answered.

use redis::{Parser, Value};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The version whose every reply the simulated node gives.
const VERSION: &str = "v=7.0.";

/// A server on a socket of its own; it dies with the test, even if that is killed.
pub struct Server {
    child: Child,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts one. Without a redis-server 7.0 on this machine there is none, and the test says so, loudly, or fails if it must not be
    /// skipped.
    pub fn start() -> Option<Server> {
        Server::start_with(&[])
    }

    /// As [`Server::start`], with these options more.
    pub fn start_with(options: &[&str]) -> Option<Server> {
        let version = Command::new("redis-server").arg("--version").output();
        let version = version.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
        if !version.contains(VERSION) {
            assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "a redis-server 7.0 is needed, found {version:?}");
            eprintln!(
                "SKIPPED: the conformance test needs redis-server 7.0 (apt-get install redis-server on Debian 12), found {version:?}"
            );
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--unixsocket", "redis.sock", "--save", "", "--databases", "1"]);
        command.args(["--enable-debug-command", "yes", "--lua-time-limit", "5000"]);
        command.args(options);
        command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: prctl is safe to call between fork and exec.
        unsafe {
            command.pre_exec(|| {
                let kill = rustix::process::Signal::KILL;
                rustix::process::set_parent_process_death_signal(Some(kill)).map_err(Into::into)
            });
        }
        let server = Server { child: command.spawn().expect("redis-server starts"), folder };
        let patience = Instant::now() + Duration::from_secs(10);
        while UnixStream::connect(server.socket()).is_err() {
            assert!(Instant::now() < patience, "redis-server did not open its socket");
            std::thread::sleep(Duration::from_millis(2));
        }
        // Keys that expire go when somebody comes across them, as in the simulation.
        let mut control = server.connect();
        assert_eq!(control.call(&["DEBUG", "SET-ACTIVE-EXPIRE", "0"]), Value::Okay);
        Some(server)
    }

    pub fn connect(&self) -> Connection {
        let stream = UnixStream::connect(self.socket()).expect("the server accepts");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a socket takes a timeout");
        Connection { stream, parser: Parser::new() }
    }

    fn socket(&self) -> std::path::PathBuf {
        self.folder.path().join("redis.sock")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection whose replies are parsed by redis-rs itself.
pub struct Connection {
    stream: UnixStream,
    parser: Parser,
}

impl Connection {
    /// Sends commands all at once; their replies.
    pub fn pipeline(&mut self, commands: &[&[Vec<u8>]]) -> Vec<Value> {
        let mut bytes = Vec::new();
        for command in commands {
            bytes.extend(redis::pack_command(command));
        }
        self.stream.write_all(&bytes).expect("the server reads");
        commands.iter().map(|command| self.reply(command)).collect()
    }

    fn reply(&mut self, command: &[Vec<u8>]) -> Value {
        self.parser.parse_value(&mut self.stream).unwrap_or_else(|error| panic!("no reply to {}: {error}", crate::shown(command)))
    }

    /// What the server says unasked.
    pub fn hears(&mut self) -> Value {
        self.parser.parse_value(&mut self.stream).expect("something is said")
    }

    pub fn call(&mut self, command: &[&str]) -> Value {
        let command: Vec<_> = command.iter().map(|arg| arg.as_bytes().to_vec()).collect();
        self.pipeline(&[&command]).remove(0)
    }
}
