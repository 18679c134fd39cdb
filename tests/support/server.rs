//! A redis-server of one test, on a loopback address of its own, which dies with the test.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

/// A running redis-server without persistence.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

/// Starts a server, or says loudly why the test is skipped; with `FENCEPOST_NO_SKIP=1` that is a failure.
#[allow(unused_macros, reason = "each test binary uses a part of it")]
macro_rules! server_or_skip {
    () => {
        match $crate::support::server::Server::start() {
            Some(server) => server,
            None => {
                assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "no redis-server on the PATH");
                eprintln!("SKIPPED {}: no redis-server on the PATH", module_path!());
                return;
            }
        }
    };
}
#[allow(unused_imports, reason = "each test binary uses a part of it")]
pub(crate) use server_or_skip;

impl Server {
    /// Starts a server on a free port of an address that no other test process uses; `None` without a redis-server.
    pub fn start() -> Option<Self> {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let [high, low, ..] = std::process::id().to_be_bytes()[2..] else { unreachable!() };
        let ip = Ipv4Addr::new(127, 64 + (high & 63), low, NEXT.fetch_add(1, Ordering::Relaxed));
        let address = TcpListener::bind((ip, 0)).unwrap().local_addr().unwrap();
        Some(Server { child: spawn(address)?, address })
    }

    /// Starts it again, empty, where it was.
    pub fn restart(&mut self) {
        self.kill();
        self.child = spawn(self.address).unwrap();
    }

    /// Kills it (SIGKILL) and sees that it is dead.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Stops it (SIGSTOP) and sees that it is stopped.
    pub fn pause(&self) {
        rustix::process::kill_process(self.pid(), rustix::process::Signal::STOP).unwrap();
        let stat = format!("/proc/{}/stat", self.pid().as_raw_pid());
        while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
            std::thread::yield_now();
        }
    }

    pub fn resume(&self) {
        rustix::process::kill_process(self.pid(), rustix::process::Signal::CONT).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(address: SocketAddr) -> Option<Child> {
    let mut command = Command::new("redis-server");
    command.args(["--bind", &address.ip().to_string(), "--port", &address.port().to_string()]);
    command.args(["--save", "", "--appendonly", "no", "--protected-mode", "no", "--daemonize", "no", "--logfile", ""]);
    command.current_dir(std::env::temp_dir()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: between fork and exec only prctl is called, which is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            let death = Some(rustix::process::Signal::KILL);
            rustix::process::set_parent_process_death_signal(death).map_err(Into::into)
        });
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("redis-server: {error}"),
    };
    let log = BufReader::new(child.stdout.take().unwrap());
    let ready = log.lines().map_while(Result::ok).any(|line| line.contains("eady to accept connections"));
    assert!(ready, "redis-server ended before it was ready");
    Some(child)
}
