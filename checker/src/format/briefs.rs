//! Operations of locks in brief, in the order of time.

use super::first::{First, Ranked};
use super::grants::Grants;
use super::naming::{Naming, Row};
use super::{Action, Answer, ReadError, Record};
use crate::Nanos;
use crate::history::{OpId, OpKind, Outcome};
use crate::judge::brief::{Begun, Brief, Ended};
use std::collections::VecDeque;

/// Rows in the order of their calls.
pub(super) trait Rows: Iterator<Item = Result<Row, ReadError>> {
    /// The next name that is to be told, before any row that has its number.
    fn fresh(&mut self) -> Option<Box<str>>;
}

impl<I: Iterator<Item = Result<Record, ReadError>>> Rows for Naming<I> {
    fn fresh(&mut self) -> Option<Box<str>> {
        Naming::fresh(self)
    }
}

/// What is told of rows that come in the order of their calls; an operation's id is its line.
///
/// At equal times a call comes before the returns of others, since intervals are closed, and after the return of the same client's
/// operation before. What never returned completes as unknown right after its call: it may take effect at any time from there.
pub(super) struct ToBriefs<I> {
    rows: I,
    grants: Grants,
    /// What was called and has not yet returned, the first to return on top.
    pending: First<Ended>,
    ready: VecDeque<Brief>,
    over: bool,
}

impl<I: Rows> ToBriefs<I> {
    pub(super) fn new(rows: I) -> Self {
        ToBriefs { rows, grants: Grants::default(), pending: First::new(), ready: VecDeque::new(), over: false }
    }

    pub(super) fn source(&self) -> &I {
        &self.rows
    }

    /// Makes ready the returns that come before the call of this row.
    fn return_before(&mut self, row: &Row) {
        let mut others = Vec::new();
        while self.pending.peek().is_some_and(|next| next.at <= row.call) {
            let next = self.pending.pop().expect("there was one");
            if next.at < row.call || next.client == row.client {
                self.ready.push_back(Brief::Ended(next));
            } else {
                others.push(next);
            }
        }
        others.into_iter().for_each(|other| self.pending.push(other));
    }

    fn call(&mut self, mut row: Row) {
        self.return_before(&row);
        let begun = self.begun(&mut row);
        self.ready.push_back(Brief::Begun(begun));
        let ended = Ended {
            at: row.ret.unwrap_or(row.call),
            id: row.line,
            client: row.client,
            outcome: match row.answer {
                Answer::Ok => Outcome::Ok,
                Answer::Refused | Answer::Failed => Outcome::Fail,
                Answer::Unknown => Outcome::Info,
            },
            token: row.token.filter(|_| row.action == Action::Acquire),
            value: row.value.filter(|_| row.action == Action::Read),
            valid_until: row.valid_until,
        };
        match row.ret {
            Some(_) => self.pending.push(ended),
            None => self.ready.push_back(Brief::Ended(ended)),
        }
    }

    fn begun(&mut self, row: &mut Row) -> Begun {
        let (key, line) = (row.key, row.line);
        let token = row.token.as_ref();
        // A token of which nothing is known names no grant, and certainly not another that its client has.
        let named = |grant: Option<OpId>| grant.unwrap_or(line);
        let (kind, grant) = match row.action {
            Action::Acquire => {
                match (token, row.answer) {
                    (None, _) => {}
                    (Some(token), Answer::Refused | Answer::Failed) => self.grants.refused(key, token, line),
                    (Some(token), _) => self.grants.acquired(key, token, line),
                }
                (OpKind::Acquire, None)
            }
            Action::Extend => (OpKind::Extend, token.map(|token| named(self.grants.find(key, token)))),
            Action::Release => (OpKind::Release, token.map(|token| named(self.grants.released(key, token)))),
            Action::Read => (OpKind::Read, token.and_then(|token| self.grants.find(key, token))),
            Action::Write | Action::Cas | Action::Txn => (OpKind::Write, token.and_then(|token| self.grants.find(key, token))),
        };
        let value = match kind {
            OpKind::Write => row.value.take().or_else(|| row.token.take()).unwrap_or_default(),
            _ => Default::default(),
        };
        Begun { at: row.call, id: line, client: row.client, target: key, kind, grant, value }
    }
}

impl Ranked for Ended {
    fn rank(&self) -> (Nanos, u64) {
        (self.at, self.id)
    }
}

impl<I: Rows> Iterator for ToBriefs<I> {
    type Item = Result<Brief, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.over {
            match self.rows.next() {
                Some(Ok(row)) => self.call(row),
                Some(Err(error)) => return Some(Err(error)),
                None => self.over = true,
            }
        }
        if let Some(name) = self.rows.fresh() {
            return Some(Ok(Brief::Name(name)));
        }
        let last = || self.pending.pop().map(Brief::Ended);
        self.ready.pop_front().or_else(last).map(Ok)
    }
}
