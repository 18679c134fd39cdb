//! The options of SET and GETEX.

use super::super::number::integer;
use super::super::reply::{ErrorReply, SYNTAX};
use super::is;

/// When a key is to expire, as the command says it.
#[derive(Debug, Clone, Copy)]
pub(super) struct When<'a> {
    pub unit: Unit,
    pub text: &'a [u8],
    /// Since 1970, or from now.
    pub absolute: bool,
}

/// The unit of a time in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
}

impl When<'_> {
    /// In milliseconds since 1970.
    ///
    /// # Errors
    /// What is no number, not above zero, or beyond 64 bits.
    pub fn at(&self, command: &str, now: i64) -> Result<i64, ErrorReply> {
        let given = integer(self.text)?;
        let refused = || ErrorReply::expire_time(command);
        if given <= 0 {
            return Err(refused());
        }
        let millis = match self.unit {
            Unit::Seconds => given.checked_mul(1000).ok_or_else(refused)?,
            Unit::Milliseconds => given,
        };
        if self.absolute { Ok(millis) } else { millis.checked_add(now).ok_or_else(refused) }
    }
}

/// What must be true of a key for SET to write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Presence {
    #[default]
    Any,
    Absent,
    Present,
}

/// The options of SET.
#[derive(Debug, Default)]
pub(super) struct SetOptions<'a> {
    pub presence: Presence,
    pub get: bool,
    pub keep_ttl: bool,
    pub when: Option<When<'a>>,
}

impl<'a> SetOptions<'a> {
    pub fn parse(args: &[&'a [u8]]) -> Result<Self, ErrorReply> {
        let mut options = SetOptions::default();
        let mut args = args.iter();
        while let Some(option) = args.next() {
            if is(option, "NX") && options.presence != Presence::Present {
                options.presence = Presence::Absent;
            } else if is(option, "XX") && options.presence != Presence::Absent {
                options.presence = Presence::Present;
            } else if is(option, "GET") {
                options.get = true;
            } else if is(option, "KEEPTTL") && options.when.is_none() {
                options.keep_ttl = true;
            } else if options.keep_ttl {
                return Err(SYNTAX);
            } else {
                options.when = Some(expire_option(option, args.next(), options.when)?);
            }
        }
        Ok(options)
    }
}

/// The options of GETEX.
#[derive(Debug, Clone, Copy)]
pub(super) enum GetexOptions<'a> {
    Leave,
    Persist,
    Expire(When<'a>),
}

impl<'a> GetexOptions<'a> {
    pub fn parse(args: &[&'a [u8]]) -> Result<Self, ErrorReply> {
        let mut options = GetexOptions::Leave;
        let mut args = args.iter();
        while let Some(option) = args.next() {
            options = match options {
                GetexOptions::Leave | GetexOptions::Persist if is(option, "PERSIST") => GetexOptions::Persist,
                GetexOptions::Leave => GetexOptions::Expire(expire_option(option, args.next(), None)?),
                GetexOptions::Expire(when) => GetexOptions::Expire(expire_option(option, args.next(), Some(when))?),
                GetexOptions::Persist => return Err(SYNTAX),
            };
        }
        Ok(options)
    }
}

/// `EX 5` and its kin. Redis takes the same option twice, and believes the last; two different ones it refuses.
fn expire_option<'a>(option: &[u8], text: Option<&&'a [u8]>, before: Option<When<'a>>) -> Result<When<'a>, ErrorReply> {
    let (unit, absolute) = match option {
        o if is(o, "EX") => (Unit::Seconds, false),
        o if is(o, "PX") => (Unit::Milliseconds, false),
        o if is(o, "EXAT") => (Unit::Seconds, true),
        o if is(o, "PXAT") => (Unit::Milliseconds, true),
        _ => return Err(SYNTAX),
    };
    let text = text.ok_or(SYNTAX)?;
    match before {
        Some(before) if (before.unit, before.absolute) != (unit, absolute) => Err(SYNTAX),
        _ => Ok(When { unit, text, absolute }),
    }
}
