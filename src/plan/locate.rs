//! Where in a TOML document the value of a path stands, and what path stands at a place.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// A document with the place of everything in it.
pub type Document<'t> = Spanned<DeTable<'t>>;

/// The place of a path such as `step[1].when.completed.client`; where the document does not say it, the place of the nearest
/// table around it that the document has.
pub fn locate(document: &Document<'_>, path: &str, part: Part) -> Range<usize> {
    let mut here = document.span();
    let mut table = Some(document.get_ref());
    let mut array: Option<&DeArray<'_>> = None;
    for segment in path.split(['.', '[']).filter(|segment| !segment.is_empty()) {
        let (key, value) = match segment.strip_suffix(']') {
            Some(index) => match index.parse().ok().and_then(|i: usize| array?.get(i)) {
                Some(value) => (value.span(), value),
                None => return here,
            },
            None => match table.and_then(|table| table.get_key_value(segment)) {
                Some((key, value)) => (key.span(), value),
                None => return here,
            },
        };
        here = if part == Part::Key { key } else { value.span() };
        table = as_table(value.get_ref());
        array = as_array(value.get_ref());
    }
    here
}

/// Which part of `key = value` is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// The path of the value, or of the key, that stands exactly there.
pub fn path_at(document: &Document<'_>, span: &Range<usize>) -> Option<String> {
    in_table(document.get_ref(), span, "")
}

fn in_table(table: &DeTable<'_>, span: &Range<usize>, path: &str) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{}", key.get_ref());
        if &key.span() == span { Some(path) } else { in_value(value, span, &path) }
    })
}

fn in_value(value: &Spanned<DeValue<'_>>, span: &Range<usize>, path: &str) -> Option<String> {
    let inside = match value.get_ref() {
        DeValue::Table(table) => in_table(table, span, path),
        DeValue::Array(array) => {
            array.iter().enumerate().find_map(|(i, element)| in_value(element, span, &format!("{path}[{i}]")))
        }
        _ => None,
    };
    inside.or_else(|| (&value.span() == span).then(|| path.into()))
}

/// Takes what stands exactly there out of the document, and says in which table or array it stood; none where nothing stands exactly there.
pub fn take_out(document: &mut Document<'_>, span: &Range<usize>) -> Option<Range<usize>> {
    let whole = document.span();
    out_of_table(document.get_mut(), span, whole)
}

fn out_of_table(table: &mut DeTable<'_>, span: &Range<usize>, around: Range<usize>) -> Option<Range<usize>> {
    for (_, value) in table.iter_mut() {
        if let Some(parent) = out_of_value(value, span) {
            return Some(parent);
        }
    }
    let before = table.len();
    let key =
        table.iter().find(|(key, value)| &key.span() == span || &value.span() == span).map(|(key, _)| key.get_ref().to_string());
    table.remove(key?.as_str());
    (table.len() < before).then_some(around)
}

fn out_of_value(value: &mut Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<Range<usize>> {
    let around = value.span();
    match value.get_mut() {
        DeValue::Table(table) => out_of_table(table, span, around),
        DeValue::Array(array) => {
            if let Some(parent) = out_of_elements(array, span) {
                return Some(parent);
            }
            let before = array.len();
            *array = std::mem::replace(array, DeArray::new()).into_iter().filter(|element| &element.span() != span).collect();
            (array.len() < before).then_some(around)
        }
        _ => None,
    }
}

fn out_of_elements(array: &mut DeArray<'_>, span: &Range<usize>) -> Option<Range<usize>> {
    for element in array.iter_mut() {
        if let Some(parent) = out_of_value(element, span) {
            return Some(parent);
        }
    }
    None
}

fn as_table<'v, 't>(value: &'v DeValue<'t>) -> Option<&'v DeTable<'t>> {
    match value {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn as_array<'v, 't>(value: &'v DeValue<'t>) -> Option<&'v DeArray<'t>> {
    match value {
        DeValue::Array(array) => Some(array),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a = 1\n[[step]]\nname = \"x\"\n[[step]]\nwhen = { completed = { client = \"c9\" } }\n";

    fn at(path: &str, part: Part) -> &'static str {
        let document = DeTable::parse(TEXT).expect("valid TOML");
        &TEXT[locate(&document, path, part)]
    }

    #[test]
    fn a_path_is_found() {
        assert_eq!(at("a", Part::Value), "1");
        assert_eq!(at("a", Part::Key), "a");
        assert_eq!(at("step[0].name", Part::Value), "\"x\"");
        assert_eq!(at("step[1].when.completed.client", Part::Value), "\"c9\"");
        assert_eq!(at("step[1].when.completed", Part::Key), "completed");
    }

    #[test]
    fn what_is_not_there_is_where_it_would_be() {
        assert_eq!(at("step[1].until", Part::Value), "[[step]]");
        assert_eq!(at("step[7].until", Part::Key), "step");
        assert_eq!(at("nothing.at.all", Part::Value), "");
    }

    #[test]
    fn a_place_has_a_path_and_can_be_taken_out() {
        let mut document = DeTable::parse(TEXT).expect("valid TOML");
        let span = locate(&document, "step[1].when.completed.client", Part::Value);
        assert_eq!(path_at(&document, &span).as_deref(), Some("step[1].when.completed.client"));
        let around = locate(&document, "step[1].when.completed", Part::Value);
        assert_eq!(take_out(&mut document, &span), Some(around));
        assert_eq!(take_out(&mut document, &span), None);
        assert_eq!(path_at(&document, &span), None);
    }
}
