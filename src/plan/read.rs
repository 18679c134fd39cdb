//! Reads a plan from TOML, and says everything that is wrong with it at once.

use super::locate::{Document, locate, path_at, take_out};
use super::validate::{Invalid, validate};
use super::{Plan, locate::Part};
use crate::problem::{Place, Problem};
use crate::wording::reword;
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The most problems that are worth telling at once.
const ENOUGH: usize = 20;

/// Why a plan is refused: everything that is wrong with it, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadPlan {
    /// What is wrong; never empty.
    pub problems: Vec<Problem>,
}

impl fmt::Display for BadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if i > 0 { "\n\n" } else { "" })?;
        }
        Ok(())
    }
}

/// Reads and validates a plan. `name` is the file's name, for messages.
///
/// # Errors
/// Everything that is wrong with it: TOML that cannot be read, keys and values that do not exist, values that are impossible.
pub fn read(name: &str, text: impl AsRef<[u8]>) -> Result<Plan, BadPlan> {
    document(name, text.as_ref(), overlong_ranges, validate)
}

/// Reads a TOML document that is a `T`. `odd` says what the document has that no `T` would notice, `validate` what a `T` cannot mean.
///
/// # Errors
/// Everything that is wrong with it.
pub fn document<T: DeserializeOwned>(
    name: &str,
    bytes: &[u8],
    odd: fn(&Document<'_>) -> Vec<Misfit>,
    validate: impl Fn(&T) -> Vec<Invalid>,
) -> Result<T, BadPlan> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let at = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).len();
            let sentence = "this is not UTF-8 text".into();
            return Err(BadPlan { problems: vec![Problem { place: Place::of(name, &text, at..at + 1), sentence, help: None }] });
        }
    };
    // What some editors of Windows begin a file with, and no part of it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (document, broken) = DeTable::parse_recoverable(text);
    let problem = |span: Range<usize>, sentence: String, help| Problem { place: Place::of(name, text, span), sentence, help };
    if !broken.is_empty() {
        let problems = broken.iter().take(ENOUGH).map(|error| {
            let wording = reword(error.message(), None, "");
            problem(error.span().unwrap_or(0..0), wording.sentence, wording.help)
        });
        return Err(BadPlan { problems: sorted(problems.collect()) });
    }

    let (plan, mut misfits) = fit::<T>(&document, text);
    misfits.extend(odd(&document));
    if let (Some(plan), true) = (&plan, misfits.is_empty()) {
        misfits.extend(validate(plan).into_iter().map(|invalid| Misfit {
            span: locate(&document, &invalid.path, invalid.part),
            sentence: invalid.sentence,
            help: invalid.help,
        }));
    }
    match plan {
        Some(plan) if misfits.is_empty() => Ok(plan),
        _ => Err(BadPlan {
            problems: sorted(misfits.into_iter().map(|misfit| problem(misfit.span, misfit.sentence, misfit.help)).collect()),
        }),
    }
}

/// Something in the document that does not fit.
pub struct Misfit {
    span: Range<usize>,
    sentence: String,
    help: Option<String>,
}

/// Fits the document into a `T`. Serde stops at the first misfit; so each is taken out and the rest tried again, until all are known.
fn fit<T: DeserializeOwned>(document: &Document<'_>, text: &str) -> (Option<T>, Vec<Misfit>) {
    let mut rest = document.clone();
    let mut misfits: Vec<Misfit> = Vec::new();
    let mut wounded: Vec<Range<usize>> = Vec::new();
    loop {
        let error = match T::deserialize(toml::Deserializer::from(rest.clone())) {
            Ok(plan) => return (Some(plan), misfits),
            Err(error) => error,
        };
        let span = error.span().unwrap_or(document.span());
        // What is missing where something was taken out is not a fault of its own.
        let follows = wounded.contains(&span) && !error.message().starts_with("unknown");
        if !follows {
            let path = path_at(document, &span);
            let wording = reword(error.message(), path.as_deref(), text.get(span.clone()).unwrap_or(""));
            misfits.push(Misfit { span: span.clone(), sentence: wording.sentence, help: wording.help });
        }
        match take_out(&mut rest, &span) {
            Some(around) if misfits.len() < ENOUGH => wounded.push(around),
            _ => return (None, misfits),
        }
    }
}

/// A range of three numbers: the TOML reader takes the first two and says nothing.
fn overlong_ranges(document: &Document<'_>) -> Vec<Misfit> {
    let single = ["hold_ms", "think_ms", "retry_ms"].map(|key| format!("workload.{key}"));
    let clients = document.get_ref().get("client").and_then(|value| match value.get_ref() {
        DeValue::Array(array) => Some(array.len()),
        _ => None,
    });
    let each = (0..clients.unwrap_or(0)).map(|i| format!("client[{i}].hold_ms"));
    let third = |path: String| {
        let span = locate(document, &format!("{path}[2]"), Part::Value);
        let there = path_at(document, &span)? == format!("{path}[2]");
        there.then(|| Misfit { span, sentence: format!("`{path}` has two numbers, the least and the most"), help: None })
    };
    single.into_iter().chain(each).filter_map(third).collect()
}

fn sorted(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by_key(|problem| (problem.place.line, problem.place.column));
    problems.dedup();
    problems
}
