//! What the linter does with versions, files, comments and fixes, and with source that nobody would write.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cgsan_finding::Finding;
use cgsan_lint::{Project, Settings, Version, apply, lint};

fn findings(text: &str, settings: &Settings) -> Vec<Finding> {
    let mut project = Project::new([]);
    project.set_text(Path::new("program.py"), text.to_owned());
    let outcome = lint(&mut project, settings);
    assert_eq!(outcome.errors, []);
    outcome.findings
}

fn found(text: &str) -> Vec<(String, u32)> {
    findings(text, &Settings::default())
        .iter()
        .filter_map(|it| Some((it.id.to_owned(), it.location.as_ref()?.line)))
        .collect()
}

#[test]
fn the_version_decides_what_is_refused() {
    let ids = |text: &str, minor: u16| -> Vec<&'static str> {
        let settings = Settings {
            torch: Version::new(2, minor),
            ..Settings::default()
        };
        findings(text, &settings).iter().map(|it| it.id).collect()
    };
    let capture = |line: &str| {
        format!(
            "import torch\nx = torch.ones(8)\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    {line}\n"
        )
    };
    let pinned = capture("y = x.pin_memory()");
    assert_eq!(
        (ids(&pinned, 10), ids(&pinned, 11)),
        (vec!["CG104"], vec![])
    );
    let state = capture("torch.cuda.get_rng_state()");
    assert_eq!((ids(&state, 9), ids(&state, 11)), (vec!["CG116"], vec![]));
    let copy = capture("y = x.to('cuda', non_blocking=True)");
    assert_eq!(
        (ids(&copy, 10), ids(&copy, 11)),
        (vec!["CG210"], vec!["CG102"])
    );
}

/// Recorded programs that fixes change, among others.
const REPAIRED: &str = "\
adam_not_capturable c01_item c03_print c05_synchronize c12_outlet c13_isolation c15_ddp c16_query_stream \
c16b_query_event c17_bg_query c18_bg_pin c19_dataloader_pin c20_nccl_watchdog_ok c21_custom_gen \
c24_reentrant_mgc c25_compile_in_capture c26_h2d_pageable c27_tensor_ctor_cuda c30_cublas_first_use \
c31_capture_default_stream c33_event_elapsed capture_begin_default capture_in_thread_item conv_first_use \
dataclass_repr_in_fstring elapsed_time_inside_capture event_sync_after_capture event_wait_after_capture \
executor_sync_global f_string fft_first_use fork_by_event_not_joined freed_source_pinned_copy_back \
h01_destroy_before_graph join_too_early linear_bias_first_use logging_thread_pool manual_capture_item \
manual_seed_in_capture n03_reassigned_input n04_autocast_cache n06_pinned_race n07_freed_input n09_output_reuse \
nccl_barrier_in_capture nccl_new_group_in_capture nccl_second_group_cold numpy_scalar_factory \
other_stream_synchronize pinned_blocking_copy qr_first_use replayed_copy_reads_freed_memory \
stream_query_relaxed_capturing stream_synchronize two_unjoined wait_pre_event worker_cuda_malloc \
worker_pin_global";

#[test]
fn fixes_keep_the_syntax_and_come_to_an_end() {
    let mut repaired = BTreeSet::new();
    for folder in ["tests/truth/cases", "tests/truth/more/cases"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder);
        for entry in fs::read_dir(folder).expect("the programs are there") {
            let path = entry.expect("it can be read").path();
            let mut text = fs::read_to_string(&path).expect("it can be read");
            for round in 0.. {
                let all = findings(&text, &Settings::default());
                let fixes: Vec<_> = all.iter().filter_map(Finding::fix).collect();
                let (changed, applied) = apply(&text, &fixes);
                if applied == 0 {
                    break;
                }
                repaired.insert(path.file_stem().expect("a name").display().to_string());
                assert!(
                    round < 5,
                    "{}: fixes do not come to an end\n{text}",
                    path.display()
                );
                text = changed;
            }
        }
    }
    let left: Vec<&str> = REPAIRED
        .split_whitespace()
        .filter(|name| !repaired.contains(*name))
        .collect();
    assert!(
        left.is_empty(),
        "no longer repaired: {left:?} among {repaired:?}"
    );
}

#[test]
fn more_findings_than_repairs_are_all_reported() {
    let lines = 2_000;
    let body = "    y = x + 1\n    print(x.sum().item())\n".repeat(lines);
    let text = format!(
        "import torch\nx = torch.ones(8, device='cuda')\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n{body}"
    );
    let all = findings(&text, &Settings::default());
    assert_eq!(all.len(), lines);
    assert!(all[0].fix().is_some());
    assert!(all[lines - 1].fix().is_none());
}

#[test]
fn a_comment_silences_its_line_only() {
    let text = "import torch\nx = torch.ones(8, device='cuda')\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    x.sum().item()  # cgsan: ignore[CG101]\n    x.max().item()  # cgsan: ignore[CG102]\n    x.min().item()  # cgsan: ignore\n";
    assert_eq!(found(text), [("CG101".to_owned(), 5)]);
}

#[test]
fn calls_are_followed_across_files() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("it can be written");
        path
    };
    let logs = write("logs.py", "def log(value):\n    return float(value)\n");
    let main = write(
        "main.py",
        "import torch\nfrom logs import log\nx = torch.ones(8, device='cuda')\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    log(x)\n",
    );
    let mut project = Project::new([main.clone()]);
    let outcome = lint(&mut project, &Settings::default());
    let [finding] = outcome.findings.as_slice() else {
        panic!("{:?}", outcome.findings);
    };
    assert_eq!(
        (finding.id, finding.file()),
        ("CG101", Some(logs.as_path()))
    );
    let chain: Vec<_> = finding
        .labels
        .iter()
        .map(|it| (it.location.line, it.text.as_str()))
        .collect();
    assert_eq!(
        chain,
        [(5, "`log` is called here"), (4, "the capture began here")]
    );

    project.set_text(&logs, "def log(value):\n    return value\n".to_owned());
    assert_eq!(lint(&mut project, &Settings::default()).findings, []);
}

#[test]
fn broken_files_do_not_hide_the_others() {
    let mut project = Project::new([]);
    project.set_text(Path::new("broken.py"), "def f(:\n".to_owned());
    project.set_text(
        Path::new("whole.py"),
        "import torch\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    torch.cuda.synchronize()\n".to_owned(),
    );
    let outcome = lint(&mut project, &Settings::default());
    assert!(outcome.errors.iter().any(|it| it.location.line == 1));
    assert_eq!(outcome.findings.len(), 1);
}

#[test]
fn source_that_nobody_writes_does_no_harm() {
    let capture = "import torch\nx = torch.ones(8, device='cuda')\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    ";
    let sum = format!("{capture}y = x{}\n", " + x".repeat(20_000));
    assert_eq!(findings(&sum, &Settings::default()), []);
    let nested = format!(
        "{capture}y = {}x{}\n",
        "f(".repeat(3_000),
        ")".repeat(3_000)
    );
    assert_eq!(findings(&nested, &Settings::default()), []);
    let recursive = "import torch\nx = torch.ones(8, device='cuda')\ndef f(n):\n    return f(n) + f(n) + g(n)\ndef g(n):\n    return f(n) + g(n)\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    f(x)\n";
    assert_eq!(findings(recursive, &Settings::default()), []);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(program in 0..2_usize, from in 0..4_000_usize, length in 0..60_usize, other in 0..4_000_usize) {
        let programs = [
            include_str!("../../../tests/truth/cases/c23_ckpt_rng.py"),
            include_str!("../../../tests/truth/more/cases/fork_join_ok.py"),
        ];
        let text: Vec<char> = programs[program].chars().collect();
        let at = |number: usize| number % text.len();
        let mut changed = text.clone();
        let piece: Vec<char> = text.iter().skip(at(other)).take(length).copied().collect();
        changed.splice(at(from)..(at(from) + length).min(text.len()), piece);
        let mut project = Project::new([]);
        project.set_text(Path::new("program.py"), changed.into_iter().collect());
        lint(&mut project, &Settings { pedantic: true, ..Settings::default() });
    }
}

/// What is said of a capture with this body, in a function that has a stream, an event and a generator.
fn said(body: &str) -> (String, Vec<String>) {
    let text = format!(
        "import torch\n\n\nclass Runner:\n    def __init__(self):\n        self.side = torch.cuda.Stream()\n\
         \n    def run(self, graph):\n        x = torch.ones(8, device=\"cuda\")\n        done = torch.cuda.Event()\n\
         \x20       done.record()\n        generator = torch.Generator(device=\"cuda\")\n\
         \x20       with torch.cuda.graph(graph):\n            {body}\n\n\nRunner().run(torch.cuda.CUDAGraph())\n"
    );
    let mut found = findings(&text, &Settings::default());
    assert_eq!(found.len(), 1, "{text}");
    let found = found.remove(0);
    (found.title, found.help)
}

#[test]
fn findings_name_what_they_are_about() {
    let (title, help) = said(
        "with torch.cuda.stream(self.side):\n                y = torch.ones(1 << 22, device=\"cuda\")",
    );
    assert!(title.contains("`self.side`"), "{title}");
    assert!(help[0].contains("`self.side.wait_stream("), "{help:?}");
    let (title, help) = said(
        "self.side.wait_stream(torch.cuda.current_stream())\n            with torch.cuda.stream(self.side):\n                x.add_(1)",
    );
    assert!(title.starts_with("`self.side` was forked"), "{title}");
    assert!(help[0].contains("wait_stream(self.side)`"), "{help:?}");
    let (title, _) = said("torch.cuda.current_stream().wait_event(done)");
    assert!(title.starts_with("the capture waits for `done`"), "{title}");
    let (title, help) = said("y = torch.rand(8, device=\"cuda\", generator=generator)");
    assert!(title.starts_with("`generator` is not"), "{title}");
    assert!(help[0].contains("state(generator)`"), "{help:?}");
}

#[test]
fn what_has_no_name_is_described() {
    let (title, help) = said(
        "with torch.cuda.stream(torch.cuda.Stream()):\n                y = torch.ones(1 << 22, device=\"cuda\")",
    );
    assert!(title.contains("a stream"), "{title}");
    assert!(help[0].contains("`stream.wait_stream("), "{help:?}");
}
