//! Numbers in text, read and written exactly as Redis does.

use super::reply::{ErrorReply, NOT_A_FLOAT, NOT_AN_INTEGER};

/// An integer in its only form: no plus, no leading zero, no space (`string2ll`).
pub(super) fn parse_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut magnitude: u64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        magnitude = magnitude.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// An integer argument.
pub(super) fn integer(text: &[u8]) -> Result<i64, ErrorReply> {
    parse_integer(text).ok_or(NOT_AN_INTEGER)
}

/// A float argument. Hexadecimal floats, which C reads too, are refused.
pub(super) fn float(text: &[u8]) -> Result<f64, ErrorReply> {
    let value: f64 = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or(NOT_A_FLOAT)?;
    let named = text.iter().any(|b| matches!(b, b'n' | b'N'));
    let underflowed = value == 0.0 && text.split(|b| matches!(b, b'e' | b'E')).next().is_some_and(has_nonzero_digit);
    if value.is_nan() || (value.is_infinite() && !named) || underflowed { Err(NOT_A_FLOAT) } else { Ok(value) }
}

fn has_nonzero_digit(mantissa: &[u8]) -> bool {
    mantissa.iter().any(|b| matches!(b, b'1'..=b'9'))
}

/// One end of a range of scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoreBound {
    score: f64,
    exclusive: bool,
}

impl ScoreBound {
    /// `1.5`, `(1.5`, `-inf`; like C's `strtod`, nothing at all is 0.
    pub fn parse(text: &[u8]) -> Result<Self, ErrorReply> {
        let (exclusive, number) = match text {
            [b'(', number @ ..] => (true, number),
            number => (false, number),
        };
        let number = number.trim_ascii_start();
        let score = if number.is_empty() { Some(0.0) } else { std::str::from_utf8(number).ok().and_then(|n| n.parse().ok()) };
        match score {
            Some(score) if !f64::is_nan(score) => Ok(ScoreBound { score, exclusive }),
            _ => Err(ErrorReply::fixed("ERR min or max is not a float")),
        }
    }

    pub fn is_at_most(&self, score: f64) -> bool {
        if self.exclusive { self.score < score } else { self.score <= score }
    }

    pub fn is_at_least(&self, score: f64) -> bool {
        if self.exclusive { self.score > score } else { self.score >= score }
    }
}

/// A number as C's `%.17g` prints it: what a score and a script's numeric argument look like.
pub(super) fn print_float(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.into();
    }
    if value == value.trunc() && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative()) {
        return (value as i64).to_string();
    }
    let scientific = format!("{value:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    if (-4..17).contains(&exponent) {
        let fixed = format!("{value:.*}", (16 - exponent) as usize);
        without_trailing_zeros(&fixed).into()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.abs())
    }
}

fn without_trailing_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_one_form() {
        for good in ["0", "1", "-1", "9223372036854775807", "-9223372036854775808"] {
            assert_eq!(parse_integer(good.as_bytes()), good.parse().ok(), "{good}");
        }
        for bad in
            ["", "-", "+1", "01", "-0", " 1", "1 ", "1.0", "9223372036854775808", "-9223372036854775809", "99999999999999999999"]
        {
            assert_eq!(parse_integer(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn floats_print_as_c_does() {
        for (value, text) in [
            (3.7, "3.7000000000000002"),
            (1e20, "1e+20"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (0.0001, "0.0001"),
            (0.00001, "1.0000000000000001e-05"),
            (-0.0, "-0"),
            (0.5, "0.5"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(print_float(value), text);
        }
    }
}
