//! Folders of programs: correct ones, and in `planted` ones with one mistake that their name and a mark tell.

use std::path::PathBuf;

use super::marked::{NotFound, Wanted};
use super::together::{WatchAll, watch_all};
use super::{FOUR_RANKS, TWO_RANKS, in_parallel, programs, python, root, watch, watch_on};

/// A folder of programs.
pub struct Family {
    correct: Vec<PathBuf>,
    planted: Vec<PathBuf>,
    watch: WatchAll,
}

impl Family {
    /// The programs of a folder, named from the root of the repository.
    pub fn of(folder: &str) -> Family {
        let folder = root().join(folder);
        Family {
            correct: programs(&folder),
            planted: programs(folder.join("planted")),
            watch: |python, programs| in_parallel(programs, |program| watch(python, program)),
        }
    }

    /// The same programs, several of which share an import of PyTorch.
    pub fn together(self) -> Family {
        Family {
            watch: watch_all,
            ..self
        }
    }

    /// The same programs, each in two ranks.
    pub fn in_two_ranks(self) -> Family {
        Family {
            watch: |python, programs| {
                in_parallel(programs, |program| watch_on(python, 2, TWO_RANKS, program))
            },
            ..self
        }
    }

    /// The same programs, each in four ranks, one after the other.
    pub fn in_four_ranks(self) -> Family {
        Family {
            watch: |python, programs| {
                let watch = |program: &PathBuf| watch_on(python, 4, FOUR_RANKS, program);
                programs.iter().map(watch).collect()
            },
            ..self
        }
    }

    /// Panics unless each planted mistake is marked with the id that its file is named after, and nothing else is.
    pub fn check_marks(&self) {
        for program in &self.planted {
            let name = program.file_stem().expect("a name").to_string_lossy();
            assert_eq!(
                Wanted::of(program).id.as_deref(),
                name.split('_').next(),
                "{name}"
            );
        }
        for program in &self.correct {
            assert_eq!(Wanted::of(program).id, None, "{}", program.display());
        }
    }

    /// Runs all of them. Panics unless what is planted is found and nothing is said of the correct ones.
    pub fn check(&self) {
        let python = python();
        let not_found = NotFound::load();
        let all: Vec<PathBuf> = self.correct.iter().chain(&self.planted).cloned().collect();
        let watched = (self.watch)(&python, &all);
        let mut problems = Vec::new();
        for (program, watched) in all.iter().zip(watched) {
            let of_program = match watched {
                Err(problem) => vec![problem],
                Ok(watched) => {
                    let wanted = Wanted::of(program);
                    let ends = self.correct.contains(program) || of_replays(wanted.id.as_deref());
                    let mut problems = if ends {
                        watched.did_not_end_well()
                    } else {
                        Vec::new()
                    };
                    problems.extend(watched.intrusions());
                    problems.extend(not_found.judge(program, &wanted, &watched.findings));
                    problems
                }
            };
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            problems.extend(of_program.into_iter().map(|it| format!("{name}: {it}")));
        }
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }
}

/// Whether a finding is about replays or memory, so that the program ends as if nothing were wrong.
fn of_replays(id: Option<&str>) -> bool {
    id.is_some_and(|id| id.starts_with("CG2") || id.starts_with("CG3"))
}
