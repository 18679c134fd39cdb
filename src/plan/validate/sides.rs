//! Who is on either side of a fault of whole links.

use super::{Invalid, Names, strs};
use crate::suggest::advice;

/// What is wrong with the `from` and `to` of such a fault; `itself` says of somebody who is on both sides why that cannot be.
pub(super) fn check(path: &str, from: &[String], to: &[String], names: &Names, itself: &str) -> Vec<Invalid> {
    let everybody: Vec<String> = names.clients.iter().chain(&names.nodes).chain(&names.sentinels).cloned().collect();
    let mut found = Vec::new();
    for (side, members) in [("from", from), ("to", to)] {
        if members.is_empty() {
            found.push(Invalid::value(format!("{path}.{side}"), "nobody is on this side").help("name clients or nodes"));
        }
        for (i, member) in members.iter().enumerate() {
            let at = format!("{path}.{side}[{i}]");
            if !everybody.contains(member) {
                found.push(
                    Invalid::value(at, format!("there is no client or node `{member}`")).help(advice(member, strs(&everybody))),
                );
            } else if members[..i].contains(member) {
                found.push(Invalid::value(at, format!("`{member}` is named twice")));
            } else if side == "to" && from.contains(member) {
                found.push(Invalid::value(at, format!("`{member}` {itself}")));
            }
        }
    }
    let clients = |members: &[String]| members.iter().all(|member| names.clients.contains(member));
    if found.is_empty() && clients(from) && clients(to) {
        found.push(Invalid::value(format!("{path}.to"), "clients send each other nothing").help("name nodes"));
    }
    found
}
