//! Which acquire a token names.

use crate::history::{OpId, Value};
use hashbrown::HashMap;
use std::collections::VecDeque;

/// A token is remembered for so many released or refused attempts more, so that a late write still finds its grant and memory does
/// not grow with the history.
const REMEMBERED: usize = 100_000;

/// Which acquire a lock's token names.
#[derive(Default)]
pub(super) struct Grants {
    acquires: HashMap<(Option<Value>, Value), OpId>,
    over: VecDeque<(Option<Value>, Value)>,
}

impl Grants {
    pub(super) fn acquired(&mut self, key: Option<&Value>, token: &Value, acquire: OpId) {
        self.acquires.insert((key.cloned(), token.clone()), acquire);
    }

    /// The attempt is over: it was refused or is being released.
    pub(super) fn ended(&mut self, key: Option<&Value>, token: &Value) {
        self.over.push_back((key.cloned(), token.clone()));
        if self.over.len() > REMEMBERED
            && let Some(oldest) = self.over.pop_front()
        {
            self.acquires.remove(&oldest);
        }
    }

    pub(super) fn find(&self, key: Option<&Value>, token: &Value) -> Option<OpId> {
        self.acquires.get(&(key.cloned(), token.clone())).copied()
    }
}
