//! A wrong file fails the build with a message that names the file and the field.

#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/check.rs"]
mod check;
#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/evidence.rs"]
mod evidence;
#[path = "../src/fingerprint.rs"]
mod fingerprint;
#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/literals.rs"]
mod literals;
#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/programs.rs"]
mod programs;
#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/schema.rs"]
mod schema;
#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/texts.rs"]
mod texts;
#[allow(dead_code, reason = "the build script uses all of it")]
#[path = "../build/truth.rs"]
mod truth;

use crate::programs::{Program, Programs};

const TRUTH: &str =
    r#"[{"case": "c01", "error_type": null, "error": null, "first_refused_call": null}]"#;

/// An entry without fault.
fn file(id: &str, name: &str) -> (String, String) {
    let content = format!(
        r#"
id = "{id}"
name = "{name}"
aliases = []
codes = [900]
related = []
leads_to = []

[en]
title = "a title"
summary = "a summary"
cause = "a cause"
signal = "a signal"
question = "Is it?"
no_program = "a reason"

[zh]
title = "标题"
summary = "现象"
cause = "原因"
signal = "区别"
question = "是吗？"
no_program = "理由"

[[patterns]]
where = "error"
matches = "not permitted"
with = [{{ where = "code", matches = "item" }}]
weight = 60
en = {{ reason = "a reason" }}
zh = {{ reason = "理由" }}

[[fixes]]
program = "fix_it"
en = {{ title = "a fix", explanation = "why", cost = "none" }}
zh = {{ title = "修复", explanation = "解释", cost = "无" }}

[[dead_ends]]
en = {{ attempt = "an attempt", reason = "a reason", untested = "no program" }}
zh = {{ attempt = "做法", reason = "理由", untested = "没有程序" }}

[[sources]]
title = "a source"
url = "https://docs.pytorch.org"

[[evidence]]
case = "c01"
en = {{ shows = "it" }}
zh = {{ shows = "它" }}
"#
    );
    (format!("catalogue/{id}.toml"), content)
}

fn check(files: &[(String, String)]) -> Result<(), String> {
    let entries = schema::parse_all(files)?;
    let truth = truth::parse(TRUTH).map_err(|error| error.to_string())?;
    check::check_all(&entries, &truth, &programs())
}

fn programs() -> Programs {
    let program = || Program {
        path: "examples/fix_it.py".to_owned(),
        source: "import torch".to_owned(),
    };
    let key = |id: &str| (id.to_owned(), "fix_it".to_owned());
    Programs::from([(key("CG101"), program()), (key("CG102"), program())])
}

/// The fault of an entry in which `from` is replaced by `to`.
fn fault(from: &str, to: &str) -> String {
    let (name, content) = file("CG101", "first");
    assert!(content.contains(from), "{from}");
    check(&[(name, content.replacen(from, to, 1))]).expect_err("it is wrong")
}

#[test]
fn a_good_file_passes() {
    assert_eq!(
        check(&[file("CG101", "first"), file("CG102", "second")]),
        Ok(())
    );
}

#[test]
fn an_unknown_field_is_named() {
    let fault = fault("codes = [900]", "codes = [900]\ncolour = 1");
    assert!(fault.starts_with("catalogue/CG101.toml"), "{fault}");
    assert!(fault.contains("colour"), "{fault}");
}

#[test]
fn a_missing_field_is_named() {
    let fault = fault("cause = \"a cause\"", "");
    assert!(fault.starts_with("catalogue/CG101.toml"), "{fault}");
    assert!(fault.contains("cause"), "{fault}");
}

#[test]
fn a_field_of_another_type_is_named() {
    assert!(fault("codes = [900]", "codes = [\"900\"]").contains("codes"));
}

#[test]
fn an_empty_text_is_named() {
    let fault = fault("explanation = \"why\"", "explanation = \" \"");
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `fixes.en.explanation`: is empty"
    );
}

#[test]
fn a_duplicated_id_is_refused() {
    let mut second = file("CG101", "second");
    second.0 = "catalogue/CG102.toml".to_owned();
    let fault = check(&[file("CG101", "first"), second]).expect_err("it is wrong");
    assert_eq!(
        fault,
        "catalogue/CG102.toml: field `id`: `CG101` is already that of catalogue/CG101.toml"
    );
}

#[test]
fn a_duplicated_name_is_refused() {
    let fault = check(&[file("CG101", "same"), file("CG102", "same")]).expect_err("it is wrong");
    assert!(
        fault.starts_with("catalogue/CG102.toml: field `name`"),
        "{fault}"
    );
}

#[test]
fn an_id_that_is_not_the_files_name_is_refused() {
    let fault = fault("id = \"CG101\"", "id = \"CG102\"");
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `id`: `CG102` is not the file's name"
    );
}

#[test]
fn a_reference_to_no_entry_is_refused() {
    let fault = fault("related = []", "related = [\"CG999\"]");
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `related`: there is no entry `CG999`"
    );
}

#[test]
fn an_id_in_a_text_must_exist() {
    let fault = fault("a signal", "unlike CG998");
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `en.signal`: names `CG998`, which does not exist"
    );
}

#[test]
fn a_case_that_was_not_recorded_is_refused() {
    let fault = fault("case = \"c01\"", "case = \"c99\"");
    assert!(
        fault.starts_with("catalogue/CG101.toml: field `evidence.case`"),
        "{fault}"
    );
}

#[test]
fn a_measured_fact_names_its_version() {
    let version = "[[versions]]\nproduct = \"cuda\"\nbasis = \"measured\"\nen = { fact = \"it is\" }\nzh = { fact = \"是\" }\n";
    let fault = fault("[[dead_ends]]", &format!("{version}\n[[dead_ends]]"));
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `versions.from`: a measured fact names the version"
    );
}

#[test]
fn a_pattern_is_a_regular_expression() {
    let fault = fault("\"not permitted\"", "\"not (permitted\"");
    assert!(
        fault.starts_with("catalogue/CG101.toml: field `patterns.matches`"),
        "{fault}"
    );
}

#[test]
fn a_pattern_that_matches_every_line_is_refused() {
    assert_eq!(
        fault("\"item\"", "\".*\""),
        "catalogue/CG101.toml: field `patterns.matches`: `.*` matches every line"
    );
}

#[test]
fn a_weight_beyond_its_range_is_refused() {
    assert_eq!(
        fault("weight = 60", "weight = 0"),
        "catalogue/CG101.toml: field `patterns.weight`: 0 is not between 1 and 100"
    );
}

#[test]
fn a_program_that_is_no_file_is_refused() {
    assert_eq!(
        fault("\"fix_it\"", "\"fix_that\""),
        "catalogue/CG101.toml: field `fixes.program`: there is no file `examples/cg101_…/fix_that.py`"
    );
}

#[test]
fn an_entry_without_chinese_is_refused() {
    let fault = fault("[zh]", "[fr]");
    assert!(fault.starts_with("catalogue/CG101.toml"), "{fault}");
}

#[test]
fn a_question_that_is_none_is_refused() {
    let fault = fault("Is it?", "It is.");
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `en.question`: does not end with a question mark"
    );
}

#[test]
fn a_claim_that_rests_on_nothing_is_refused() {
    assert_eq!(
        fault("program = \"fix_it\"\n", ""),
        "catalogue/CG101.toml: field `fixes`: a claim has a program, or `untested` in both languages"
    );
}

#[test]
fn a_neighbour_must_be_told_apart() {
    let (name, content) = file("CG101", "first");
    let content = content.replace("related = []", "related = [\"CG102\"]");
    let fault = check(&[(name, content), file("CG102", "second")]).expect_err("it is wrong");
    assert_eq!(
        fault,
        "catalogue/CG101.toml: field `en.signal`: does not name CG102, which is in `related`: say what tells the two apart"
    );
}

/// What becomes of an entry whose fix had this outcome when it was this text.
fn outcome_of_the_fix(outcome: &str, source: &str) -> Result<(), String> {
    let entries = schema::parse_all(&[file("CG101", "first")])?;
    let content = format!(
        "machine = \"a GPU\"\ngpus = 1\n[[programs]]\npath = \"examples/fix_it.py\"\nfingerprint = \"{}\"\noutcome = \
         \"{outcome}\"\n",
        fingerprint::fingerprint(source)
    );
    let evidence = [toml::from_str(&content).expect("it is evidence")];
    evidence::check(&entries, &programs(), &evidence)
}

#[test]
fn a_program_that_did_otherwise_is_named() {
    assert_eq!(outcome_of_the_fix("ended well", "import torch"), Ok(()));
    let fault = outcome_of_the_fix("RuntimeError", "import torch").expect_err("a fix ends well");
    assert!(fault.starts_with("catalogue/CG101.toml"), "{fault}");
    assert!(fault.contains("examples/fix_it.py"), "{fault}");
    assert!(fault.contains("RuntimeError"), "{fault}");
}

#[test]
fn what_an_earlier_text_of_a_program_did_counts_no_more() {
    assert_eq!(outcome_of_the_fix("RuntimeError", "import cupy"), Ok(()));
}
