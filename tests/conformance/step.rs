//! What a sequence is made of.

use crate::commands::command;
use crate::scripts::script;
use proptest::prelude::*;

/// One step of a sequence.
#[derive(Clone)]
pub enum Step {
    /// A command on one of the two connections.
    Command { connection: usize, args: Vec<Vec<u8>> },
    /// A key is given a short life, which ends.
    LetExpire(String),
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Command { connection, args } => write!(f, "{connection}> {}", crate::shown(args)),
            Step::LetExpire(key) => write!(f, "let {key} expire"),
        }
    }
}

impl Step {
    pub fn connection(&self) -> Option<usize> {
        match self {
            Step::Command { connection, .. } => Some(*connection),
            Step::LetExpire(_) => None,
        }
    }

    pub fn args(&self) -> Option<&[Vec<u8>]> {
        match self {
            Step::Command { args, .. } => Some(args),
            Step::LetExpire(_) => None,
        }
    }
}

/// Any step. Transactions are short, else hardly a command would ever run outside one.
pub fn step() -> impl Strategy<Value = Step> {
    let words = |text: &'static [&'static str]| {
        prop::sample::select(text).prop_map(|line| line.split(' ').map(|word| word.as_bytes().to_vec()).collect())
    };
    let args = prop_oneof![
        60 => command(),
        15 => script(),
        5 => words(&["WATCH s1", "WATCH s2 h1", "WATCH z1", "WATCH nokey", "UNWATCH", "WATCH"]),
        4 => words(&["MULTI", "MULTI x"]),
        8 => words(&["EXEC", "EXEC", "EXEC", "DISCARD", "EXEC x"]),
    ];
    prop_oneof![
        30 => (0..2usize, args).prop_map(|(connection, args)| Step::Command { connection, args }),
        1 => prop::sample::select(&["s1", "s2", "h1", "set1", "z1"][..]).prop_map(|key| Step::LetExpire(key.into())),
    ]
}
