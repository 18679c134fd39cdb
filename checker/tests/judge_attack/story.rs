//! Histories as tests write them: one call an event.

use checker::finding::{Finding, Judgement, Kind};
use checker::history::jsonl::Writer;
use checker::history::{Completion, Event, Header, KeySeen, LockTerms, Observation, Op, OpId, Outcome, Phase, Value, What};
use checker::judge::judge;
use std::collections::BTreeSet;

pub const MS: u64 = 1_000_000;

/// The lock and the resource of most stories.
pub const LOCK: &str = "lock";
pub const STOCK: &str = "stock";

/// A header and events in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub header: Header,
    pub events: Vec<Event>,
}

impl Default for History {
    fn default() -> Self {
        History { header: Header { fencepost: 1, ..Header::default() }, events: Vec::new() }
    }
}

impl History {
    /// A history of one lock with these terms.
    pub fn of(terms: LockTerms) -> Self {
        let mut history = History::default();
        history.header.locks.insert(LOCK.into(), terms);
        history
    }

    pub fn at(mut self, ms: u64, what: What) -> Self {
        self.events.push(Event { at: ms * MS, what });
        self
    }

    pub fn invoke(self, ms: u64, client: &str, id: OpId, op: Op) -> Self {
        self.at(ms, What::Invoke { client: client.into(), id, op })
    }

    pub fn ok(self, ms: u64, client: &str, id: OpId) -> Self {
        self.done(ms, Completion::new(client, id, Outcome::Ok))
    }

    pub fn fail(self, ms: u64, client: &str, id: OpId) -> Self {
        self.done(ms, Completion::new(client, id, Outcome::Fail))
    }

    pub fn info(self, ms: u64, client: &str, id: OpId) -> Self {
        self.done(ms, Completion::new(client, id, Outcome::Info))
    }

    pub fn done(self, ms: u64, done: Completion) -> Self {
        self.at(ms, What::Done(done))
    }

    /// An acquire that is granted, with a token and its time to live, in milliseconds.
    pub fn granted(self, from: u64, to: u64, client: &str, id: OpId, token: &str, ttl_ms: Option<u64>) -> Self {
        self.invoke(from, client, id, acquire(ttl_ms)).granted_end(to, client, id, token)
    }

    /// The yes of an acquire, with its token.
    pub fn granted_end(self, ms: u64, client: &str, id: OpId, token: &str) -> Self {
        self.done(ms, Completion { token: Some(token.into()), ..Completion::new(client, id, Outcome::Ok) })
    }

    pub fn quiet(self, ms: u64) -> Self {
        self.at(ms, What::Phase(Phase::Quiet))
    }

    /// The runner sees this holder, and one key of it that lives so long.
    pub fn observe(self, from: u64, to: u64, holder: Option<&str>, ttl_ms: Option<u64>) -> Self {
        let key = |token: &str| KeySeen { node: "n1".into(), key: LOCK.into(), token: token.into(), ttl_ms };
        let keys = holder.iter().map(|token| key(token)).collect();
        let seen = Observation { lock: LOCK.into(), from: from * MS, holder: holder.map(String::from), keys };
        self.at(to, What::Observe(seen))
    }

    pub fn judge(&self) -> Judgement {
        judge(&self.header, &self.events)
    }

    /// The kinds that the judge finds.
    pub fn kinds(&self) -> BTreeSet<Kind> {
        self.judge().findings.iter().map(|finding| finding.kind).collect()
    }

    /// Puts the lines in the order of time, those of equal times as they are.
    pub fn sorted(mut self) -> Self {
        self.events.sort_by_key(|event| event.at);
        self
    }

    /// As a file would show it.
    pub fn text(&self) -> String {
        let mut writer = Writer::new(Vec::new(), &self.header).expect("memory takes everything");
        self.events.iter().for_each(|event| writer.write(event).expect("memory takes everything"));
        String::from_utf8(writer.into_inner()).expect("JSON is text")
    }
}

/// What is said of a history, but for its words and causes: these may name other witnesses.
pub fn essence(judgement: &Judgement) -> BTreeSet<(Kind, String, BTreeSet<String>)> {
    let of = |finding: &Finding| (finding.kind, finding.lock.clone(), finding.clients.iter().cloned().collect());
    judgement.findings.iter().map(of).collect()
}

pub fn acquire(ttl_ms: Option<u64>) -> Op {
    Op::Acquire { lock: LOCK.into(), ttl_ms }
}

pub fn extend(grant: OpId, ttl_ms: Option<u64>) -> Op {
    Op::Extend { lock: LOCK.into(), grant: Some(grant), ttl_ms }
}

pub fn release(grant: OpId) -> Op {
    Op::Release { lock: LOCK.into(), grant: Some(grant) }
}

pub fn check(grant: OpId) -> Op {
    Op::Check { lock: LOCK.into(), grant: Some(grant) }
}

pub fn write(grant: Option<OpId>, base: Option<i64>, value: i64) -> Op {
    Op::Write { resource: STOCK.into(), grant, value: Value::Int(value), base: base.map(Value::Int), fence: None }
}

/// A mutex.
pub fn mutex() -> LockTerms {
    LockTerms::default()
}
