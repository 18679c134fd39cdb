//! Attacks by hand: what a reader of the judge suspected, one smallest history each.

use crate::story::{History, LOCK, MS, STOCK, acquire, check, extend, mutex, release, write};
use checker::finding::{Kind, Verdict};
use checker::history::{Completion, FaultEvent, LockTerms, Moment, Op, Outcome, ResourceKind, ResourceTerms, Value, What};
use std::collections::BTreeSet;

#[track_caller]
fn expect(history: &History, kinds: &[Kind]) {
    let judgement = history.judge();
    let found: BTreeSet<Kind> = judgement.findings.iter().map(|finding| finding.kind).collect();
    let sentences: Vec<_> = judgement.findings.iter().map(|finding| &finding.sentence).collect();
    assert_eq!(found, kinds.iter().copied().collect(), "{sentences:#?}\n{}", history.text());
}

fn fault(moment: Moment) -> What {
    let (step, kind, text) = ("s".into(), "restart".into(), "restarted n1 without its data".into());
    What::Fault(FaultEvent { step, kind, targets: vec!["n1".into()], moment, text })
}

fn read(id: u64, grant: u64) -> (u64, Op) {
    (id, Op::Read { resource: STOCK.into(), grant: Some(grant) })
}

// ---- ghost

#[test]
fn an_observation_from_before_the_grant_says_nothing() {
    let history = History::of(mutex())
        .invoke(0, "c1", 1, acquire(None))
        .granted_end(4, "c1", 1, "t1")
        .observe(3, 6, None, None)
        .invoke(7, "c1", 2, check(1))
        .done(8, Completion { value: Some(Value::Bool(true)), ..Completion::new("c1", 2, Outcome::Ok) });
    expect(&history, &[]);
}

#[test]
fn an_extension_in_flight_may_bring_the_key_back() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(5))
        .invoke(8, "c1", 2, extend(1, Some(50)))
        .observe(9, 10, None, None)
        .ok(12, "c1", 2)
        .invoke(13, "c1", 3, check(1))
        .done(14, Completion { value: Some(Value::Bool(true)), ..Completion::new("c1", 3, Outcome::Ok) });
    expect(&history, &[]);
}

#[test]
fn a_fault_hurts_before_it_is_verified() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(100))
        .at(5, fault(Moment::Begin))
        .observe(6, 7, None, None)
        .at(8, fault(Moment::Verified));
    expect(&history, &[]);
}

#[test]
fn a_fault_that_goes_on_is_an_explanation() {
    let history = History::of(mutex())
        .at(0, fault(Moment::Begin))
        .at(1, fault(Moment::Verified))
        .granted(2, 3, "c1", 1, "t1", Some(100))
        .observe(6, 7, None, None)
        .at(8, fault(Moment::End));
    expect(&history, &[]);
}

#[test]
fn anothers_extension_may_have_taken_it_away() {
    let history = History::of(mutex())
        .granted(0, 1, "c2", 1, "t1", Some(5))
        .granted(10, 11, "c1", 2, "t2", Some(100))
        .invoke(12, "c2", 3, extend(1, Some(0)))
        .ok(13, "c2", 3)
        .observe(14, 15, None, None);
    let kinds = history.kinds();
    assert!(!kinds.contains(&Kind::Ghost), "{kinds:?}");
}

#[test]
fn an_old_release_of_unknown_outcome_may_come_late() {
    let history = History::of(mutex())
        .granted(0, 1, "c2", 1, "t1", Some(5))
        .invoke(2, "c2", 2, release(1))
        .info(3, "c2", 2)
        .granted(10, 11, "c1", 3, "t3", Some(100))
        .observe(14, 15, None, None);
    expect(&history, &[]);
}

#[test]
fn an_own_release_of_unknown_outcome_hides_none_of_anothers() {
    let history = History::of(mutex())
        .granted(0, 1, "c2", 1, "t1", Some(5))
        .granted(2, 3, "c1", 2, "t2", Some(0))
        .invoke(10, "c1", 3, acquire(Some(100)))
        .invoke(10, "c2", 4, release(1))
        .info(11, "c2", 4)
        .granted_end(12, "c1", 3, "t3")
        .invoke(12, "c1", 5, release(2))
        .info(13, "c1", 5)
        .observe(14, 15, None, None);
    let kinds = history.kinds();
    assert!(!kinds.contains(&Kind::Ghost), "{kinds:?}");
}

#[test]
fn a_later_observation_counts_where_the_first_does_not() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(5))
        .observe(8, 9, None, None)
        .at(10, fault(Moment::Begin))
        .at(11, fault(Moment::Verified))
        .at(12, fault(Moment::End))
        .observe(13, 14, None, None)
        .invoke(15, "c1", 2, check(1))
        .done(16, Completion { value: Some(Value::Bool(true)), ..Completion::new("c1", 2, Outcome::Ok) });
    expect(&history, &[Kind::Ghost]);
}

#[test]
fn the_order_of_a_check_and_an_observation_says_nothing() {
    let granted = || History::of(mutex()).granted(0, 1, "c1", 1, "t1", Some(0));
    let yes = || Completion { value: Some(Value::Bool(true)), ..Completion::new("c1", 2, Outcome::Ok) };
    let seen_first = granted().observe(6, 7, None, None).invoke(7, "c1", 2, check(1)).done(7, yes());
    let asked_first = granted().invoke(7, "c1", 2, check(1)).done(7, yes()).observe(6, 7, None, None);
    assert_eq!(seen_first.kinds(), asked_first.kinds());
}

#[test]
fn a_release_in_flight_may_have_taken_it_away() {
    let history = History::of(mutex())
        .granted(0, 1, "c2", 1, "t1", Some(5))
        .granted(10, 11, "c1", 2, "t2", Some(100))
        .invoke(12, "c2", 3, release(1))
        .observe(14, 15, None, None);
    expect(&history, &[]);
}

// ---- phantom and leak: constant tokens, as Redisson's

#[test]
fn an_unknown_attempt_without_a_token_may_have_left_it() {
    let refused = Completion { token: Some("c1".into()), ..Completion::new("c1", 1, Outcome::Fail) };
    let history = History::of(mutex())
        .invoke(0, "c1", 1, acquire(Some(50)))
        .done(1, refused)
        .invoke(2, "c1", 2, acquire(Some(50)))
        .info(3, "c1", 2)
        .observe(4, 5, Some("c1"), Some(40));
    expect(&history, &[]);
}

/// Found by random plans: a grant that comes too late is given back before its client is told, and was seen meanwhile.
#[test]
fn an_attempt_that_takes_it_and_gives_it_back_may_be_seen_with_it() {
    let refused = |id| Completion { token: Some("c1".into()), ..Completion::new("c1", id, Outcome::Fail) };
    let tried = |from, to, quiet: bool| {
        let history = History::of(mutex()).invoke(0, "c1", 1, acquire(Some(50))).done(1, refused(1));
        let history = if quiet { history.quiet(2) } else { history };
        history.invoke(4, "c1", 2, acquire(Some(50))).observe(from, to, Some("c1"), Some(40)).done(8, refused(2)).sorted()
    };
    for quiet in [false, true] {
        expect(&tried(5, 6, quiet), &[]);
        expect(&tried(5, 9, quiet), &[]);
        let found: &[Kind] = if quiet { &[Kind::Phantom, Kind::Leak] } else { &[Kind::Phantom] };
        expect(&tried(9, 10, quiet), found);
        expect(&tried(2, 3, quiet), found);
    }
}

#[test]
fn an_unknown_attempt_without_a_token_may_leave_its_key() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "c1", Some(50))
        .invoke(2, "c1", 2, release(1))
        .ok(3, "c1", 2)
        .invoke(4, "c1", 3, acquire(Some(50)))
        .info(5, "c1", 3)
        .quiet(6)
        .observe(7, 8, Some("c1"), Some(40));
    expect(&history, &[]);
}

#[test]
fn a_nested_hold_given_back_leaves_the_outer() {
    let history = History::of(LockTerms { reentrant: true, ..mutex() })
        .granted(0, 1, "c1", 1, "c1", Some(50))
        .granted(2, 3, "c1", 2, "c1", Some(50))
        .invoke(4, "c1", 3, release(2))
        .ok(5, "c1", 3)
        .quiet(6)
        .observe(7, 8, Some("c1"), Some(40));
    expect(&history, &[]);
}

#[test]
fn a_nested_hold_given_back_leaves_the_outer_alive() {
    let history = History::of(LockTerms { reentrant: true, ..mutex() })
        .granted(0, 1, "c1", 1, "c1", None)
        .granted(2, 3, "c1", 2, "c1", None)
        .invoke(4, "c1", 3, release(2))
        .ok(5, "c1", 3)
        .quiet(6)
        .observe(7, 8, Some("c1"), None);
    expect(&history, &[]);
}

#[test]
fn a_release_that_is_tried_again_gives_back() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(50))
        .invoke(2, "c1", 2, release(1))
        .info(3, "c1", 2)
        .invoke(4, "c1", 3, release(1))
        .ok(5, "c1", 3)
        .quiet(6)
        .observe(7, 8, Some("t1"), Some(40));
    expect(&history, &[Kind::Leak]);
}

// ---- stale writes where more than one may hold

#[test]
fn holders_of_a_semaphore_write_in_any_order() {
    let history = History::of(LockTerms { limit: 2, ..mutex() })
        .granted(0, 1, "c1", 1, "t1", None)
        .granted(2, 3, "c2", 2, "t2", None)
        .invoke(4, "c2", 3, write(Some(2), None, 1))
        .ok(5, "c2", 3)
        .invoke(6, "c1", 4, write(Some(1), None, 2))
        .ok(7, "c1", 4);
    expect(&history, &[]);
}

#[test]
fn the_outer_hold_writes_after_the_inner() {
    let history = History::of(LockTerms { reentrant: true, ..mutex() })
        .granted(0, 1, "c1", 1, "t1", None)
        .granted(2, 3, "c1", 2, "t2", None)
        .invoke(4, "c1", 3, write(Some(2), None, 1))
        .ok(5, "c1", 3)
        .invoke(6, "c1", 4, release(2))
        .ok(7, "c1", 4)
        .invoke(8, "c1", 5, write(Some(1), None, 2))
        .ok(9, "c1", 5);
    expect(&history, &[]);
}

#[test]
fn the_outer_hold_writes_with_its_own_token() {
    let grant = |id, fence| Completion { fence: Some(fence), ..Completion::new("c1", id, Outcome::Ok) };
    let history = History::of(LockTerms { reentrant: true, ..mutex() })
        .invoke(0, "c1", 1, acquire(None))
        .done(1, grant(1, 33))
        .invoke(2, "c1", 2, acquire(None))
        .done(3, grant(2, 34))
        .invoke(4, "c1", 3, write(Some(2), None, 1))
        .ok(5, "c1", 3)
        .invoke(8, "c1", 5, write(Some(1), None, 2))
        .ok(9, "c1", 5);
    expect(&history, &[]);
}

#[test]
fn two_locks_count_for_themselves() {
    let grant = |client, id, fence| Completion { fence: Some(fence), ..Completion::new(client, id, Outcome::Ok) };
    let of = |lock: &str| Op::Acquire { lock: lock.into(), ttl_ms: None };
    let written = |second: &str| {
        History::of(mutex())
            .invoke(0, "c1", 1, of(LOCK))
            .done(1, grant("c1", 1, 900))
            .invoke(2, "c1", 2, write(Some(1), None, 1))
            .ok(3, "c1", 2)
            .invoke(4, "c1", 3, release(1))
            .ok(5, "c1", 3)
            .invoke(6, "c2", 4, of(second))
            .done(7, grant("c2", 4, 7))
            .invoke(8, "c2", 5, write(Some(4), None, 2))
            .ok(9, "c2", 5)
    };
    expect(&written("another lock"), &[]);
    expect(&written(LOCK), &[Kind::TokenOrder, Kind::StaleWrite]);
}

// ---- token-reuse

#[test]
fn a_fencing_token_comes_again_after_the_release() {
    let grant = |id| Completion { fence: Some(7), ..Completion::new("c1", id, Outcome::Ok) };
    let history = History::of(LockTerms { reentrant: true, ..mutex() })
        .invoke(0, "c1", 1, acquire(None))
        .done(1, grant(1))
        .invoke(2, "c1", 2, release(1))
        .ok(3, "c1", 2)
        .invoke(4, "c1", 3, acquire(None))
        .done(5, grant(3));
    expect(&history, &[Kind::TokenReuse]);
}

// ---- lost-update

fn counter() -> History {
    let mut history = History::of(mutex());
    let terms = ResourceTerms { kind: ResourceKind::Register, initial: Value::Int(0), fenced: false, group: None };
    history.header.resources.insert(STOCK.into(), terms);
    history
}

#[test]
fn a_value_may_come_back_while_the_first_write_is_in_flight() {
    // 0 -> 1 takes effect at once and is answered late; 1 -> 0 is invoked meanwhile; 0 -> 2 loses nothing.
    let history = counter()
        .invoke(0, "c1", 1, write(None, Some(0), 1))
        .invoke(5, "c2", 2, write(None, Some(1), 0))
        .ok(10, "c1", 1)
        .ok(20, "c2", 2)
        .invoke(30, "c3", 3, write(None, Some(0), 2))
        .ok(31, "c3", 3);
    expect(&history, &[]);
}

#[test]
fn a_write_of_its_own_base_loses_nothing() {
    let history = counter()
        .invoke(0, "c1", 1, write(None, Some(0), 0))
        .ok(1, "c1", 1)
        .invoke(2, "c2", 2, write(None, Some(0), 1))
        .ok(3, "c2", 2);
    expect(&history, &[]);
}

// ---- oversold

#[test]
fn a_failed_restock_is_no_supply() {
    let mut history = counter();
    history.header.resources.get_mut(STOCK).expect("it is there").kind = ResourceKind::Stock;
    history.header.resources.get_mut(STOCK).expect("it is there").initial = Value::Int(1);
    let history = history
        .invoke(0, "c1", 1, write(None, Some(1), 5))
        .fail(1, "c1", 1)
        .invoke(2, "c2", 2, write(None, Some(1), 0))
        .ok(3, "c2", 2)
        .invoke(4, "c3", 3, write(None, Some(2), 1))
        .ok(5, "c3", 3);
    expect(&history, &[Kind::Oversold]);
}

// ---- not-conserved

/// Two accounts, of which the second has this initial value, when all is quiet.
fn accounts(second: Value) -> History {
    let mut history = History::of(mutex());
    for (name, initial) in [("a", Value::Int(5)), ("b", second)] {
        let terms = ResourceTerms { kind: ResourceKind::Register, initial, fenced: false, group: Some("money".into()) };
        history.header.resources.insert(name.into(), terms);
    }
    history
}

fn read_account(history: History, ms: u64, id: u64, account: &str, value: i64) -> History {
    let read = Op::Read { resource: account.into(), grant: None };
    let done = Completion { value: Some(Value::Int(value)), ..Completion::new("probe", id, Outcome::Ok) };
    history.invoke(ms, "probe", id, read).done(ms + 1, done)
}

#[test]
fn a_group_with_a_member_of_unknown_value_has_no_sum() {
    let history = accounts(Value::Nil).quiet(0);
    // Nobody wrote what is read, and that is another matter.
    let history = read_account(history, 1, 1, "a", 3);
    expect(&read_account(history, 3, 2, "b", 2), &[Kind::NotLinearizable]);
}

#[test]
fn what_is_read_during_a_write_is_not_final() {
    let to = |account: &str, value| Op::Write {
        resource: account.into(),
        grant: None,
        value: Value::Int(value),
        base: None,
        fence: None,
    };
    let history = accounts(Value::Int(5)).quiet(0).invoke(1, "c1", 1, to("a", 4)).invoke(1, "c2", 2, to("b", 6));
    let history = read_account(history, 2, 3, "a", 4);
    let history = read_account(history, 4, 4, "b", 5).ok(6, "c1", 1).ok(6, "c2", 2);
    expect(&history, &[]);
}

// ---- what is remembered by a hash of 64 bits

#[test]
fn values_of_equal_hash_are_not_equal() {
    // The multiplier of the hash, squared, is the distance of two values on neighbouring resources that it confuses.
    let square = 0xf135_7aea_2e62_a9c5_u64.wrapping_mul(0xf135_7aea_2e62_a9c5);
    let (mut history, mut id) = (History::default(), 0);
    for (n, resource) in ["a", "b", "c"].into_iter().enumerate() {
        id += 1;
        let base = Some(Value::Int((n as u64).wrapping_mul(square).wrapping_neg() as i64));
        let op = Op::Write { resource: resource.into(), grant: None, value: Value::Int(id as i64), base, fence: None };
        history = history.invoke(id * 2, "c1", id, op).ok(id * 2 + 1, "c1", id);
    }
    expect(&history, &[]);
}

// ---- stuck

#[test]
fn a_try_that_was_refused_in_time_proves_nothing() {
    let history =
        History::of(LockTerms { margin_ms: 5, ..mutex() }).quiet(0).invoke(1, "probe", 1, acquire(Some(10))).fail(40, "probe", 1);
    expect(&history, &[]);
}

#[test]
fn the_probes_own_unknown_try_may_hold_it() {
    let history = History::of(LockTerms { margin_ms: 5, ..mutex() })
        .quiet(0)
        .invoke(13, "probe", 1, acquire(Some(10)))
        .info(14, "probe", 1)
        .invoke(16, "probe", 2, acquire(Some(10)))
        .fail(17, "probe", 2);
    expect(&history, &[]);
}

// ---- leases

#[test]
fn two_extensions_in_flight_promise_the_shorter() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(20))
        .invoke(2, "c1", 2, extend(1, Some(100)))
        .invoke(5, "c1", 3, extend(1, Some(3)))
        .ok(6, "c1", 2)
        .granted(9, 10, "c2", 4, "t4", Some(20))
        .ok(60, "c1", 3);
    expect(&history, &[]);
}

#[test]
fn an_announced_deadline_may_be_earlier() {
    let announced = Completion { valid_until: Some(20 * MS), ..Completion::new("c1", 2, Outcome::Ok) };
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", None)
        .invoke(2, "c1", 2, extend(1, None))
        .done(3, announced)
        .granted(25, 26, "c2", 3, "t3", None);
    expect(&history, &[]);
}

#[test]
fn an_act_while_an_extension_is_in_flight_is_stale_only_after_the_end() {
    let (id, op) = read(3, 1);
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(20))
        .invoke(2, "c1", 2, extend(1, Some(5)))
        .granted(8, 9, "c2", 4, "t4", None)
        .invoke(10, "c1", id, op);
    expect(&history, &[Kind::StaleHolder]);
}

#[test]
fn a_release_hits_the_second_grant_of_another() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", Some(6))
        .granted(2, 3, "c2", 2, "t2", Some(40))
        .granted(7, 8, "c2", 3, "t3", Some(40))
        .invoke(10, "c1", 4, release(1))
        .ok(11, "c1", 4);
    let kinds = history.kinds();
    assert!(kinds.contains(&Kind::Ownership), "{kinds:?}");
}

#[test]
fn a_claim_is_told_with_its_own_end_whatever_follows_at_its_stamp() {
    let history = History::of(mutex())
        .granted(0, 1, "c1", 1, "t1", None)
        .invoke(2, "c2", 2, acquire(Some(3)))
        .granted_end(9, "c2", 2, "t2")
        .invoke(9, "c2", 3, extend(2, None))
        .ok(9, "c2", 3);
    let findings = history.judge().findings;
    assert!(findings.iter().any(|finding| finding.sentence.contains("its own time was over since 0.005 s")), "{findings:#?}");
}

// ---- nothing breaks the judge

#[test]
fn extreme_numbers_break_nothing() {
    let max = u64::MAX;
    let history = History::of(LockTerms { limit: 0, ttl_ms: Some(max), margin_ms: max, ..mutex() });
    let mut events = history
        .granted(0, 1, "c1", 1, "t1", Some(max))
        .quiet(2)
        .invoke(3, "probe", 2, acquire(Some(max)))
        .fail(4, "probe", 2)
        .invoke(5, "c1", 3, write(Some(1), Some(i64::MIN), i64::MAX))
        .ok(6, "c1", 3)
        .invoke(7, "c1", 4, extend(1, Some(max)));
    let done = Completion {
        valid_for_ms: Some(i64::MIN),
        valid_until: Some(max),
        told_at: Some(max),
        fence: Some(max),
        ..Completion::new("c1", 4, Outcome::Ok)
    };
    events = events.done(8, done).at(9, What::Lost { client: "c1".into(), lock: LOCK.into() });
    events.events.last_mut().expect("there is one").at = max;
    events.judge();
}

/// Found by the fuzz target `events`.
#[test]
fn what_claims_to_have_begun_before_it_did_is_judged() {
    let unknown = |history: History, id| history.invoke(2, "c1", id, write(None, Some(0), 5)).info(3, "c1", id);
    let history = unknown(unknown(History::default(), 1), 2);
    assert_eq!(history.judge().verdict, Verdict::Assumptions);
    expect(&history, &[]);
}

// ---- the order of lines of one stamp

fn lost() -> What {
    What::Lost { client: "c1".into(), lock: LOCK.into() }
}

#[test]
fn a_loss_at_the_stamp_of_a_grant_counts_in_any_order() {
    let begun = || History::of(mutex()).granted(0, 1, "c1", 1, "t1", None).invoke(3, "c1", 2, acquire(None));
    let lost_first = begun().at(5, lost()).granted_end(5, "c1", 2, "t2").granted(6, 7, "c2", 3, "t3", None);
    let granted_first = begun().granted_end(5, "c1", 2, "t2").at(5, lost()).granted(6, 7, "c2", 3, "t3", None);
    assert_eq!(lost_first.kinds(), granted_first.kinds());
}

#[test]
fn a_loss_at_the_stamp_of_an_extension_counts_in_any_order() {
    let begun = || History::of(mutex()).granted(0, 1, "c1", 1, "t1", Some(50)).invoke(3, "c1", 2, extend(1, Some(50)));
    let lost_first = begun().at(5, lost()).ok(5, "c1", 2).granted(6, 7, "c2", 3, "t3", None);
    let extended_first = begun().ok(5, "c1", 2).at(5, lost()).granted(6, 7, "c2", 3, "t3", None);
    assert_eq!(lost_first.kinds(), extended_first.kinds());
}
