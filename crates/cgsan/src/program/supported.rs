//! The versions of PyTorch and of Python that cgsan supports.
//!
//! Those of PyTorch are the versions in which the programs of `examples/` ran: a new one is supported when `cargo xtask matrix` has
//! written it into the table of the catalogue. Those of Python are the versions whose frames the recorder can read.

use std::ops::RangeInclusive;

/// The second numbers of the versions of CPython 3.
const CPYTHON: RangeInclusive<u32> = 10..=15;

/// The oldest one whose free-threaded build says how it lays out its objects.
const OLDEST_FREE_THREADED: u32 = 13;

/// The versions of CPython, for a person.
pub fn python() -> String {
    format!("CPython 3.{} to 3.{}", CPYTHON.start(), CPYTHON.end())
}

/// Whether this version of CPython, such as `3.13.1+`, is supported.
pub fn is_python(version: &str, free_threaded: bool) -> bool {
    let minor = version.strip_prefix("3.").and_then(|rest| {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..digits].parse::<u32>().ok()
    });
    minor.is_some_and(|minor| {
        CPYTHON.contains(&minor) && (!free_threaded || minor >= OLDEST_FREE_THREADED)
    })
}

/// The versions of PyTorch, for a person.
pub fn pytorch() -> String {
    let (oldest, newest) = ends_of_pytorch();
    format!("{}.{} to {}.{}", oldest.0, oldest.1, newest.0, newest.1)
}

/// Whether this version of PyTorch is supported; `None` if it cannot be read.
pub fn is_pytorch(version: &str) -> Option<bool> {
    let (oldest, newest) = ends_of_pytorch();
    Some((oldest..=newest).contains(&numbers(version)?))
}

/// The first two numbers of the oldest and of the newest version.
fn ends_of_pytorch() -> ((u32, u32), (u32, u32)) {
    let releases = cgsan_catalogue::releases();
    let of = |release: Option<&cgsan_catalogue::Release>| {
        release.and_then(|it| numbers(it.pytorch)).unwrap_or((0, 0))
    };
    (of(releases.first()), of(releases.last()))
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse::<u32>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn file(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::read_to_string(root.join(path)).expect("a file of the project")
    }

    #[test]
    fn versions_between_the_oldest_and_the_newest_are_supported() {
        assert!(is_python("3.10.0", false) && is_python("3.13.1+", false));
        assert!(is_python("3.13.1", true) && is_python("3.15.2", true));
        assert!(!is_python("3.9.18", false) && !is_python("3.16.0rc1", false));
        assert!(!is_python("3.12.1", true) && !is_python("2.7.18", false));
        for (version, expected) in [
            ("2.6.0+cu124", Some(true)),
            (
                cgsan_catalogue::releases().last().expect("one").pytorch,
                Some(true),
            ),
            ("2.5.1", Some(false)),
            ("2.99.0", Some(false)),
            ("3.0.0", Some(false)),
            ("unknown", None),
        ] {
            assert_eq!(is_pytorch(version), expected, "{version}");
        }
    }

    #[test]
    fn the_agent_and_the_pages_say_the_same() {
        let agent = file("python/cgsan/agent/cgsan_agent/interpreter.py");
        for (name, minor) in [
            ("OLDEST", *CPYTHON.start()),
            ("OLDEST_FREE_THREADED", OLDEST_FREE_THREADED),
            ("NEWEST", *CPYTHON.end()),
        ] {
            let line = format!("\n{name} = (3, {minor})\n");
            assert!(agent.contains(&line), "{line}");
        }
        let supported = format!("PyTorch {} on {}", pytorch(), python());
        let versions = file("docs/versions.md");
        assert!(
            versions.contains(&supported),
            "docs/versions.md: {supported}"
        );
        for release in cgsan_catalogue::releases() {
            let row = format!("\n| {} | {} | ", release.pytorch, release.cuda);
            assert!(versions.contains(&row), "docs/versions.md has no row {row}");
        }
        for page in ["README.md", "docs/install.md"] {
            let range = python().replace("CPython ", "");
            assert!(file(page).contains(&range), "{page}: {range}");
        }
    }
}
