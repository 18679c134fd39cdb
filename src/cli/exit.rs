//! How the command ends: a public enum, since scripts and nightly jobs read it.

use crate::report::Standing;
use std::process::{ExitCode, Termination};

/// The exit codes. They are public and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Exit {
    /// 0: everything came out as expected.
    AsExpected = 0,
    /// 1: a violation that was not expected.
    Violation = 1,
    /// 2: unknown: the search was bounded and ended without an answer.
    Unknown = 2,
    /// 3: assumptions broken: a fault was not injected, nobody contended, the world was sick before the first fault.
    Assumptions = 3,
    /// 4: nothing ran.
    Nothing = 4,
    /// 5: an expected violation did not appear.
    Missing = 5,
    /// 6: only liveness failed, and that was not expected.
    OnlyLiveness = 6,
    /// 64: the command line cannot be understood.
    Usage = 64,
    /// 65: a plan or a history cannot be read.
    BadInput = 65,
    /// 69: the world cannot start, or the run's folder or standard output cannot be written.
    CannotStart = 69,
    /// 70: a bug of ours.
    Bug = 70,
    /// 130: interrupted by its user.
    Interrupted = 130,
}

impl Exit {
    /// All of them, by number.
    pub const ALL: [Exit; 12] = [
        Exit::AsExpected,
        Exit::Violation,
        Exit::Unknown,
        Exit::Assumptions,
        Exit::Nothing,
        Exit::Missing,
        Exit::OnlyLiveness,
        Exit::Usage,
        Exit::BadInput,
        Exit::CannotStart,
        Exit::Bug,
        Exit::Interrupted,
    ];

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Exit::AsExpected => "as expected",
            Exit::Violation => "a violation that was not expected",
            Exit::Unknown => "unknown: the search ended without an answer",
            Exit::Assumptions => {
                "assumptions broken: a fault was not injected, nobody contended, or the world was sick before the first fault"
            }
            Exit::Nothing => "nothing ran",
            Exit::Missing => "an expected violation did not appear",
            Exit::OnlyLiveness => "only liveness failed",
            Exit::Usage => "the command line cannot be understood",
            Exit::BadInput => "a plan or a history cannot be read",
            Exit::CannotStart => "the world cannot start, or the run's folder or standard output cannot be written",
            Exit::Bug => "a bug of ours",
            Exit::Interrupted => "interrupted",
        }
    }

    /// The worse of two, where several histories or runs end in one code: an interruption and what could not be done at all come
    /// first, then 1, 5, 3, 2, and after them what is milder.
    pub fn worse(self, other: Exit) -> Exit {
        const MILDEST_FIRST: [Exit; 12] = [
            Exit::AsExpected,
            Exit::OnlyLiveness,
            Exit::Nothing,
            Exit::Unknown,
            Exit::Assumptions,
            Exit::Missing,
            Exit::Violation,
            Exit::CannotStart,
            Exit::BadInput,
            Exit::Usage,
            Exit::Bug,
            Exit::Interrupted,
        ];
        let rank = |exit| MILDEST_FIRST.iter().position(|e| *e == exit);
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<&Standing> for Exit {
    fn from(standing: &Standing) -> Exit {
        match standing {
            Standing::AsExpected => Exit::AsExpected,
            Standing::Violation(_) => Exit::Violation,
            Standing::Unknown => Exit::Unknown,
            Standing::Assumptions => Exit::Assumptions,
            Standing::Nothing => Exit::Nothing,
            Standing::Missing { .. } => Exit::Missing,
            Standing::OnlyLiveness(_) => Exit::OnlyLiveness,
            Standing::Interrupted => Exit::Interrupted,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_the_public_ones() {
        assert_eq!(Exit::ALL.map(Exit::code), [0, 1, 2, 3, 4, 5, 6, 64, 65, 69, 70, 130]);
    }

    #[test]
    fn the_worst_of_several_wins() {
        use Exit::*;
        for (a, b, worst) in [
            (AsExpected, Unknown, Unknown),
            (Unknown, Assumptions, Assumptions),
            (Assumptions, Missing, Missing),
            (Missing, Violation, Violation),
            (OnlyLiveness, AsExpected, OnlyLiveness),
            (Violation, BadInput, BadInput),
        ] {
            assert_eq!((a.worse(b), b.worse(a)), (worst, worst));
        }
        for exit in Exit::ALL {
            assert_eq!(exit.worse(exit), exit);
        }
    }
}
