//! A real browser, headless, driven by the DevTools protocol over a pipe: no port, no driver, and it dies with the test.

mod page;
mod wire;

pub use page::Page;

use serde_json::{Value, json};
use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use wire::Wire;

/// A running chromium with a profile of its own.
pub struct Browser {
    child: Child,
    wire: Wire,
    _profile: TempDir,
}

/// Starts a browser, or says loudly why the test is skipped; with `FENCEPOST_NO_SKIP=1` that is a failure.
macro_rules! browser_or_skip {
    () => {
        match $crate::browser::Browser::start() {
            Some(browser) => browser,
            None => {
                assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "no chromium on the PATH");
                eprintln!("SKIPPED {}: no chromium on the PATH", module_path!());
                return;
            }
        }
    };
}
pub(crate) use browser_or_skip;

const FLAGS: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
];

impl Browser {
    /// Starts it; none without a chromium.
    pub fn start() -> Option<Browser> {
        let chromium = on_path("chromium")?;
        let profile = tempfile::tempdir().expect("a folder");
        // The browser reads commands from descriptor 3 and answers on 4; a shell can put the pipes there.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh"])
            .arg(chromium)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let wire = Wire::new(child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Some(Browser { child, wire, _profile: profile })
    }

    /// Opens an empty page of so many pixels.
    pub fn page(&mut self, width: u32, height: u32) -> Page<'_> {
        let target = self.wire.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.wire.call(None, "Target.attachToTarget", attach)["sessionId"].as_str().expect("a session").to_owned();
        Page::new(&mut self.wire, session, width, height)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.wire.send(None, "Browser.close", Value::Object(Default::default()));
        let _ = self.child.wait();
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}
