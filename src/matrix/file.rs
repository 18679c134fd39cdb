//! The matrix file: which cells there are, how they vary, and what is expected of each.

use super::filter::Filter;
use crate::plan::Expectation;
use crate::plan::read::{BadPlan, document};
use crate::plan::validate::Invalid;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A matrix, as its TOML file says it. The one that is built in is the empty file: every scenario as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixFile {
    /// Which of the built-in scenarios are in it.
    #[serde(default)]
    pub scenarios: Scenarios,
    /// Plans of one's own, by path, seen from where the file is.
    #[serde(default)]
    pub plans: Vec<PathBuf>,
    /// Which of all these are cells; absent: all.
    #[serde(default)]
    pub filter: Option<String>,
    /// What varies: every cell is run with each value of each axis that applies to it.
    #[serde(default, rename = "axis")]
    pub axes: Vec<Axis>,
    /// What is expected of some cells instead of what their plans expect; where several say something of a cell, the last holds.
    #[serde(default, rename = "expect")]
    pub expectations: Vec<Expected>,
}

/// Which of the built-in scenarios.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenarios {
    /// Every one.
    #[default]
    All,
    /// None.
    None,
}

/// Something that varies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name: a cell that it varies is named `gc-pause/NAME=VALUE`.
    pub name: String,
    /// Which cells it varies; absent: all.
    #[serde(default)]
    pub applies: Option<String>,
    /// The values.
    #[serde(rename = "value")]
    pub values: Vec<AxisValue>,
}

/// One value of an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisValue {
    /// Its name.
    pub name: String,
    /// What replaces the same keys of the plan; tables are merged, everything else is replaced.
    #[serde(default)]
    pub plan: toml::Table,
}

/// What is expected of some cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Which, by their names after variation.
    pub cells: String,
    /// Kinds that must be found; every other kind must not.
    #[serde(default)]
    pub find: Vec<checker::finding::Kind>,
    /// Kinds that may be found or not.
    #[serde(default)]
    pub allow: Vec<checker::finding::Kind>,
    /// How many stale writes the resource must at least have refused.
    #[serde(default)]
    pub rejected_stale_writes: u64,
}

impl Expected {
    /// As a plan says it.
    pub fn expectation(&self) -> Expectation {
        Expectation { find: self.find.clone(), allow: self.allow.clone(), rejected_stale_writes: self.rejected_stale_writes }
    }
}

/// Reads a matrix file.
///
/// # Errors
/// Everything that is wrong with it, with its place.
pub fn read(name: &str, text: &[u8]) -> Result<MatrixFile, BadPlan> {
    document(name, text, |_| Vec::new(), validate)
}

/// What a matrix cannot mean.
fn validate(file: &MatrixFile) -> Vec<Invalid> {
    let mut all: Vec<Invalid> = Vec::new();
    let mut filter = |path: String, text: Option<&String>| {
        if let Some(Err(bad)) = text.map(|text| text.parse::<Filter>()) {
            all.push(Invalid::value(path, format!("this filter cannot be understood:\n{bad}")));
        }
    };
    filter("filter".into(), file.filter.as_ref());
    for (i, axis) in file.axes.iter().enumerate() {
        filter(format!("axis[{i}].applies"), axis.applies.as_ref());
    }
    for (i, expected) in file.expectations.iter().enumerate() {
        filter(format!("expect[{i}].cells"), Some(&expected.cells));
    }
    for (i, axis) in file.axes.iter().enumerate() {
        if file.axes[..i].iter().any(|other| other.name == axis.name) {
            all.push(Invalid::value(format!("axis[{i}].name"), format!("there is an axis `{}` already", axis.name)));
        }
        if axis.values.is_empty() {
            all.push(Invalid::key(format!("axis[{i}].value"), format!("the axis `{}` has no value", axis.name)));
        }
        for (j, value) in axis.values.iter().enumerate() {
            if axis.values[..j].iter().any(|other| other.name == value.name) {
                let sentence = format!("the axis `{}` has a value `{}` already", axis.name, value.name);
                all.push(Invalid::value(format!("axis[{i}].value[{j}].name"), sentence));
            }
        }
    }
    all
}
