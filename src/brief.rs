//! A program that is run for a moment, to hear what it says of itself.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What says so little takes milliseconds; what takes so long hangs.
const PATIENCE: Duration = Duration::from_secs(3);

/// More is not heard.
const ENOUGH: u64 = 1 << 16;

/// What a program said, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// On its standard output, as much as is heard.
    pub text: String,
    /// How it ended.
    pub status: ExitStatus,
}

/// Runs a program to its end, with nothing to read. One that takes longer than three seconds is killed.
///
/// # Errors
/// It cannot be run, or it did not end.
pub fn run(command: &mut Command) -> io::Result<Said> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let stdout = child.stdout.take().map(|stdout| stdout.take(ENOUGH));
    let heard = thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut bytes));
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    });
    let begun = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if begun.elapsed() > PATIENCE => {
                // It may have ended meanwhile.
                let _ = child.kill();
                child.wait()?;
                return Err(io::Error::new(io::ErrorKind::TimedOut, format!("it did not end within {} s", PATIENCE.as_secs())));
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    // A child of its own may hold its output open for ever; what it said itself is there by now.
    while !heard.is_finished() && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(2));
    }
    let text = if heard.is_finished() { heard.join().unwrap_or_default() } else { String::new() };
    Ok(Said { text, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> io::Result<Said> {
        run(Command::new("/bin/sh").args(["-c", script]))
    }

    #[test]
    fn what_is_said_is_heard_and_what_hangs_is_not_waited_for() {
        let said = shell("echo v=7.0; exit 3").expect("it ends");
        assert_eq!((said.text.as_str(), said.status.code()), ("v=7.0\n", Some(3)));
        let begun = Instant::now();
        assert_eq!(shell("exec sleep 60").expect_err("it hangs").kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() < 3 * PATIENCE);
    }
}
