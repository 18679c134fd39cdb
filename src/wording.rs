//! Says in plain words what serde and the parsers of TOML and JSON found wrong.

use crate::suggest::{advice, nearest};
use nemesis::catalogue;

/// What is wrong and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// In a sentence.
    pub sentence: String,
    /// What to do.
    pub help: Option<String>,
}

/// Rewords a message of the TOML parser or of serde. `path` is what stands at the place, `source` its text.
pub fn reword(message: &str, path: Option<&str>, source: &str) -> Wording {
    let name = path.map_or("this".into(), |path| format!("`{path}`"));
    let table = path.and_then(|path| path.rsplit_once('.')).map(|(table, _)| table);
    let say = |sentence: String, help: Option<String>| Wording { sentence, help };

    if let Some(rest) = message.strip_prefix("unknown field ") {
        let names = quoted(rest);
        return unknown_key(names.first().copied().unwrap_or(""), names.get(1..).unwrap_or(&[]), table);
    }
    if let Some((keys, known)) =
        message.strip_prefix("unexpected keys in table: ").and_then(|m| m.split_once(", available keys: "))
    {
        return unknown_key(keys.split(", ").next().unwrap_or(keys), &known.split(", ").collect::<Vec<_>>(), table);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let names = quoted(rest);
        let (given, known) = names.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let listed = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let help = match nearest(given, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`? Possible are {listed}"),
            None => format!("possible are {listed}"),
        };
        let place = path.map(|path| path.rsplit('.').next().unwrap_or(path)).filter(|last| *last != given);
        let sentence = match place {
            Some(place) => format!("`{given}` is nothing that `{place}` can be"),
            None => format!("`{given}` is not known here"),
        };
        return say(sentence, Some(help));
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        let field = rest.trim_matches('`');
        let sentence = match path {
            Some(path) => format!("`{path}` needs the key `{field}`"),
            None => format!("the key `{field}` is missing"),
        };
        return say(sentence, None);
    }
    if message.contains("expected newtype variant") || message.contains("expected struct variant") {
        // `fault = "kill"` names the choice in its value, `fault = { kill = "n1" }` in its key.
        let given = source.trim_matches(['"', '\'']);
        let last = path.map_or("", |path| path.rsplit('.').next().unwrap_or(path));
        let choice = if example(last).is_some() { last } else { given };
        let help = example(choice).map_or_else(|| format!("write `{{ {choice} = … }}`"), |plan| format!("such as `{plan}`"));
        return say(format!("`{choice}` needs to be told more"), Some(help));
    }
    if message.starts_with("wanted exactly 1 element") {
        if source.starts_with("[[") {
            return say(format!("there is only one {}", name.replace("[0]", "")), Some("write it in single brackets".into()));
        }
        let some = if path.is_some_and(|path| path.ends_with(".fault")) { &catalogue::ALL[0] } else { &catalogue::TRIGGERS[1] };
        return say(format!("{name} must say exactly one thing"), Some(format!("such as `{}`", some.plan)));
    }
    if message.starts_with("wanted string or table") {
        return say(format!("{name} must be a text in quotes or a table"), None);
    }
    for prefix in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((given, expected)) = message.strip_prefix(prefix).and_then(|m| m.split_once(", expected ")) {
            if expected == "a sequence" && source.starts_with('[') {
                return say(format!("there can be several {name}"), Some("write it in double brackets".into()));
            }
            let given = if prefix == "invalid length " { format!("{given} of them") } else { plain_given(given) };
            return say(format!("{name} must be {}, not {given}", plain_expected(expected)), None);
        }
    }
    say(message.lines().collect::<Vec<_>>().join("; "), None)
}

/// How a plan says a fault or a trigger of this name.
fn example(kind: &str) -> Option<&'static str> {
    let all = catalogue::ALL.iter().chain(&catalogue::TRIGGERS);
    all.into_iter().find(|described| described.kind == kind).map(|described| described.plan)
}

fn unknown_key(given: &str, known: &[&str], table: Option<&str>) -> Wording {
    let sentence = match table {
        Some(table) => format!("`{table}` has no key `{given}`"),
        None => format!("there is no key `{given}` here"),
    };
    Wording { sentence, help: Some(advice(given, known.iter().copied())) }
}

/// Everything between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn plain_given(given: &str) -> String {
    match given {
        "map" => "a table".into(),
        "sequence" => "a list".into(),
        _ => match given.strip_prefix("string ") {
            Some(text) => format!("the text {text}"),
            None => quoted(given).first().map_or(given.into(), |value| value.to_string()),
        },
    }
}

fn plain_expected(expected: &str) -> String {
    let plain = match expected {
        "u64" => "a whole number, 0 or more",
        "u32" => "a whole number from 0 to 4294967295",
        "i64" => "a whole number",
        "a string" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        other if other.contains("Millis") => "two whole numbers of milliseconds, the least and the most, such as `[5, 15]`",
        other if other.starts_with("struct ") => "a table",
        other => other,
    };
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_become_sentences() {
        let cases = [
            (
                "unknown field `tll_ms`, expected `kind` or `ttl_ms`",
                "lock.tll_ms",
                "`lock` has no key `tll_ms`",
                "did you mean `ttl_ms`?",
            ),
            (
                "unexpected keys in table: x, available keys: node, data",
                "step[0].fault.kill.x",
                "`step[0].fault.kill` has no key `x`",
                "there are `node` and `data`",
            ),
            (
                "unknown variant `reed`, expected `read` or `write`",
                "step[0].when.completed.op",
                "`reed` is nothing that `op` can be",
                "did you mean `read`? Possible are `read`, `write`",
            ),
            (
                "invalid type: string \"500\", expected u64",
                "lock.ttl_ms",
                "`lock.ttl_ms` must be a whole number, 0 or more, not the text \"500\"",
                "",
            ),
            (
                "invalid value: integer `-5`, expected u64",
                "lock.ttl_ms",
                "`lock.ttl_ms` must be a whole number, 0 or more, not -5",
                "",
            ),
            ("missing field `kind`", "lock", "`lock` needs the key `kind`", ""),
        ];
        for (message, path, sentence, help) in cases {
            let wording = reword(message, Some(path), "");
            assert_eq!(wording.sentence, sentence);
            assert_eq!(wording.help.unwrap_or_default(), help);
        }
    }
}
