//! Messages to the browser and back: JSON objects with a NUL after each.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// The browser's pipes.
pub struct Wire {
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    /// What the browser told without being asked, in order.
    pub events: Vec<Value>,
}

/// Longer than anything here takes on a busy machine: only a browser that hangs gets there.
const PATIENCE: Duration = Duration::from_secs(120);

impl Wire {
    pub fn new(to: ChildStdin, from: ChildStdout) -> Wire {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            for message in BufReader::new(from).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Wire { to, from: receiver, next: 1, events: Vec::new() }
    }

    /// Sends a command, and gives its number.
    pub fn send(&mut self, session: Option<&str>, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        // A browser that is gone is found out by the answer that does not come.
        let _ = self.to.write_all(format!("{message}\0").as_bytes()).and_then(|()| self.to.flush());
        id
    }

    /// Sends a command and waits for its result.
    #[track_caller]
    pub fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        let id = self.send(session, method, params);
        loop {
            let mut message = self.receive(method);
            if message["id"] != id {
                self.keep(message);
                continue;
            }
            assert!(message["error"].is_null(), "{method}: {}", message["error"]);
            return message["result"].take();
        }
    }

    /// Waits for an event of a session, after so many of all events.
    #[track_caller]
    pub fn await_event(&mut self, session: &str, method: &str, mut after: usize) {
        loop {
            while let Some(event) = self.events.get(after) {
                after += 1;
                if event["method"] == method && event["sessionId"] == session {
                    return;
                }
            }
            let message = self.receive(method);
            self.keep(message);
        }
    }

    #[track_caller]
    fn receive(&mut self, waiting_for: &str) -> Value {
        self.from.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no answer to {waiting_for}: {error}"))
    }

    fn keep(&mut self, message: Value) {
        if message.get("method").is_some() {
            self.events.push(message);
        }
    }
}
