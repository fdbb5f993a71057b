//! `torch.profiler` on the virtual GPU.

mod support;

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_profile_has_the_kernels_of_eager_and_of_replayed_steps() {
    let program = support::root().join("tests/profiler/steps.py");
    let watched = support::watch(&support::python(), &program).expect("it runs");
    let problems = watched.did_not_end_well();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    assert!(watched.stdout.ends_with("done\n"), "{}", watched.stdout);
    assert!(!watched.stderr.contains("CUPTI"), "{}", watched.stderr);
    assert!(watched.findings.is_empty(), "{:?}", watched.findings);
    let notes: Vec<&str> = watched.notes.iter().map(|note| &*note.text).collect();
    assert!(
        matches!(notes[..], [note] if note.contains("times are not those of a GPU")),
        "{notes:?}"
    );
}
