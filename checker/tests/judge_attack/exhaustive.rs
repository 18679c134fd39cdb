//! The histories of one lock of a few clients and operations, over small domains, are judged as the definitions judge them: the smallest
//! sets whole, the larger ones at equal distances, a hundred times as many in the long version.
//!
//! A client's life is a row of operations, one after another, each from one stamp to the next or at once; the domains are: an acquire with
//! a TTL of three stamps, or without one, that is granted, refused or of unknown outcome; and of its last grant a release, an extension or
//! a check, granted, refused or unknown. Histories that differ only by the clients' names are looked at once.

use crate::random::differences;
use crate::story::{History, acquire, check, extend, mutex, release};
use checker::history::{Completion, Op, OpId, Outcome, Value};

/// What a client does in one step, and when.
#[derive(Debug, Clone, Copy)]
struct Step {
    deed: Deed,
    outcome: Outcome,
    from: u64,
    until: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Acquire(Option<u64>),
    Extend,
    Release,
    Check,
}

const DEEDS: [Deed; 5] = [Deed::Acquire(None), Deed::Acquire(Some(3)), Deed::Release, Deed::Extend, Deed::Check];
const OUTCOMES: [Outcome; 3] = [Outcome::Ok, Outcome::Fail, Outcome::Info];

/// Every life of so many operations that begins at one of these stamps; what is about a grant comes after one.
fn lives(operations: usize, stamps: u64, gaps: &[u64], lengths: &[u64]) -> Vec<Vec<Step>> {
    let mut all = vec![Vec::new()];
    for _ in 0..operations {
        let mut longer = Vec::new();
        for life in &all {
            let life: &Vec<Step> = life;
            let has_grant = life.iter().any(|step| matches!(step.deed, Deed::Acquire(_)) && step.outcome == Outcome::Ok);
            let starts: Vec<u64> = match life.last() {
                None => (0..stamps).collect(),
                Some(last) => gaps.iter().map(|gap| last.until + gap).collect(),
            };
            for deed in DEEDS.into_iter().filter(|deed| has_grant || matches!(deed, Deed::Acquire(_))) {
                for outcome in OUTCOMES {
                    // A check is told apart by its answer only.
                    if deed == Deed::Check && outcome == Outcome::Info {
                        continue;
                    }
                    for from in &starts {
                        for length in lengths {
                            let step = Step { deed, outcome, from: *from, until: from + length };
                            longer.push(life.iter().copied().chain([step]).collect());
                        }
                    }
                }
            }
        }
        all = longer;
    }
    all
}

fn play(lives: &[&Vec<Step>]) -> History {
    let mut history = History::of(mutex());
    for (client, life) in lives.iter().enumerate() {
        let (name, mut grant) = (format!("c{client}"), None);
        for (n, step) in life.iter().enumerate() {
            let id = (client * 10 + n) as OpId + 1;
            let op: Op = match (step.deed, grant) {
                (Deed::Acquire(ttl_ms), _) => acquire(ttl_ms),
                (Deed::Extend, Some(grant)) => extend(grant, Some(3)),
                (Deed::Release, Some(grant)) => release(grant),
                (Deed::Check, Some(grant)) => check(grant),
                (_, None) => continue,
            };
            if matches!(step.deed, Deed::Acquire(_)) && step.outcome == Outcome::Ok {
                grant = Some(id);
            }
            history = history.invoke(step.from, &name, id, op);
            history = history.done(step.until, answer(step, &name, id));
        }
    }
    history.sorted()
}

fn answer(step: &Step, name: &str, id: OpId) -> Completion {
    let bare = |outcome| Completion::new(name, id, outcome);
    match (step.deed, step.outcome) {
        // No is an answer, too.
        (Deed::Check, outcome) => Completion { value: Some(Value::Bool(outcome == Outcome::Ok)), ..bare(Outcome::Ok) },
        (_, outcome) => bare(outcome),
    }
}

/// Judges every combination of lives, and says how many there were.
fn judge_all(sets: &[&[Vec<Step>]], every: usize) -> usize {
    let total: usize = sets.iter().map(|set| set.len()).product();
    let mut judged = 0;
    for n in (0..total).step_by(every) {
        let mut rest = n;
        let (mut lives, mut places) = (Vec::new(), Vec::new());
        for set in sets {
            lives.push(&set[rest % set.len()]);
            places.push(rest % set.len());
            rest /= set.len();
        }
        let alike =
            sets.windows(2).zip(places.windows(2)).any(|(set, place)| std::ptr::eq(set[0], set[1]) && place[0] > place[1]);
        if alike {
            continue;
        }
        let history = play(&lives);
        let differences = differences(&history);
        assert!(differences.is_empty(), "{differences:#?}\n{}", history.text());
        judged += 1;
    }
    judged
}

#[test]
fn small_histories() {
    // Of the larger sets a part is looked at, spread over all of it.
    let every = |step: usize| if crate::long() { step / 100 + 1 } else { step };
    let one = lives(1, 3, &[0, 1], &[0, 1]);
    let two = lives(2, 3, &[0, 1], &[0, 1]);
    let three = lives(3, 2, &[1], &[0, 1]);
    let four = lives(4, 1, &[1], &[1]);
    let mut judged = 0;
    judged += judge_all(&[&two, &two], every(97));
    judged += judge_all(&[&three, &one], every(29));
    judged += judge_all(&[&three, &two], every(9_973));
    judged += judge_all(&[&four, &four], every(9_973));
    judged += judge_all(&[&one, &one, &one], every(1));
    judged += judge_all(&[&two, &one, &one], every(251));
    judged += judge_all(&[&four, &one, &one], every(9_973));
    println!("judged {judged} histories");
    assert!(judged > 20_000, "{judged}");
}
