//! What a node knows of another, as CLUSTER NODES says it.

use crate::slot;
use std::net::SocketAddr;

/// One line of CLUSTER NODES.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// Where it is found.
    pub at: SocketAddr,
    flags: Vec<String>,
    /// The id of its master, where it has one.
    pub master: Option<String>,
    /// Its config epoch: when it was made master, in the order of such events.
    pub epoch: u64,
    slots: Vec<(u16, u16)>,
}

impl Line {
    /// Reads a line; none where it is no such line.
    pub fn read(line: &str) -> Option<Line> {
        let words: Vec<&str> = line.split(' ').collect();
        let [id, at, flags, master, _, _, epoch, _, slots @ ..] = words.as_slice() else { return None };
        let range = |slots: &&str| {
            let (first, last) = slots.split_once('-').unwrap_or((slots, slots));
            Some((first.parse().ok()?, last.parse().ok()?))
        };
        Some(Line {
            id: (*id).to_owned(),
            at: at.split('@').next()?.parse().ok()?,
            flags: flags.split(',').map(str::to_owned).collect(),
            master: (*master != "-").then(|| (*master).to_owned()),
            epoch: epoch.parse().ok()?,
            slots: slots.iter().filter_map(range).collect(),
        })
    }

    /// Whether it has this flag.
    pub fn is(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }

    /// Whether it serves a slot.
    pub fn serves(&self, slot: u16) -> bool {
        self.slots.iter().any(|(first, last)| (*first..=*last).contains(&slot))
    }

    /// A key in a slot that it serves; none where it serves none.
    pub fn mark(&self) -> Option<String> {
        self.slots.first()?;
        (0..).map(|n| format!("fencepost:replicated:{n}")).find(|key| self.serves(slot::of(key.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_node_says_of_another_is_read() {
        let line = "07c3 127.0.0.1:30004@40004,host slave,fail e7d1 0 1426238317239 4 connected";
        let replica = Line::read(line).expect("a line");
        assert_eq!(
            (replica.at, replica.is("fail"), replica.master.as_deref()),
            ("127.0.0.1:30004".parse().unwrap(), true, Some("e7d1"))
        );
        let master =
            Line::read("e7d1 127.0.0.1:30001@40001 myself,master - 0 0 7 connected 0-5460 7000 [93-<-e7d1]").expect("a line");
        assert_eq!((master.epoch, master.slots.as_slice()), (7, &[(0, 5460), (7000, 7000)][..]));
        assert!(master.serves(5460) && !master.serves(5461) && master.serves(7000));
        assert_eq!(Line::read("x y z"), None);
        assert!(master.mark().is_some_and(|key| master.serves(slot::of(key.as_bytes()))));
    }
}
