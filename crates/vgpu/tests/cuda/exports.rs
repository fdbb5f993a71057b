//! The built library against the declared table.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cgsan_vgpu::api::TABLE;
use object::{Object, ObjectSymbol};

/// What else is exported: the agent's functions, the C++ runtime's that reports PyTorch's exceptions, and PyTorch's that its
/// allocator reports blocks to.
const OTHERS: [&str; 40] = [
    "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE",
    "__cxa_throw",
    "cgsan_agent_event",
    "cgsan_call_at_replays",
    "cgsan_capture_storages",
    "cgsan_clock_changed",
    "cgsan_clock_may_change",
    "cgsan_clock_step",
    "cgsan_clock_stop",
    "cgsan_follow_launches",
    "cgsan_graph_work",
    "cgsan_kernel_begins",
    "cgsan_kernel_ends",
    "cgsan_kernel_gave",
    "cgsan_operators_probe",
    "cgsan_operators_ready",
    "cgsan_operators_unrecorded",
    "cgsan_python_ends",
    "cgsan_runtime_agrees",
    "cgsan_sealed_clone",
    "cgsan_sealed_end",
    "cgsan_sealed_watch",
    "cgsan_stand_in_for_runtimes",
    "cgsan_start",
    "cgsan_takes_kernels",
    "cgsan_tell_reads",
    "cgsan_thread_name",
    "cgsan_values_at_launches",
    "cgsan_values_begin",
    "cgsan_values_compute_with",
    "cgsan_values_end",
    "cgsan_values_fail",
    "cgsan_values_finish",
    "cgsan_values_in_capture",
    "cgsan_values_in_copies",
    "cgsan_values_later",
    "cgsan_values_mark",
    "cgsan_values_missing",
    "cgsan_values_place",
    "cgsan_values_random",
];

/// The library lies beside the tests that cargo built with it.
fn library() -> PathBuf {
    let tests = std::env::current_exe().expect("the test knows where it is");
    tests
        .parent()
        .expect("the test is in a directory")
        .join("libcgsan_vgpu.so")
}

fn exported() -> BTreeSet<String> {
    let bytes = std::fs::read(library()).expect("the library was built");
    let file = object::File::parse(&*bytes).expect("the library is an ELF file");
    file.dynamic_symbols()
        .filter(ObjectSymbol::is_definition)
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect()
}

#[test]
fn what_is_declared_is_exported_and_nothing_else() {
    let declared: BTreeSet<String> = TABLE
        .iter()
        .map(|function| function.name)
        .chain(OTHERS)
        .map(str::to_owned)
        .collect();
    let exported = exported();
    let not_exported: Vec<_> = declared.difference(&exported).collect();
    let not_declared: Vec<_> = exported.difference(&declared).collect();
    assert!(
        not_exported.is_empty(),
        "declared but not exported: {not_exported:?}"
    );
    assert!(
        not_declared.is_empty(),
        "exported but not declared: {not_declared:?}"
    );
}

#[test]
fn the_library_goes_by_its_name() {
    let bytes = std::fs::read(library()).expect("the library was built");
    let name = b"libcgsan_vgpu.so\0";
    assert!(bytes.windows(name.len()).any(|window| window == name));
}

#[test]
fn a_name_is_declared_once() {
    let mut seen = BTreeSet::new();
    for function in TABLE {
        assert!(
            seen.insert(function.name),
            "{} is declared twice",
            function.name
        );
    }
}

#[test]
fn a_runtime_function_s_driver_function_is_declared_too() {
    let driver: BTreeSet<&str> = TABLE
        .iter()
        .filter(|function| function.library == "cuda")
        .map(|function| function.name)
        .collect();
    for function in TABLE {
        if let Some(name) = function.driver_name {
            assert!(
                driver.contains(name),
                "{}: there is no {name}",
                function.name
            );
        }
    }
}

const ASKED: &str = include_str!("../../api/asked.txt");

/// The releases of PyTorch 2 in `api/releases.txt`, each with its second number.
fn releases() -> impl Iterator<Item = (&'static str, u32)> {
    let lines = include_str!("../../api/releases.txt").lines();
    let releases = lines.filter_map(|line| line.split(' ').next());
    releases.filter(|it| it.starts_with("2.")).map(|release| {
        let minor = release.split('.').nth(1).and_then(|it| it.parse().ok());
        (release, minor.expect("a release has two numbers"))
    })
}

/// The functions of `api/asked.txt`, each with the releases of PyTorch 2 that ask for it.
fn asked() -> impl Iterator<Item = (&'static str, std::ops::RangeInclusive<u32>)> {
    let lines = ASKED.lines();
    let functions = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    functions.map(|line| {
        let mut words = line.split(' ');
        let name = words.next().expect("a line has a name");
        let mut release = || words.next().and_then(|word| word.parse().ok());
        let first = release().unwrap_or_else(|| panic!("{line}: no first release"));
        (name, first..=release().unwrap_or(u32::MAX))
    })
}

#[test]
fn what_any_release_of_pytorch_asks_for_is_declared() {
    let declared: BTreeSet<&str> = TABLE.iter().map(|function| function.name).collect();
    let unknown: Vec<_> = asked()
        .filter(|(name, _)| !declared.contains(name))
        .collect();
    assert!(unknown.is_empty(), "not in the tables: {unknown:?}");
}

#[test]
fn each_supported_release_of_pytorch_was_looked_at() {
    let (head, _) = ASKED.split_once("\n\n").expect("it has a head");
    for (release, minor) in releases() {
        assert!(
            head.contains(release),
            "api/asked.txt does not have PyTorch {release}: run `cargo xtask asked {release}`"
        );
        let functions = asked().filter(|(_, releases)| releases.contains(&minor));
        assert!(functions.count() > 500, "PyTorch {release}");
    }
}
