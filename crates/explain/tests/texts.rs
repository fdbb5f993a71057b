//! Texts as people meet them, and the failure mode that each is about.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    texts: Vec<Known>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    name: String,
    id: String,
    within: usize,
    text: String,
}

/// The ids for a text, best first; a name is looked up as the command does.
fn ids(text: &str) -> Vec<String> {
    if let Some(cgsan_explain::Subject::Entry(entry)) = cgsan_explain::look_up(text) {
        return vec![entry.id.to_owned()];
    }
    let explanation = cgsan_explain::text(text).expect("it is a text");
    let candidates = explanation.candidates.iter();
    candidates
        .map(|candidate| candidate.entry.id.to_owned())
        .collect()
}

#[test]
fn every_text_finds_its_failure_mode() {
    let file: File = toml::from_str(include_str!("texts.toml")).expect("it is TOML");
    let wrong: Vec<String> = file
        .texts
        .iter()
        .filter_map(|text| {
            let ids = ids(&text.text);
            let found = ids.iter().take(text.within).any(|id| *id == text.id);
            let first = &ids[..ids.len().min(4)];
            (!found).then(|| format!("{}: {}, not {}", text.name, first.join(" "), text.id))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} texts:\n{}",
        wrong.len(),
        file.texts.len(),
        wrong.join("\n")
    );
}

#[test]
fn texts_about_something_else_find_nothing_certain() {
    let others = [
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import nothing\nModuleNotFoundError: No \
         module named 'nothing'\n",
        "the build took 900 seconds and produced 901 files\n",
        "ValueError: expected a tensor of 904 elements\n",
        "INFO step 12 loss 0.1\nWARNING: the learning rate is 0\n",
    ];
    for text in others {
        let explanation = cgsan_explain::text(text).expect("it is a text");
        let first = explanation.candidates.first();
        assert!(
            first.is_none_or(|candidate| candidate.score < 50),
            "{text}: {first:?}"
        );
    }
}
