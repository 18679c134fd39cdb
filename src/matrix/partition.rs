//! A matrix taken apart for several machines.

use std::str::FromStr;

/// One of several parts, as in `2/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    /// Which, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

impl Partition {
    /// What of a list, which every machine has in the same order, is in this part: every n-th, so that neighbours, which take about as long, are
    /// spread.
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.part as usize - 1).step_by(self.of as usize).collect()
    }
}

impl std::fmt::Display for Partition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Partition, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if part >= 1 && part <= of => Ok(Partition { part, of }),
            Some((part, of)) => Err(format!("there is no part {part} of {of}: parts are counted from 1")),
            None => Err("say which part of how many, such as `2/4`".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_disjoint_complete_and_balanced(count in 0usize..200, of in 1u32..12) {
            let parts: Vec<Vec<usize>> = (1..=of).map(|part| Partition { part, of }.of((0..count).collect())).collect();
            let mut all = parts.concat();
            all.sort();
            prop_assert_eq!(all, (0..count).collect::<Vec<_>>());
            let sizes = parts.iter().map(Vec::len);
            prop_assert!(sizes.clone().max().unwrap_or(0) - sizes.min().unwrap_or(0) <= 1);
        }
    }

    #[test]
    fn parts_that_are_none() {
        assert_eq!("2/4".parse(), Ok(Partition { part: 2, of: 4 }));
        for text in ["0/4", "5/4", "4", "a/b", "1/0", "-1/2"] {
            text.parse::<Partition>().expect_err(text);
        }
    }
}
