//! Every mistake, and the words for it.

use super::read;

fn complaint(history: &[u8]) -> String {
    read(history).expect_err(&String::from_utf8_lossy(history)).to_string()
}

#[test]
fn a_wrong_header_is_named() {
    let missing = "line 1: the header is missing: a history begins with a line such as {\"fencepost\":1}";
    for (history, wanted) in [
        ("", missing),
        ("hello", missing),
        ("hello\n", missing),
        ("[1]\n", missing),
        ("{}\n", missing),
        ("{\"at\":1,\"type\":\"gone\",\"client\":\"c1\"}\n", missing),
        ("\n", "line 1: empty; each line must be one JSON object"),
        ("{\"fencepo", "line 1: the history ends within its header"),
        ("{\"fencepost\":2,\"new\":true}\n", "line 1: the history is of version 2; this fencepost reads version 1"),
        ("{\"fencepost\":0}\n", "line 1: the history is of version 0; this fencepost reads version 1"),
        ("{\"fencepost\":\"1\"}\n", "line 1, column 16: invalid type: string \"1\", expected a whole number, 0 or more"),
        ("{\"fencepost\":1,\"sede\":7}\n", "line 1, column 21: unknown field `sede`; did you mean `seed`?"),
        ("{\"fencepost\":1,\n", "line 1, column 15: the line breaks off: EOF while parsing a value"),
    ] {
        assert_eq!(complaint(history.as_bytes()), wanted, "{history}");
    }
}

#[test]
fn a_wrong_line_is_named() {
    for (line, wanted) in [
        ("", ": empty; each line must be one JSON object"),
        ("  \r", ": empty; each line must be one JSON object"),
        ("[1,2]", ", column 1: no JSON object"),
        (r#"{"at":1"#, ", column 7: the line breaks off: EOF while parsing an object"),
        (r#"{"at":1,"type":"gone","client":"c1"} x"#, r#", column 38: trailing characters"#),
        (
            r#"{"at":1.5,"type":"gone","client":"c1"}"#,
            r#", column 9: invalid type: floating point `1.5`, expected a whole number, 0 or more"#,
        ),
        (
            r#"{"at":-1,"type":"gone","client":"c1"}"#,
            r#", column 8: invalid value: integer `-1`, expected a whole number, 0 or more"#,
        ),
        (r#"{"at":1,"at":2,"type":"gone","client":"c1"}"#, r#", column 12: duplicate field `at`"#),
        (r#"{"at":1,"client":"c1"}"#, r#", column 22: missing field `type`"#),
        (r#"{"type":"gone","client":"c1"}"#, r#", column 29: missing field `at`"#),
        (r#"{"at":1,"type":7,"client":"c1"}"#, r#", column 16: invalid type: integer `7`, expected the name of a known type"#),
        (r#"{"at":1,"type":"invoek"}"#, r#", column 23: unknown type `invoek`; did you mean `invoke`?"#),
        (r#"{"at":1,"type":"INFO"}"#, r#", column 21: unknown type `INFO`; did you mean `info`?"#),
        (
            r#"{"at":1,"type":"x\ny"}"#,
            r#", column 21: unknown type `x\ny`; known are `invoke`, `ok`, `fail`, `info`, `lost`, `gone`, `fault`, `observe`, `phase`"#,
        ),
        (r#"{"at":1,"type":"invoke","op":"aquire"}"#, r#", column 37: unknown op `aquire`; did you mean `acquire`?"#),
        (r#"{"at":1,"type":"phase","phase":"quite"}"#, r#", column 38: unknown phase `quite`; did you mean `quiet`?"#),
        (
            r#"{"at":1,"type":"fault","moment":"ended"}"#,
            r#", column 39: unknown moment `ended`; known are `begin`, `verified`, `end`, `failed`"#,
        ),
        (r#"{"at":1,"type":"gone","clinet":"c1"}"#, r#", column 30: unknown field `clinet`; did you mean `client`?"#),
        (
            r#"{"at":1,"type":"gone","host":"c1"}"#,
            r#", column 28: unknown field `host`; known are `at`, `type`, `client`, `id`, `op`, `lock`, `resource`, `grant`, `ttl_ms`, `value`, `base`, `token`, `fence`, `valid_for_ms`, `valid_until`, `told_at`, `fenced_by`, `why`, `error`, `step`, `kind`, `targets`, `moment`, `text`, `from`, `holder`, `keys`, `phase`"#,
        ),
        (
            r#"{"at":1,"type":"ok","client":"c1","id":1,"value":1.5}"#,
            r#", column 52: invalid type: floating point `1.5`, expected null, true, false, a whole number of 64 bits, a text or a list of these"#,
        ),
        (
            r#"{"at":1,"type":"ok","client":"c1","id":1,"value":{"a":1}}"#,
            r#", column 50: invalid type: map, expected null, true, false, a whole number of 64 bits, a text or a list of these"#,
        ),
        (
            r#"{"at":1,"type":"observe","lock":"l","from":1,"keys":[{"node":"n1","key":"l","token":"t","tll_ms":1}]}"#,
            r#", column 96: unknown field `tll_ms`; did you mean `ttl_ms`?"#,
        ),
        (r#"{"at":1,"type":"gone"}"#, r#": `gone` needs the field `client`"#),
        (r#"{"at":1,"type":"invoke","client":"c1","id":1}"#, r#": `invoke` needs the field `op`"#),
        (r#"{"at":1,"type":"invoke","client":"c1","id":1,"op":"read","lock":"l"}"#, r#": `read` needs the field `resource`"#),
        (
            r#"{"at":1,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"l","grant":1}"#,
            r#": `acquire` has no field `grant`"#,
        ),
        (r#"{"at":1,"type":"invoke","client":"c1","id":1,"op":"write","resource":"r"}"#, r#": `write` needs the field `value`"#),
        (r#"{"at":1,"type":"ok","client":"c1","id":1,"op":"read"}"#, r#": `ok` has no field `op`"#),
        (r#"{"at":1,"type":"phase","phase":"sick"}"#, r#": `sick` needs the field `why`"#),
        (r#"{"at":1,"type":"phase","phase":"end","why":"x"}"#, r#": `end` has no field `why`"#),
    ] {
        let history = format!("{{\"fencepost\":1}}\n{line}\n");
        assert_eq!(complaint(history.as_bytes()), format!("line 2{wanted}"), "{line}");
    }
}

#[test]
fn bytes_that_are_no_text_are_found() {
    let history = [b"{\"fencepost\":1}\n{\"at\":1,\"type\":\"gone\",\"client\":\"" as &[u8], b"\xff\"}\n"].concat();
    assert_eq!(complaint(&history), "line 2, column 33: not UTF-8");
}
