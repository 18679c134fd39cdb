//! What became of the attempts to take a lock, by the token that each would leave in the store.

use crate::Nanos;
use crate::history::{OpId, Outcome};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use std::sync::Arc;

/// An attempt that ended.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// The acquire.
    pub id: OpId,
    /// Whose.
    pub client: Name,
    /// When it ended, or was given back.
    pub since: Nanos,
}

/// Why nothing of an attempt can be left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// It was refused: it certainly left nothing in the store, says its library.
    Refused,
    /// It was granted and certainly given back.
    GivenBack,
}

/// The attempts that are remembered, by lock and token.
///
/// A client whose attempt names no token may have left any of the tokens that the same client's other attempts name.
#[derive(Debug, Default)]
pub struct Attempts {
    by_token: Recent<(Name, Arc<str>), Token>,
    unnamed: Recent<(Name, Name), Left>,
}

/// The attempts with one token.
#[derive(Debug)]
struct Token {
    /// Whose they are; if they are of several clients, the token tells nothing about any of them.
    client: Name,
    is_shared: bool,
    /// The first that was refused.
    refused: Option<(OpId, Nanos)>,
    /// When the last was refused.
    last_refused: Nanos,
    /// The last that was granted.
    granted: Option<Attempt>,
    left: Left,
}

/// What attempts may have left in the store.
#[derive(Debug, Default)]
struct Left {
    /// How many were granted and not certainly given back.
    held: u32,
    /// The last of which nobody knows what became of it.
    unknown: Option<OpId>,
    /// The last that was given back.
    given_back: Option<(OpId, Nanos)>,
}

impl Left {
    fn ended(&mut self, outcome: Outcome, id: OpId) {
        match outcome {
            Outcome::Ok => self.held = self.held.saturating_add(1),
            Outcome::Info => self.unknown = Some(id),
            Outcome::Fail => {}
        }
    }

    fn given_back(&mut self, grant: OpId, at: Nanos) {
        self.held = self.held.saturating_sub(1);
        self.given_back = Some((grant, at));
    }

    fn is_over(&self) -> bool {
        self.held == 0 && self.unknown.is_none()
    }
}

impl Attempts {
    /// The last attempt on a lock of which it is known that it had this token.
    pub fn with_token(&self, lock: Name, token: &Arc<str>) -> Option<Attempt> {
        let of = self.token(lock, token)?;
        let plain = |(id, since)| Attempt { id, client: of.client, since };
        of.granted.or(of.left.unknown.map(|id| plain((id, 0)))).or(of.refused.map(plain))
    }

    /// The first attempt with this token, if all of them had been refused by this time, and every attempt of its client that named none was, too.
    pub fn refused(&self, lock: Name, token: &Arc<str>, by: Nanos) -> Option<Attempt> {
        let of = self.token(lock, token).filter(|of| !of.is_shared && of.granted.is_none() && of.left.is_over())?;
        if of.last_refused > by {
            return None;
        }
        let (id, since) = of.refused.filter(|_| self.unnamed.get(&(lock, of.client)).is_none())?;
        Some(Attempt { id, client: of.client, since })
    }

    /// An attempt with this token, if all of them were over by this time, and every attempt of its client that named none was, but for such as were
    /// refused later.
    pub fn over(&self, lock: Name, token: &Arc<str>, by: Nanos) -> Option<(Attempt, Over)> {
        let of = self.token(lock, token).filter(|of| !of.is_shared && of.last_refused <= by)?;
        let mut left = [Some(&of.left), self.unnamed.get(&(lock, of.client))].into_iter().flatten();
        if !left.all(|left| left.is_over() && left.given_back.is_none_or(|(_, since)| since <= by)) {
            return None;
        }
        let given_back = of.left.given_back.map(|given_back| (given_back, Over::GivenBack));
        let ((id, since), how) = given_back.or(of.refused.map(|refused| (refused, Over::Refused)))?;
        (since <= by).then_some((Attempt { id, client: of.client, since }, how))
    }

    /// The last grant with this token, if no other attempt, of which it is known that it was not refused, may have left it later.
    pub fn granted(&self, lock: Name, token: &Arc<str>) -> Option<Attempt> {
        let of = self.token(lock, token).filter(|of| !of.is_shared && of.left.unknown.is_none())?;
        of.granted.filter(|_| self.unnamed.get(&(lock, of.client)).is_none())
    }

    fn token(&self, lock: Name, token: &Arc<str>) -> Option<&Token> {
        self.by_token.get(&(lock, token.clone()))
    }

    /// An acquire ended. Returns the last grant of another client with the same token.
    pub(super) fn ended(&mut self, lock: Name, token: Option<&Arc<str>>, outcome: Outcome, attempt: Attempt) -> Option<Attempt> {
        let Attempt { id, client, since } = attempt;
        let Some(token) = token else {
            if outcome != Outcome::Fail {
                self.unnamed.renew((lock, client), Left::default).ended(outcome, id);
            }
            return None;
        };
        let (refused, granted) = (None, None);
        let new = || Token { client, is_shared: false, refused, last_refused: 0, granted, left: Left::default() };
        let of = self.by_token.renew((lock, token.clone()), new);
        of.is_shared |= of.client != client;
        of.left.ended(outcome, id);
        match outcome {
            Outcome::Ok => of.granted.replace(attempt).filter(|earlier| earlier.client != client),
            Outcome::Fail => {
                of.refused.get_or_insert((id, since));
                of.last_refused = of.last_refused.max(since);
                None
            }
            Outcome::Info => None,
        }
    }

    /// A grant was certainly given back, for the first time.
    pub(super) fn given_back(&mut self, lock: Name, client: Name, token: Option<&Arc<str>>, grant: OpId, at: Nanos) {
        let left = match token {
            Some(token) => self.by_token.get_mut(&(lock, token.clone())).map(|of| &mut of.left),
            None => self.unnamed.get_mut(&(lock, client)),
        };
        left.into_iter().for_each(|left| left.given_back(grant, at));
    }
}
