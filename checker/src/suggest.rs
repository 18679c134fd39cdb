//! "Did you mean …?"

/// The known name that a misspelt one was most likely meant to be; none where nothing is near, or several are.
pub fn nearest<'a>(misspelt: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(misspelt);
    let allowed = (folded.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&folded, &fold(name)), name))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort();
    match near.as_slice() {
        // Where two are as near, neither was meant more than the other.
        [(first, _), (second, _), ..] if first == second => None,
        [(_, name), ..] => Some(name),
        [] => None,
    }
}

/// The advice that follows a misspelt name: the nearest known one, else all there are.
pub fn advice<'a>(misspelt: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(misspelt, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => one_of(known),
    }
}

/// `there is `a``, `there are `a`, `b` and `c``.
pub fn one_of<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "there is none".into(),
        [only] => format!("there is only {only}"),
        [most @ .., last] => format!("there are {} and {last}", most.join(", ")),
    }
}

/// Upper and lower case, hyphen and underscore are the usual slips; they cost nothing.
fn fold(name: &str) -> String {
    // Nobody's misspelling is longer than this, and the distance is quadratic.
    name.chars().take(64).map(|c| if c == '_' || c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_nonsense_is_not() {
        let known = ["gc-pause", "gc-pause-fenced", "blind-release"];
        for (misspelt, meant) in [
            ("gc-puase", Some("gc-pause")),
            ("gc_pause", Some("gc-pause")),
            ("GC-PAUSE", Some("gc-pause")),
            ("gcpause", Some("gc-pause")),
            ("blind-relase", Some("blind-release")),
            ("clock-jump", None),
            ("", None),
        ] {
            assert_eq!(nearest(misspelt, known), meant, "{misspelt}");
        }
    }

    #[test]
    fn where_nothing_is_near_everything_is_listed() {
        assert_eq!(advice("zz", ["c1", "c2", "c3"]), "there are `c1`, `c2` and `c3`");
        assert_eq!(advice("c9", ["c1", "c2", "n1"]), "there are `c1`, `c2` and `n1`");
        assert_eq!(advice("n2", ["n1"]), "did you mean `n1`?");
        assert_eq!(advice("store", ["n1"]), "there is only `n1`");
    }
}
