//! The named plans that are built into the binary.

use crate::plan::{self, Plan};
use crate::suggest::advice;

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// A plan with a name that people know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scenario {
    /// The file's name without `.toml`.
    pub name: &'static str,
    /// The plan as its file says it.
    pub text: &'static str,
}

/// No scenario has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario is named `{name}`: {advice}")]
pub struct NoScenario {
    name: String,
    advice: String,
}

/// All scenarios, in the order of their names.
pub fn all() -> &'static [Scenario] {
    SCENARIOS
}

/// The scenario of that name.
///
/// # Errors
/// There is none; says which was most likely meant.
pub fn find(name: &str) -> Result<Scenario, NoScenario> {
    let names = SCENARIOS.iter().map(|scenario| scenario.name);
    SCENARIOS
        .iter()
        .find(|scenario| scenario.name == name)
        .copied()
        .ok_or_else(|| NoScenario { name: name.into(), advice: advice(name, names) })
}

impl Scenario {
    /// The plan.
    ///
    /// # Panics
    /// Never: that each is sound is tested.
    pub fn plan(&self) -> Plan {
        plan::read(&self.file(), self.text).unwrap_or_else(|bad| panic!("a scenario that was built in is unsound:\n{bad}"))
    }

    /// The file that it comes from.
    pub fn file(&self) -> String {
        format!("scenarios/{}.toml", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_is_sound_and_stays_itself_when_written_out() {
        assert!(!all().is_empty());
        for scenario in all() {
            let plan = scenario.plan();
            let text = toml::to_string(&plan).expect("a plan is TOML");
            assert_eq!(plan::read(scenario.name, text).as_ref(), Ok(&plan), "{}", scenario.name);
        }
    }

    #[test]
    fn a_misspelt_scenario_is_recognised() {
        assert_eq!(
            find("gc-puase").expect_err("misspelt").to_string(),
            "no scenario is named `gc-puase`: did you mean `gc-pause`?"
        );
        assert_eq!(find("gc-pause").map(|scenario| scenario.name), Ok("gc-pause"));
    }
}
