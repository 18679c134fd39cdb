//! Faults of the wire: between whom, and what of it.

use super::trigger::client;
use super::{Invalid, Names, strs, too_long};
use crate::suggest::advice;
use nemesis::{WireFault, WireVerdict};

pub(super) fn check(path: &str, fault: &WireFault, names: &Names) -> Vec<Invalid> {
    let mut found = Vec::new();
    if let Some(from) = &fault.from {
        found.extend(client(names, &format!("{path}.from"), from));
    }
    for (i, node) in fault.to.iter().enumerate() {
        let at = format!("{path}.to[{i}]");
        if names.clients.contains(node) {
            found.push(
                Invalid::value(at, format!("`{node}` is a client; its commands go to a node"))
                    .help(format!("say `from = \"{node}\"`")),
            );
        } else if !names.nodes.contains(node) {
            found.push(Invalid::value(at, format!("there is no node `{node}`")).help(advice(node, strs(&names.nodes))));
        } else if fault.to[..i].contains(node) {
            found.push(Invalid::value(at, format!("`{node}` is named twice")));
        }
    }
    if fault.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
        found.push(Invalid::value(format!("{path}.command"), "no command has an empty name").help("such as `SET`"));
    }
    if fault.occurrence == Some(0) {
        found.push(Invalid::value(format!("{path}.occurrence"), "there is no occurrence number 0").help("the first is 1"));
    }
    let delay = format!("{path}.delay_ms");
    match (fault.verdict, fault.delay_ms) {
        (WireVerdict::Delay, None) => {
            found.push(Invalid::value(format!("{path}.verdict"), "a delay of how long?").help("say `delay_ms = 200`"));
        }
        (WireVerdict::Delay, Some(0)) => found.push(Invalid::value(delay, "a delay of 0 ms does nothing")),
        (WireVerdict::Delay, Some(ms)) => found.extend(too_long(&delay, ms)),
        (_, Some(_)) => found.push(Invalid::key(delay, "only `verdict = \"delay\"` takes a time").help("remove it")),
        (_, None) => {}
    }
    found
}
