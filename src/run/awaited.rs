//! What a plan waits for that no client does and no wire shows: the world is asked for it.

use crate::world::World;
use nemesis::{NotInjected, Trigger};
use std::fmt;

/// Something that a node does by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// It syncs its disk.
    Synced(String),
    /// It becomes a master.
    Promoted(String),
}

impl Awaited {
    /// What a trigger waits for, if it is of this kind.
    pub fn of(trigger: &Trigger) -> Option<Awaited> {
        match trigger {
            Trigger::Synced(node) => Some(Awaited::Synced(node.clone())),
            Trigger::Promoted(node) => Some(Awaited::Promoted(node.clone())),
            Trigger::Invoked(_) | Trigger::Completed(_) | Trigger::Wire(_) | Trigger::Step(_) | Trigger::AtMs(_) => None,
        }
    }

    /// Resolves when it comes.
    ///
    /// # Errors
    /// Nobody can see it.
    pub async fn comes<W: World>(&self, world: &W) -> Result<(), NotInjected> {
        match self {
            Awaited::Synced(node) => world.synced(node).await,
            Awaited::Promoted(node) => world.promoted(node).await,
        }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Awaited::Synced(node) => write!(f, "{node} syncs its disk"),
            Awaited::Promoted(node) => write!(f, "{node} becomes a master"),
        }
    }
}
