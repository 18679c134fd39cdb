//! A bug of ours is owned up to, in a sentence and with its own exit code.

use super::Exit;
use std::panic;

/// From here on a panic says that it is our fault and how to report it, and ends with 70.
pub fn own_up() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let what = text.unwrap_or("something that should not happen").replace('\n', " ");
        let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
        let again: Vec<String> = std::env::args().skip(1).map(|word| super::shell::quoted(&word)).collect();
        eprintln!("\nThis is a bug of fencepost, not of your lock: {what}{place}.");
        eprintln!("Please report it with the run's folder and this line:\n\nReproduce: fencepost {}", again.join(" "));
        std::process::exit(Exit::Bug.code().into());
    }));
}
