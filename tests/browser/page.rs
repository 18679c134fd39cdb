//! A page of the browser: opened, looked at, clicked and typed into.

use super::wire::Wire;
use serde_json::{Value, json};
use std::path::Path;

/// An open page.
pub struct Page<'b> {
    wire: &'b mut Wire,
    session: String,
}

impl<'b> Page<'b> {
    pub(super) fn new(wire: &'b mut Wire, session: String, width: u32, height: u32) -> Page<'b> {
        let mut page = Page { wire, session };
        for domain in ["Page", "Runtime", "Network", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.resize(width, height);
        page
    }

    #[track_caller]
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.wire.call(Some(&self.session), method, params)
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// What the system prefers: `dark` or `light`; and that nothing shall move.
    pub fn prefers(&mut self, scheme: &str) {
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Opens a file anew, with what stands after the `#`, and waits until it is drawn.
    #[track_caller]
    pub fn open(&mut self, file: &Path, hash: &str) {
        // From one place in a page to another the browser would load nothing.
        self.load("about:blank");
        self.load(&format!("file://{}{hash}", file.display()));
        self.settled();
    }

    #[track_caller]
    fn load(&mut self, url: &str) {
        let before = self.wire.events.len();
        self.call("Page.navigate", json!({ "url": url }));
        self.wire.await_event(&self.session, "Page.loadEventFired", before);
    }

    /// What an expression comes to; a promise is waited for.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Waits until everything that has changed is drawn.
    #[track_caller]
    pub fn settled(&mut self) {
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))");
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        let poll = format!(
            "new Promise(done => {{ const end = performance.now() + 20000; \
             const look = () => ({expression}) ? done(true) : performance.now() > end ? done(false) : requestAnimationFrame(look); look(); }})"
        );
        assert_eq!(self.eval(&poll), true, "never: {expression}");
    }

    /// Presses a key: a character, or a name such as `Enter`.
    #[track_caller]
    pub fn press(&mut self, key: &str) {
        let mut down = json!({ "type": "keyDown", "key": key });
        if key.chars().count() == 1 {
            down["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
        self.settled();
    }

    /// Types a text where the focus is.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Does something with the mouse: `mouseMoved`, `mousePressed`, `mouseReleased`, `mouseWheel`.
    #[track_caller]
    pub fn mouse(&mut self, kind: &str, x: f64, y: f64, wheel: f64) {
        let button = if kind == "mouseWheel" || kind == "mouseMoved" { "none" } else { "left" };
        let params = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1, "deltaX": 0, "deltaY": wheel });
        self.call("Input.dispatchMouseEvent", params);
    }

    #[track_caller]
    pub fn click(&mut self, x: f64, y: f64) {
        self.mouse("mouseMoved", x, y, 0.0);
        self.mouse("mousePressed", x, y, 0.0);
        self.mouse("mouseReleased", x, y, 0.0);
        self.settled();
    }

    /// Clicks the middle of the element that a selector finds.
    #[track_caller]
    pub fn click_on(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }}); const b = e.getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        );
        let place = self.eval(&place);
        self.click(place[0].as_f64().expect("a place"), place[1].as_f64().expect("a place"));
    }

    /// Fingers on the glass: `touchStart`, `touchMove`, `touchEnd`, each finger where it is.
    #[track_caller]
    pub fn touch(&mut self, kind: &str, fingers: &[(f64, f64)]) {
        let points: Vec<Value> =
            fingers.iter().enumerate().map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id, "force": 1 })).collect();
        self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    }

    /// Keeps a picture where `FENCEPOST_SHOTS` says, for whoever wants to look.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("FENCEPOST_SHOTS") else { return };
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = base64(picture["data"].as_str().expect("a picture"));
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).expect("the folder is there");
    }

    /// What went wrong in the page, and what it asked the network for: nothing of either, in a page that is right.
    pub fn complaints(&mut self) -> Vec<String> {
        self.settled();
        let session = self.session.as_str();
        let told = self.wire.events.iter().filter(|event| event["sessionId"] == session);
        let bad = |event: &Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => Some(event["params"].to_string()),
            "Network.requestWillBeSent" => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                let own = url.starts_with("file:") && event["params"]["type"] == "Document"
                    || url.starts_with("data:")
                    || url == "about:blank";
                (!own).then(|| format!("asked for {url}"))
            }
            _ => None,
        };
        told.filter_map(bad).collect()
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> =
        text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte)).map(|digit| digit as u32).collect();
    let whole = |four: &[u32]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(whole).collect()
}
