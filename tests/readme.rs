//! The README names every key that a plan can have, every field of an event, and every exit code. Its table of scenarios is held by `tests/table.rs`.

use fencepost::plan::read;

const README: &str = include_str!("../README.md");

/// A plan that has everything, but for the key `zzz`.
const PLAN: &str = r#"
about = "x"
[expect]
[lock]
kind = "fenced"
[resource]
kind = "redis"
[topology]
[workload]
[[client]]
name = "c1"
[[step]]
name = "s"
when = { invoked = { client = "c1", op = "acquire" } }
fault = { pause = "c1" }
until = { step = { name = "s", moment = "begin" } }
"#;

/// The keys that stand in backticks in what is said of one that is not known.
fn known(text: &str) -> Vec<String> {
    let bad = read("plan.toml", text).expect_err(text);
    let help = bad.problems[0].help.clone().unwrap_or_default();
    let keys: Vec<String> = help.split('`').skip(1).step_by(2).map(String::from).collect();
    assert!(keys.len() > 1, "{bad}");
    keys
}

#[test]
fn every_key_of_a_plan_is_explained() {
    let with = |section: &str| PLAN.replacen(section, &format!("{section}\nqqqqqqqqqqqq = 1"), 1);
    let sections = ["[expect]", "[lock]", "[resource]", "[topology]", "[workload]", "[[client]]", "[[step]]"];
    let mut all: Vec<String> = known(&format!("qqqqqqqqqqqq = 1\n{PLAN}"));
    all.retain(|key| !["expect", "lock", "resource", "topology", "workload", "client", "step"].contains(&key.as_str()));
    all.extend(sections.iter().flat_map(|section| known(&with(section))));
    for inner in ["client = \"c1\"", "name = \"s\", moment = \"begin\""] {
        all.extend(known(&PLAN.replacen(inner, &format!("{inner}, qqqqqqqqqqqq = 1"), 1)));
    }
    all.extend(nemesis::catalogue::ALL.iter().chain(&nemesis::catalogue::TRIGGERS).map(|it| it.kind.to_owned()));
    let reference = README.split_once("## Every key of a plan").expect("a chapter").1.split_once("\n## ").expect("and another").0;
    let missing: Vec<&String> = all.iter().filter(|key| !reference.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "the README does not explain {missing:?}");
}

#[test]
fn every_field_of_an_event_is_explained() {
    let history = "{\"fencepost\":1}\n{\"at\":1,\"type\":\"gone\",\"qqqqqqqqqqqq\":1}\n";
    let error =
        checker::history::jsonl::Reader::new(history.as_bytes()).expect("a header").next().expect("a line").expect_err("no");
    let header =
        checker::history::jsonl::Reader::new("{\"fencepost\":1,\"qqqqqqqqqqqq\":1}\n".as_bytes()).expect_err("no such key");
    let chapter =
        README.split_once("## Every event of a history").expect("a chapter").1.split_once("\n## ").expect("and another").0;
    for said in [error.to_string(), header.to_string()] {
        let (_, known) = said.split_once("known are").expect("a list");
        for field in known.split('`').skip(1).step_by(2) {
            assert!(chapter.contains(&format!("`{field}`")), "the README does not explain `{field}`");
        }
    }
}

#[test]
fn every_exit_code_is_explained() {
    let chapter = README.split_once("## Exit codes").expect("a chapter").1.split_once("\n## ").expect("and another").0;
    for exit in fencepost::cli::Exit::ALL {
        assert!(chapter.contains(&format!(" {} ", exit.code())), "{exit:?}");
    }
}
