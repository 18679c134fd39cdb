//! A named fault with its triggers.

use crate::{Fault, Trigger};
use serde::{Deserialize, Serialize};

/// One step of the nemesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name, by which other steps and the report speak of it.
    pub name: String,
    /// When it begins. A step whose trigger never comes breaks the run's assumptions.
    pub when: Trigger,
    /// What it does.
    pub fault: Fault,
    /// When a lasting fault ends; absent: when the run heals everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Trigger>,
}
