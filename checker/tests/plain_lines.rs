//! Lines that are plain are read without serde_json, and are what serde_json makes of them, to the word of every complaint.

use checker::format::operations;
use checker::history::jsonl::{ReadError, Reader, line_by_serde};
use proptest::prelude::*;

const NAMES: &[&str] = &[
    "client",
    "op",
    "key",
    "token",
    "call",
    "return",
    "ok",
    "value",
    "valid_until",
    "at",
    "type",
    "id",
    "lock",
    "resource",
    "grant",
    "ttl_ms",
    "base",
    "fence",
    "valid_for_ms",
    "told_at",
    "fenced_by",
    "why",
    "error",
    "step",
    "phase",
    "from",
    "holder",
    "tok",
    "",
];

const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "00",
    "7",
    "-7",
    "07",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "1.0",
    "1e3",
    "-",
    "\"\"",
    "\"a\"",
    "\"ü\"",
    "\"\\n\"",
    "\"\\u0061\"",
    "\"\t\"",
    "[]",
    "[1]",
    "{}",
    "nul",
    "\"acquire\"",
    "\"extend\"",
    "\"release\"",
    "\"check\"",
    "\"read\"",
    "\"write\"",
    "\"invoke\"",
    "\"ok\"",
    "\"fail\"",
    "\"info\"",
    "\"gone\"",
    "\"lost\"",
    "\"quiet\"",
];

/// Mostly a line that can be read, with a few of its fields changed for any.
fn line() -> impl Strategy<Value = String> {
    let good = prop::sample::select(vec![
        r#""client":1,"op":"acquire","key":"a","token":1,"call":1,"return":2,"ok":true"#,
        r#""client":"c","op":"write","key":null,"token":"t","call":1,"return":null,"ok":null,"value":-3,"valid_until":9"#,
        r#""client":1,"op":"read","call":5,"return":5,"ok":true"#,
        r#""at":1,"type":"invoke","client":"c","id":1,"op":"acquire","lock":"l","ttl_ms":5"#,
        r#""at":1,"type":"invoke","client":"c","id":1,"op":"write","resource":"r","grant":2,"value":null,"base":"x","fence":3"#,
        r#""at":1,"type":"ok","client":"c","id":1,"token":"t","fence":1,"valid_for_ms":-1,"valid_until":7,"told_at":3"#,
        r#""at":1,"type":"fail","client":"c","id":1,"fenced_by":4,"why":"w","error":"e""#,
        r#""at":1,"type":"gone","client":"c""#,
    ]);
    let field =
        (prop::sample::select(NAMES), prop::sample::select(VALUES)).prop_map(|(name, value)| format!("\"{name}\":{value}"));
    let space = || prop::sample::select(vec!["", "", "", " ", "\t", "x"]);
    (good, prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), field), 0..4), space(), space(), any::<bool>())
        .prop_map(|(good, changes, before, after, spaced)| {
            let mut fields: Vec<String> = good.split(',').map(str::to_owned).collect();
            for (at, replace, field) in changes {
                let at = at.index(fields.len());
                if replace { fields[at] = field } else { fields.insert(at, field) }
            }
            let between = if spaced { ", " } else { "," };
            format!("{before}{{{}}}{after}", fields.join(between))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_line_is_what_serde_json_reads(line in line()) {
        let plain = operations::line(1, line.as_bytes()).map_err(|mistake| mistake.problem);
        let serde = operations::line_by_serde(1, line.as_bytes()).map_err(|mistake| mistake.problem);
        prop_assert_eq!(plain, serde);

        let history = format!("{{\"fencepost\":1}}\n{line}\n");
        let words = |error: ReadError| error.to_string();
        let plain = Reader::new(history.as_bytes()).expect("it has a header").next().expect("it has a line");
        prop_assert_eq!(plain.map_err(words), line_by_serde(&line, 2).map_err(words));
    }
}
