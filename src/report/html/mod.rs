//! The report as one page that needs nothing else: no network, no other file, no framework.
//!
//! What can be said without a script is in the page as text (`prose`); the script draws the interval diagram from the
//! whole history, which the page carries as compact JSON (`data`).

mod data;
mod prose;
pub mod template;

use super::Subject;
use super::wording::{headline, verdict_words};
use template::{escape, fill, script};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The page's script, in the order in which its pieces build on each other.
const SCRIPT: &str = concat!(
    include_str!("page/history.js"),
    include_str!("page/time.js"),
    include_str!("page/state.js"),
    include_str!("page/lanes.js"),
    include_str!("page/theme.js"),
    include_str!("page/glyphs.js"),
    include_str!("page/diagram.js"),
    include_str!("page/leases.js"),
    include_str!("page/operations.js"),
    include_str!("page/head.js"),
    include_str!("page/overview.js"),
    include_str!("page/pick.js"),
    include_str!("page/details.js"),
    include_str!("page/search.js"),
    include_str!("page/filters.js"),
    include_str!("page/violations.js"),
    include_str!("page/pointer.js"),
    include_str!("page/keys.js"),
    include_str!("page/link.js"),
    include_str!("page/main.js"),
);

/// The page of a report's subject. It shows the operations of which the subject has the events.
pub fn page(subject: &Subject) -> String {
    let verdict = subject.judgement.verdict;
    let json = serde_json::to_string(&data::Data::new(subject)).expect("a page's data is JSON");
    fill(PAGE, |name| match name {
        "title" => escape(&headline(subject)),
        "style" => STYLE.into(),
        "script" => SCRIPT.into(),
        "data" => script(&json),
        "verdict-class" => prose::class(verdict).into(),
        "verdict" => verdict_words(verdict).into(),
        "icon" => prose::icon(verdict).into(),
        "summary" => prose::summary(subject),
        "findings" => prose::findings(subject),
        "faults" => prose::faults(subject),
        "about" => prose::about(subject),
        _ => unreachable!("the page has no place {name}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_nothing_that_it_would_have_to_fetch() {
        let page = format!("{PAGE}{STYLE}{SCRIPT}");
        for fetches in ["http:", "https:", "@import", "<script src", "url(", "fetch(", "XMLHttpRequest", "import("] {
            assert!(!page.contains(fetches), "{fetches}");
        }
    }
}
