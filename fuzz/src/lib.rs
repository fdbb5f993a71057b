//! What the fuzz targets share.
#![forbid(unsafe_code)]

mod lines;

use std::path::Path;

use cgsan_lint::{Project, Settings, Version, lint, repair};

pub use lines::mutate;

/// Lets a target change whole lines and names of its input, see [`mutate`].
#[macro_export]
macro_rules! mutate_lines {
    () => {
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::mutate(data, size, most, seed)
        });
    };
}

/// All rules, those that guess included.
pub fn settings() -> Settings {
    Settings {
        torch: Version::MEASURED,
        pedantic: true,
        ..Settings::default()
    }
}

/// A project of one file.
pub fn project(name: &str, text: String) -> Project {
    let mut project = Project::new([]);
    project.set_text(Path::new(name), text);
    project
}

/// A project of one Python file. One without any of the words of a capture is parsed only; with one it is followed, too.
pub fn program(bytes: &[u8]) -> Option<Project> {
    let text = str::from_utf8(bytes).ok()?;
    Some(project("program.py", format!("{text}\nCUDAGraph")))
}

/// Repairs a project.
///
/// # Panics
///
/// If what was right is broken then, or a second repair changes something.
pub fn assert_repairs(mut project: Project) {
    let settings = settings();
    let mut outcome = lint(&mut project, &settings);
    let was_right = outcome.errors.is_empty();
    repair(&mut project, &settings, &mut outcome, true);
    let is_right = outcome.errors.is_empty();
    assert!(!was_right || is_right, "a fix broke the syntax");
    let changed = repair(&mut project, &settings, &mut outcome, true);
    assert!(changed.is_empty(), "the repair came to no end");
}
