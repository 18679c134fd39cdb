//! What the nodes of a quorum lock said to one command, one a node.

use super::outcome::{Effect, effect};
use redis::{RedisError, RedisResult};

/// One vote a node, in the order of the nodes.
#[derive(Debug)]
pub struct Votes(pub Vec<Vote>);

/// What one node said.
#[derive(Debug)]
pub enum Vote {
    /// It took effect there.
    Yes,
    /// It had none.
    No,
    /// No answer, or an error.
    Silent(RedisError),
}

impl From<RedisResult<bool>> for Vote {
    fn from(said: RedisResult<bool>) -> Self {
        match said {
            Ok(true) => Vote::Yes,
            Ok(false) => Vote::No,
            Err(error) => Vote::Silent(error),
        }
    }
}

impl Vote {
    /// Whether it may have taken effect, or may yet.
    pub fn may_be_yes(&self) -> bool {
        match self {
            Vote::Yes => true,
            Vote::No => false,
            Vote::Silent(error) => effect(error) == Effect::Unknown,
        }
    }
}

impl Votes {
    /// How many nodes were asked.
    pub fn asked(&self) -> usize {
        self.0.len()
    }

    /// On how many nodes it took effect.
    pub fn yes(&self) -> usize {
        self.0.iter().filter(|vote| matches!(vote, Vote::Yes)).count()
    }

    /// How many nodes said no.
    pub fn no(&self) -> usize {
        self.0.iter().filter(|vote| matches!(vote, Vote::No)).count()
    }

    /// On how many nodes it took effect, or may have, or may yet.
    pub fn at_most(&self) -> usize {
        self.0.iter().filter(|vote| vote.may_be_yes()).count()
    }

    /// How many nodes did not say anything of what they hold.
    pub fn silent(&self) -> usize {
        self.0.iter().filter(|vote| matches!(vote, Vote::Silent(_))).count()
    }

    /// In words: `2 of 5 nodes (n3: timed out)`.
    pub fn words(&self) -> String {
        let silent = self.0.iter().enumerate().filter_map(|(node, vote)| match vote {
            Vote::Silent(error) if error.is_timeout() => Some(format!("n{}: timed out", node + 1)),
            Vote::Silent(error) => Some(format!("n{}: {error}", node + 1)),
            Vote::Yes | Vote::No => None,
        });
        let silent: Vec<String> = silent.collect();
        let because = if silent.is_empty() { String::new() } else { format!(" ({})", silent.join("; ")) };
        format!("{} of {} nodes{because}", self.yes(), self.asked())
    }
}
