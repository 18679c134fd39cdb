//! Reads a filter. `not` binds closest, then `and` and `-`, then `or`; parentheses as usual.

use super::{Filter, Pattern, Predicate};
use crate::lock::facts;
use crate::problem::{Place, Problem};
use crate::suggest::advice;
use std::ops::Range;
use std::str::FromStr;

/// Why a filter cannot be understood, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadFilter(Box<Problem>);

/// How deep parentheses may be: deeper nobody writes, and the stack has an end.
const DEEPEST: usize = 64;

impl FromStr for Filter {
    type Err = BadFilter;

    fn from_str(text: &str) -> Result<Filter, BadFilter> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let filter = reader.either()?;
        reader.skip_space();
        match reader.rest().is_empty() {
            true => Ok(filter),
            false if reader.rest().starts_with(')') => Err(reader.bad(1, "this parenthesis closes nothing", None)),
            false => Err(reader.bad(reader.word_here(), "an operator is missing before this", Some(OPERATORS.into()))),
        }
    }
}

const OPERATORS: &str = "between two predicates stands `and`, `or`, or `-` (and not)";

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn either(&mut self) -> Result<Filter, BadFilter> {
        let mut left = self.both()?;
        while self.operator(&["or", "|", "+"]) {
            left = Filter::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Filter, BadFilter> {
        let mut left = self.single()?;
        loop {
            if self.operator(&["and", "&"]) {
                left = Filter::And(Box::new(left), Box::new(self.single()?));
            } else if self.operator(&["-"]) {
                left = Filter::And(Box::new(left), Box::new(Filter::Not(Box::new(self.single()?))));
            } else {
                return Ok(left);
            }
        }
    }

    fn single(&mut self) -> Result<Filter, BadFilter> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.bad(1, "this is nested too deeply", None));
        }
        let single = if self.operator(&["not", "!"]) {
            Filter::Not(Box::new(self.single()?))
        } else if self.operator(&["("]) {
            let open = self.at - 1;
            let inner = self.either()?;
            if !self.operator(&[")"]) {
                return Err(self.bad_at(open..open + 1, "this parenthesis is not closed", None));
            }
            inner
        } else {
            self.predicate()?
        };
        self.depth -= 1;
        Ok(single)
    }

    fn predicate(&mut self) -> Result<Filter, BadFilter> {
        let words = || Predicate::ALL.iter().map(|predicate| predicate.word()).chain(["all"]);
        self.skip_space();
        let (start, length) = (self.at, self.word_here());
        let word = &self.rest()[..length];
        if word.is_empty() {
            let such = Some("such as `lock(set-nx-px)`".into());
            return Err(self.bad(1, "a predicate is missing here", such));
        }
        self.at += length;
        let Some(predicate) = words().find(|known| *known == word) else {
            let sentence = format!("there is no predicate `{word}`");
            return Err(self.bad_at(start..self.at, sentence, Some(advice(word, words()))));
        };
        if !self.operator(&["("]) {
            let sentence = format!("`{predicate}` must be told what, in parentheses");
            return Err(self.bad_at(start..self.at, sentence, Some(format!("such as `{predicate}(…)`"))));
        }
        let open = self.at;
        let Some(length) = self.rest().find(')') else {
            return Err(self.bad_at(open - 1..open, "this parenthesis is not closed", None));
        };
        let inside = &self.rest()[..length];
        self.at += length + 1;
        let Some(predicate) = Predicate::ALL.into_iter().find(|known| known.word() == word) else {
            return match inside.trim().is_empty() {
                true => Ok(Filter::All),
                false => Err(self.bad_at(open..open + length, "`all` takes every cell, and is told nothing", None)),
            };
        };
        let mut patterns = Vec::new();
        let mut from = open;
        for piece in inside.split(',') {
            let name = piece.trim();
            let place = from..from + piece.len();
            from += piece.len() + 1;
            if name.is_empty() {
                return Err(self.bad_at(place, "a name is missing here", Some("`*` stands for any".into())));
            }
            let pattern = Pattern::new(name);
            let known = known(predicate);
            if let Some(exact) = pattern.exact().filter(|exact| !known.is_empty() && !known.contains(exact)) {
                let sentence = format!("no {} is named `{exact}`", predicate.word());
                return Err(self.bad_at(place, sentence, Some(advice(exact, known.iter().copied()))));
            }
            patterns.push(pattern);
        }
        Ok(Filter::Is(predicate, patterns))
    }

    /// Takes one of these operators, where it stands here.
    fn operator(&mut self, any: &[&str]) -> bool {
        self.skip_space();
        let rest = self.rest();
        let word = &rest[..self.word_here()];
        let here = any.iter().find(|operator| match operator.starts_with(char::is_alphabetic) {
            true => word == **operator,
            false => rest.starts_with(**operator),
        });
        self.at += here.map_or(0, |operator| operator.len());
        here.is_some()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// The length of the word that stands here.
    fn word_here(&self) -> usize {
        self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len())
    }

    fn bad(&self, length: usize, sentence: impl Into<String>, help: Option<String>) -> BadFilter {
        self.bad_at(self.at..self.at + length.max(1), sentence, help)
    }

    fn bad_at(&self, span: Range<usize>, sentence: impl Into<String>, help: Option<String>) -> BadFilter {
        BadFilter(Box::new(Problem { place: Place::of("filter", self.text, span), sentence: sentence.into(), help }))
    }
}

/// The names that something of a cell can have; empty where anything can be one.
fn known(predicate: Predicate) -> Vec<&'static str> {
    match predicate {
        Predicate::Lock => facts::ALL.iter().map(|lock| lock.name).collect(),
        Predicate::Fault => nemesis::catalogue::ALL.iter().map(|fault| fault.kind).chain(["none"]).collect(),
        Predicate::From => vec!["scenario", "file"],
        Predicate::Expect => checker::finding::Kind::ALL.iter().map(|kind| kind.name()).chain(["safe"]).collect(),
        Predicate::Name | Predicate::Topology | Predicate::Resource => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::facts::Facts;
    use proptest::prelude::*;

    fn facts(name: &str, lock: &str, faults: &[&str]) -> Facts {
        Facts {
            name: name.into(),
            lock: lock.into(),
            topology: "single".into(),
            faults: faults.iter().map(|fault| fault.to_string()).collect(),
            resource: "none".into(),
            expect: vec!["safe".into()],
            from: "scenario".into(),
        }
    }

    fn takes(text: &str) -> bool {
        let filter: Filter = text.parse().unwrap_or_else(|bad| panic!("{bad}"));
        filter.takes(&facts("gc-pause", "set-nx-px", &["pause", "kill"]))
    }

    #[test]
    fn what_filters_take() {
        for (text, taken) in [
            ("all()", true),
            ("lock(set-nx-px) & fault(pause)", true),
            ("lock(set-nx-px) and fault(kill) - name(gc-*)", false),
            ("not name(gc-*) or topology(single)", true),
            ("not (name(gc-*) or topology(single))", false),
            ("name(x, gc-pause)", true),
            ("!lock(redlock)|name(nothing)", true),
            ("expect(safe) & expect(two-holders)", false),
        ] {
            assert_eq!(takes(text), taken, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_understood_is_shown() {
        let told = |text: &str| Filter::from_str(text).expect_err(text).to_string();
        let all = [
            "lock(set-nx-xp)",
            "lokc(redlock)",
            "lock(redlock) fault(pause)",
            "(lock(redlock)",
            "lock(redlock))",
            "lock(redlock) &",
            "lock",
            "name(a,)",
            "",
            "fault(ü",
        ]
        .map(told);
        insta::assert_snapshot!(all.join("\n\n"));
    }

    /// A filter as a tree, and how it is written with every parenthesis.
    fn written(filter: &Filter) -> String {
        match filter {
            Filter::All => "all()".into(),
            Filter::Is(predicate, patterns) => {
                let names: Vec<&str> = patterns.iter().filter_map(Pattern::exact).collect();
                format!("{}({})", predicate.word(), names.join(", "))
            }
            Filter::Not(inner) => format!("not ({})", written(inner)),
            Filter::And(left, right) => format!("({}) and ({})", written(left), written(right)),
            Filter::Or(left, right) => format!("({}) | ({})", written(left), written(right)),
        }
    }

    fn any_filter() -> impl Strategy<Value = Filter> {
        let leaf = prop_oneof![Just(Filter::All), "[ab]".prop_map(|name| Filter::Is(Predicate::Name, vec![Pattern::new(&name)]))];
        leaf.prop_recursive(4, 16, 2, |inner| {
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                inner.prop_map(|f| Filter::Not(Box::new(f))),
                pair.clone().prop_map(|(a, b)| Filter::And(Box::new(a), Box::new(b))),
                pair.prop_map(|(a, b)| Filter::Or(Box::new(a), Box::new(b))),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(filter in any_filter()) {
            prop_assert_eq!(written(&filter).parse::<Filter>().expect("it is sound"), filter);
        }

        #[test]
        fn without_parentheses_not_comes_first_then_and_then_or(
            terms in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 1..8)
        ) {
            // Each term: the name holds or not, it is negated or not, it is joined by `or` or `and`.
            let text: String = terms.iter().enumerate().map(|(i, (holds, negated, or))| {
                let join = if i == 0 { "" } else if *or { " or " } else { " & " };
                format!("{join}{}name({})", if *negated { "not " } else { "" }, if *holds { "gc-pause" } else { "other" })
            }).collect();
            let mut groups = vec![true];
            for (i, (holds, negated, or)) in terms.iter().enumerate() {
                if i > 0 && *or { groups.push(true); }
                *groups.last_mut().expect("one") &= holds != negated;
            }
            prop_assert_eq!(takes(&text), groups.contains(&true), "{}", text);
        }

        #[test]
        fn nothing_makes_it_panic(text in "\\PC{0,40}") {
            let _ = text.parse::<Filter>();
        }
    }
}
