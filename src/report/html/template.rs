//! A page with places to fill, and text that is safe in each of them.

/// Fills every `{{name}}` of a template. What is filled in is not looked at again.
pub fn fill(template: &str, what: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("a place is closed");
        out.push_str(before);
        out.push_str(&what(name));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Text that is safe between tags and inside of quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON that is safe inside of a script element: nothing in it can end the element, open a comment, or end a line of script.
/// These characters occur only in the strings of JSON, where an escape means the same.
pub fn script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_filled_once() {
        assert_eq!(fill("a {{x}} b {{y}}", |name| format!("<{name} {{{{x}}}}>")), "a <x {{x}}> b <y {{x}}>");
    }

    #[test]
    fn what_would_end_the_script_does_not() {
        let safe = script(&serde_json::to_string("</script><!-- \u{2028}\u{2029} &amp;").expect("JSON"));
        assert_eq!(safe, r#""\u003c/script\u003e\u003c!-- \u2028\u2029 \u0026amp;""#);
        assert_eq!(escape("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
    }

    proptest! {
        #[test]
        fn a_safe_script_is_the_same_json(text in any::<String>()) {
            let safe = script(&serde_json::to_string(&text).expect("JSON"));
            let unsafe_ones = ['<', '>', '\u{2028}', '\u{2029}'];
            prop_assert!(!safe.contains(unsafe_ones));
            prop_assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), text);
        }
    }
}
