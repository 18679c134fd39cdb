//! The one object that `--json` prints.

use super::remedy::remedies;
use super::{Injected, Searched, Standing, Subject};
use crate::plan::Expectation;
use checker::finding::{BrokenAssumption, Counts, Finding, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A report as one JSON object. Its keys are public and stay.
#[derive(Debug, Serialize)]
pub struct Object<'r> {
    name: &'r str,
    verdict: Verdict,
    as_expected: bool,
    standing: String,
    expected: &'r Expectation,
    findings: &'r [Finding],
    assumptions: &'r [BrokenAssumption],
    world: &'r str,
    seed: u64,
    versions: &'r BTreeMap<String, String>,
    injected: &'r [Injected],
    counts: &'r Counts,
    remedies: Vec<String>,
    run: Option<&'r Path>,
    replay: &'r str,
    warnings: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<&'r Searched>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Times>,
}

/// How often a run was repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Times {
    /// How often it was to be.
    pub asked: u32,
    /// How often it was, the first that was not as expected included.
    pub ran: u32,
    /// How often it came out as expected.
    pub as_expected: u32,
}

impl<'r> Object<'r> {
    /// The object of a report.
    pub fn new(subject: &'r Subject, times: Option<Times>) -> Object<'r> {
        Object {
            name: &subject.header.name,
            verdict: subject.judgement.verdict,
            as_expected: subject.standing == Standing::AsExpected,
            standing: subject.standing.sentence(),
            expected: &subject.expected,
            findings: &subject.judgement.findings,
            assumptions: &subject.judgement.broken,
            world: &subject.header.world,
            seed: subject.header.seed,
            versions: &subject.header.versions,
            injected: &subject.injected,
            counts: &subject.judgement.counts,
            remedies: remedies(subject).iter().map(|remedy| remedy.sentence()).collect(),
            run: subject.run.as_deref(),
            replay: &subject.replay,
            warnings: &subject.warnings,
            searched: subject.searched.as_ref(),
            times,
        }
    }
}
