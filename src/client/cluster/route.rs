//! Where a message goes.

use super::Message;
use crate::slot;
use redis::{Arg, Cmd};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// To whoever serves this slot.
    Slot(u16),
    /// To whom the last message with a key went.
    Last,
    /// To every node.
    Everywhere,
}

impl Route {
    /// By the first key in it.
    pub(super) fn of(message: Message<'_>) -> Route {
        let key = match message {
            Message::One(cmd) => first_key(cmd),
            Message::Several(pipeline, ..) => pipeline.cmd_iter().find_map(first_key),
        };
        match key {
            Some(slot) => Route::Slot(slot),
            None if message.is("SCRIPT") => Route::Everywhere,
            None => Route::Last,
        }
    }
}

impl Message<'_> {
    /// Whether it is one command of this name.
    pub(super) fn is(&self, name: &str) -> bool {
        matches!(self, Message::One(cmd) if words(cmd).first().is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())))
    }
}

fn first_key(cmd: &Cmd) -> Option<u16> {
    slot::keys(&words(cmd)).first().map(|key| slot::of(key))
}

fn words(cmd: &Cmd) -> Vec<&[u8]> {
    let word = |arg| match arg {
        Arg::Simple(word) => word,
        // A scan begins at its beginning.
        _ => b"0".as_slice(),
    };
    cmd.args_iter().map(word).collect()
}
