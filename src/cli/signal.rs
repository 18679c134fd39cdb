//! Ctrl-C: once heals and reports, twice aborts.

use super::Exit;
use std::future::{Future, pending};
use std::thread;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Whether the user wants out.
#[derive(Debug, Clone)]
pub struct Stop {
    wanted: watch::Receiver<bool>,
}

impl Stop {
    /// Listens for SIGINT and SIGTERM from here on, in a thread of its own: a run's own executor may have no eyes for signals, as the
    /// simulation's has none.
    pub fn on_signal() -> Stop {
        let (want, wanted) = watch::channel(false);
        thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
            runtime.block_on(async move {
                let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
                else {
                    return pending().await;
                };
                for _ in 0..2 {
                    tokio::select! {
                        biased;
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                    if want.send_replace(true) {
                        eprintln!("aborted");
                        std::process::exit(Exit::Interrupted.code().into());
                    }
                    eprintln!("interrupted: healing, then reporting; once more aborts");
                }
            });
        });
        Stop { wanted }
    }

    /// Resolves when the user wants out.
    pub fn wanted(&self) -> impl Future<Output = ()> + use<> {
        let mut wanted = self.wanted.clone();
        async move {
            if wanted.wait_for(|wanted| *wanted).await.is_err() {
                pending::<()>().await;
            }
        }
    }

    /// Whether the user wants out.
    pub fn is_wanted(&self) -> bool {
        *self.wanted.borrow()
    }
}
