//! The cells of a matrix: every plan, with each value of each axis that applies to it.

use super::facts::Facts;
use super::file::{Axis, MatrixFile, Scenarios};
use super::filter::Filter;
use crate::plan::read::BadPlan;
use crate::plan::{self, Plan};
use crate::scenario;
use std::io;
use std::path::{Path, PathBuf};

/// One cell: a plan and what is expected of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What it is of; its name is among it.
    pub facts: Facts,
    /// The plan, with the expectation.
    pub plan: Plan,
    /// The plan as text, which its run keeps.
    pub text: String,
    /// The scenario that it is, just as it is built in.
    pub scenario: Option<String>,
}

/// Why a matrix has no cells.
#[derive(Debug, thiserror::Error)]
pub enum NoCells {
    /// A plan cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// A plan is unsound.
    #[error("{0}")]
    Unsound(#[from] BadPlan),
    /// A plan is sound, and is not any more with the value of an axis.
    #[error("the cell {cell} is no sound plan; an axis whose `applies` says which cells it is for leaves it out:\n{bad}")]
    Variant {
        /// Which.
        cell: String,
        /// What is wrong with it.
        bad: BadPlan,
    },
    /// Two cells have one name.
    #[error("two cells are named {0}: a plan of your own cannot have the name of another or of a scenario in the same matrix")]
    Twice(String),
}

impl Cell {
    fn new(name: &str, from: &str, plan: Plan, text: String) -> Cell {
        Cell { facts: Facts::new(name, from, &plan), plan, text, scenario: None }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.facts.name
    }

    fn varied(&self, axis: &Axis, index: usize) -> Result<Cell, NoCells> {
        let value = &axis.values[index];
        let name = format!("{}/{}={}", self.name(), axis.name, value.name);
        if value.plan.is_empty() {
            return Ok(Cell { facts: Facts { name, ..self.facts.clone() }, ..self.clone() });
        }
        let mut table = toml::Table::try_from(&self.plan).expect("a plan is TOML; a test sees to it");
        merge(&mut table, &value.plan);
        let text = toml::to_string(&table).expect("a table is TOML");
        let plan = plan::read(&name, &text).map_err(|bad| NoCells::Variant { cell: name.clone(), bad })?;
        Ok(Cell::new(&name, &self.facts.from, plan, text))
    }

    /// Changes its plan, and with it what follows from that.
    pub fn alter<T>(&mut self, alter: impl FnOnce(&mut Plan) -> T) -> T {
        let altered = alter(&mut self.plan);
        self.text = toml::to_string(&self.plan).expect("a plan is TOML; a test sees to it");
        self.scenario = None;
        self.facts = Facts::new(&self.facts.name.clone(), &self.facts.from.clone(), &self.plan);
        altered
    }
}

/// The cells of a matrix file that is in this folder, by name.
///
/// # Errors
/// A plan cannot be read or is unsound, alone or with the value of an axis.
pub fn cells(file: &MatrixFile, folder: &Path) -> Result<Vec<Cell>, NoCells> {
    let filter = |text: &Option<String>| text.as_ref().map_or(Filter::All, |text| text.parse().expect("it was validated"));
    let mut cells = Vec::new();
    if file.scenarios == Scenarios::All {
        cells.extend(scenario::all().iter().map(|scenario| {
            let cell = Cell::new(scenario.name, "scenario", scenario.plan(), scenario.text.to_owned());
            Cell { scenario: Some(scenario.name.to_owned()), ..cell }
        }));
    }
    for path in &file.plans {
        let path = folder.join(path);
        let text = std::fs::read(&path).map_err(|why| NoCells::Unreadable { path: path.clone(), why })?;
        let plan = plan::read(&path.display().to_string(), &text)?;
        let name = path.file_stem().map_or("plan".into(), |stem| stem.to_string_lossy().into_owned());
        cells.push(Cell::new(&name, "file", plan, String::from_utf8_lossy(&text).into_owned()));
    }
    let chosen = filter(&file.filter);
    cells.retain(|cell| chosen.takes(&cell.facts));
    for axis in &file.axes {
        let applies = filter(&axis.applies);
        let mut varied = Vec::new();
        for cell in cells {
            match applies.takes(&cell.facts) {
                false => varied.push(cell),
                true => {
                    for index in 0..axis.values.len() {
                        varied.push(cell.varied(axis, index)?);
                    }
                }
            }
        }
        cells = varied;
    }
    for expected in &file.expectations {
        let of: Filter = expected.cells.parse().expect("it was validated");
        for cell in cells.iter_mut().filter(|cell| of.takes(&cell.facts)) {
            cell.alter(|plan| plan.expect = expected.expectation());
        }
    }
    cells.sort_by(|a, b| a.name().cmp(b.name()));
    match cells.windows(2).find(|pair| pair[0].name() == pair[1].name()) {
        Some(pair) => Err(NoCells::Twice(pair[0].name().to_owned())),
        None => Ok(cells),
    }
}

/// Lays one table over another: tables are merged, everything else is replaced.
fn merge(under: &mut toml::Table, over: &toml::Table) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(toml::Value::Table(under)), toml::Value::Table(over)) => merge(under, over),
            _ => {
                under.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::file;

    fn of(text: &str) -> Result<Vec<Cell>, String> {
        let file = file::read("matrix.toml", text.as_bytes()).map_err(|bad| bad.to_string())?;
        cells(&file, Path::new(".")).map_err(|none| none.to_string())
    }

    fn names(text: &str) -> Vec<String> {
        of(text).unwrap_or_else(|why| panic!("{why}")).iter().map(|cell| cell.name().to_owned()).collect()
    }

    #[test]
    fn the_empty_file_is_every_scenario_as_it_is() {
        let all = of("").expect("it is sound");
        assert_eq!(all.len(), scenario::all().len());
        for (cell, scenario) in all.iter().zip(scenario::all()) {
            assert_eq!((cell.name(), cell.text.as_str()), (scenario.name, scenario.text));
        }
    }

    #[test]
    fn axes_multiply_and_later_expectations_hold() {
        let text = r#"
            filter = "name(gc-pause, lost-update)"
            [[axis]]
            name = "ttl"
            applies = "name(gc-pause)"
            value = [{ name = "short", plan.lock.ttl_ms = 250 }, { name = "usual" }]
            [[axis]]
            name = "lock"
            value = [{ name = "as-is" }, { name = "blind", plan.lock.kind = "set-nx-px-del" }]
            [[expect]]
            cells = "name(gc-pause/*)"
            find = ["stale-holder"]
            [[expect]]
            cells = "name(*=blind)"
        "#;
        let cells = of(text).expect("it is sound");
        let told: Vec<_> = cells.iter().map(|cell| (cell.name(), cell.plan.lock.ttl_ms, cell.facts.expect.join(","))).collect();
        insta::assert_debug_snapshot!(told);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |text: &str| of(text).expect_err(text);
        let all = [
            wrong("filer = \"all()\"\n"),
            wrong("filter = \"lock(redlok)\"\n"),
            wrong("[[axis]]\nname = \"a\"\nvalue = []\n"),
            wrong("filter = \"name(gc-pause)\"\n[[axis]]\nname = \"ttl\"\nvalue = [{ name = \"none\", plan.lock.ttl_ms = 0 }]\n"),
            wrong("plans = [\"nowhere.toml\"]\n"),
            wrong("[[expect]]\ncells = \"all()\"\nfind = [\"two-holder\"]\n"),
        ];
        insta::assert_snapshot!(all.join("\n\n"));
        assert_eq!(names("scenarios = \"none\"\n"), Vec::<String>::new());
    }
}
