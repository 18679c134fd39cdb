//! Which cells: a small language of predicates, `lock(set-nx-px) & fault(pause) - name(gc-*)`.

mod parse;
mod pattern;

pub use parse::BadFilter;
pub use pattern::Pattern;

use super::facts::Facts;

/// A question that a cell answers with yes or no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Every cell.
    All,
    /// Cells of which something is as one of these patterns says.
    Is(Predicate, Vec<Pattern>),
    /// Cells that the other does not take.
    Not(Box<Filter>),
    /// Cells that both take.
    And(Box<Filter>, Box<Filter>),
    /// Cells that either takes.
    Or(Box<Filter>, Box<Filter>),
}

/// What of a cell is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    /// Its name.
    Name,
    /// The kind of its lock.
    Lock,
    /// The kind of its topology.
    Topology,
    /// The kind of a fault that is done in it; `none` where none is.
    Fault,
    /// What its lock protects: `redis`, `sqlite`, `redis-fenced`, `redis-counter`, …, `none`.
    Resource,
    /// A kind of finding that is expected of it; `safe` where none is.
    Expect,
    /// Where its plan comes from: `scenario` or `file`.
    From,
}

impl Predicate {
    /// All of them.
    pub const ALL: [Predicate; 7] = [
        Predicate::Name,
        Predicate::Lock,
        Predicate::Topology,
        Predicate::Fault,
        Predicate::Resource,
        Predicate::Expect,
        Predicate::From,
    ];

    /// How it is written.
    pub fn word(self) -> &'static str {
        match self {
            Predicate::Name => "name",
            Predicate::Lock => "lock",
            Predicate::Topology => "topology",
            Predicate::Fault => "fault",
            Predicate::Resource => "resource",
            Predicate::Expect => "expect",
            Predicate::From => "from",
        }
    }
}

impl Filter {
    /// Whether it takes a cell.
    pub fn takes(&self, cell: &Facts) -> bool {
        match self {
            Filter::All => true,
            Filter::Is(predicate, patterns) => {
                cell.of(*predicate).iter().any(|name| patterns.iter().any(|pattern| pattern.matches(name)))
            }
            Filter::Not(inner) => !inner.takes(cell),
            Filter::And(left, right) => left.takes(cell) && right.takes(cell),
            Filter::Or(left, right) => left.takes(cell) || right.takes(cell),
        }
    }
}
