//! `cgsan env`: what this machine has for a run, and what to do about what is missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::EnvironmentOptions;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::standard::Standard;
use crate::program::gpu::Gpu;
use crate::program::library;
use crate::program::probe::{self, Driver, Python};
use crate::program::pytorch;
use crate::program::run_directory::RunDirectory;
use crate::program::supported;

/// Prints what was found. The exit status is 1 if a run would not work.
pub fn run(options: &EnvironmentOptions) -> Result<Exit, Error> {
    let directory = RunDirectory::create(Gpu::of_machine())?;
    let environment = Environment::of(
        probe::driver(),
        probe::python(options.python.as_deref(), &directory),
        library::find(Gpu::of_machine(), &directory),
    );
    let text = if options.json {
        environment.json()
    } else {
        environment.text()
    };
    let text = if options.json {
        cgsan_render::escaped(&text)
    } else {
        cgsan_render::shown(&text)
    };
    Standard::Output.tell(&text)?;
    Ok(Exit::Status(u8::from(!environment.ready)))
}

/// What a run depends on.
#[derive(Debug, Serialize)]
struct Environment {
    version: u32,
    /// Whether `cgsan run` can serve the PyTorch of this Python.
    ready: bool,
    driver: Option<Driver>,
    python: Option<Python>,
    /// The library that is loaded into programs: the virtual GPU, or the watcher of the real one.
    library: Option<PathBuf>,
    problems: Vec<Problem>,
}

/// Something that is missing or does not fit.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Problem {
    what: String,
    help: String,
    /// Whether a run would not work at all.
    fatal: bool,
}

impl Environment {
    fn of(
        driver: Option<Driver>,
        python: Result<Python, String>,
        library: Result<PathBuf, Error>,
    ) -> Self {
        let mut problems = Vec::new();
        let python = match python {
            Ok(python) => {
                problems.extend(problems_of(&python));
                Some(python)
            }
            Err(what) => {
                problems.push(Problem::fatal(
                    what,
                    &format!("install {}, or name one with --python", supported::python()),
                ));
                None
            }
        };
        let library = library
            .map_err(|error| problems.push(Problem::fatal(error.to_string(), &error.help())))
            .ok();
        Self {
            version: 1,
            ready: !problems.iter().any(|problem| problem.fatal),
            driver,
            python,
            library,
            problems,
        }
    }

    fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    fn text(&self) -> String {
        let gpu = match &self.driver {
            Some(driver) if !driver.gpus.is_empty() => driver.gpus.join(", "),
            _ => "none, and none is needed: cgsan brings a virtual one".to_owned(),
        };
        let driver = self
            .driver
            .as_ref()
            .map_or("none", |driver| &driver.version);
        let python = self.python.as_ref();
        let torch = python.and_then(|python| python.torch.as_ref());
        let rows = [
            ("GPU", gpu),
            ("NVIDIA driver", driver.to_owned()),
            (
                "Python",
                python.map_or("none".to_owned(), |python| {
                    format!(
                        "{} {} ({})",
                        python.implementation, python.version, python.executable
                    )
                }),
            ),
            (
                "PyTorch",
                torch.map_or("none", |torch| &torch.version).to_owned(),
            ),
            (
                "its CUDA",
                torch
                    .and_then(|torch| torch.cuda.clone())
                    .unwrap_or_else(|| "none".to_owned()),
            ),
            (
                "library",
                self.library
                    .as_ref()
                    .map_or("none".to_owned(), |path| path.display().to_string()),
            ),
        ];
        let mut text = String::new();
        for (name, value) in rows {
            let _ = writeln!(text, "{name:<14} {value}");
        }
        for problem in &self.problems {
            let _ = write!(text, "\n{}\n  help: {}\n", problem.what, problem.help);
        }
        text.push_str(if self.ready {
            "\nReady: cgsan run -- python your_program.py\n"
        } else {
            "\nNot ready: see above.\n"
        });
        text
    }
}

impl Problem {
    fn fatal(what: String, help: &str) -> Self {
        Self {
            what,
            help: help.to_owned(),
            fatal: true,
        }
    }
}

fn problems_of(python: &Python) -> Vec<Problem> {
    [problem_of_interpreter(python), problem_of_torch(python)]
        .into_iter()
        .flatten()
        .collect()
}

fn problem_of_interpreter(python: &Python) -> Option<Problem> {
    if python.is_supported() {
        return None;
    }
    let build = if python.free_threaded {
        " without the GIL"
    } else {
        ""
    };
    Some(Problem::fatal(
        format!(
            "{} {}{build} is not supported",
            python.implementation, python.version
        ),
        &format!("use {}; name one with --python", supported::python()),
    ))
}

fn problem_of_torch(python: &Python) -> Option<Problem> {
    let how_to_get = |installed| pytorch::how_to_get(Path::new(&python.executable), installed);
    let Some(torch) = &python.torch else {
        let what = format!("{} has no PyTorch", python.executable);
        return Some(Problem::fatal(what, &how_to_get(None)));
    };
    if torch.cuda.is_none() {
        let other = torch
            .hip
            .as_ref()
            .map_or("CPU".to_owned(), |hip| format!("ROCm {hip}"));
        let what = format!(
            "PyTorch {} is built for {other}, not for CUDA",
            torch.version
        );
        return Some(Problem::fatal(what, &how_to_get(Some(&torch.version))));
    }
    if supported::is_pytorch(&torch.version) == Some(false) {
        return Some(Problem {
            what: format!(
                "PyTorch {} is not one of the supported versions {}",
                torch.version,
                supported::pytorch()
            ),
            help: "try it; findings may be incomplete".to_owned(),
            fatal: false,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::probe::Torch;

    fn python(version: &str, torch: Option<(&str, Option<&str>)>) -> Python {
        Python {
            executable: "/nowhere/bin/python".to_owned(),
            implementation: "CPython".to_owned(),
            version: version.to_owned(),
            free_threaded: false,
            torch: torch.map(|(version, cuda)| Torch {
                version: version.to_owned(),
                cuda: cuda.map(str::to_owned),
                hip: None,
            }),
        }
    }

    fn library() -> PathBuf {
        PathBuf::from("/opt/cgsan/libcgsan_vgpu.so")
    }

    #[test]
    fn a_machine_that_has_all_is_ready() {
        let found = Environment::of(
            None,
            Ok(python("3.12.3", Some(("2.11.0+cu130", Some("13.0"))))),
            Ok(library()),
        );
        assert!(found.ready);
        insta::assert_snapshot!(found.text());
    }

    #[test]
    fn what_is_missing_comes_with_what_to_do() {
        let missing = Err(Error::LibraryMissing {
            looked: vec![library()],
        });
        let found = Environment::of(
            None,
            Ok(python("3.9.18", Some(("2.5.1+cpu", None)))),
            missing,
        );
        assert!(!found.ready);
        insta::assert_snapshot!(found.text());
        let found = Environment::of(
            None,
            Err("program not found: `python3`".to_owned()),
            Ok(library()),
        );
        assert!(!found.ready);
        insta::assert_snapshot!(found.json());
    }

    #[test]
    fn an_old_pytorch_is_a_remark_and_no_obstacle() {
        let found = Environment::of(
            None,
            Ok(python("3.10.1", Some(("2.4.0+cu121", Some("12.1"))))),
            Ok(library()),
        );
        assert!(found.ready);
        assert_eq!(found.problems.len(), 1);
    }
}
