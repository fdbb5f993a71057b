//! The source files that a report shows.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

use cgsan_finding::Note;
use cgsan_symbols::Reach;
use cgsan_trace::written;

use crate::output::error::Error;

/// Bytes of the largest source file that is shown.
const LARGEST_SOURCE: u64 = 16 << 20;

/// No line behind this one is taken from a summary.
const LAST_LINE: u32 = 1 << 22;

/// What may be read for traces that were kept: what is below this folder, and what a person names.
pub fn reach_of_kept(named: &[PathBuf]) -> Result<Reach, Error> {
    let mut below = Vec::new();
    below.extend(env::current_dir().and_then(|it| it.canonicalize()));
    for path in named {
        let found = path.canonicalize();
        below.push(found.map_err(|reason| Error::NoSources {
            path: path.clone(),
            reason,
        })?);
    }
    Ok(Reach::Below(below))
}

/// The source files of a report.
#[derive(Debug)]
pub struct Sources<'a> {
    reach: &'a Reach,
    /// Where the program ran, if it is not here that it did: a saved trace may be shown anywhere.
    directory: PathBuf,
    withheld: BTreeSet<PathBuf>,
    /// Texts that are in no file; `None` for those that are not known for certain.
    cells: BTreeMap<PathBuf, Option<String>>,
    /// Lines of files, by their numbers, as summaries have them.
    lines: BTreeMap<PathBuf, BTreeMap<u32, String>>,
}

impl<'a> Sources<'a> {
    /// Those of a program that ran in `directory`.
    pub fn new(reach: &'a Reach, directory: &Path) -> Self {
        Self {
            reach,
            directory: directory.to_owned(),
            withheld: BTreeSet::new(),
            cells: BTreeMap::new(),
            lines: BTreeMap::new(),
        }
    }

    /// The same with the cells of a notebook, which the trace holds.
    #[must_use]
    pub fn with_cells(self, cells: BTreeMap<PathBuf, Option<String>>) -> Self {
        Self { cells, ..self }
    }

    /// The same with lines of files that are perhaps not here, which summaries hold.
    #[must_use]
    pub fn with_lines(self, lines: BTreeMap<PathBuf, BTreeMap<u32, String>>) -> Self {
        Self { lines, ..self }
    }

    /// Where a source file is.
    pub fn path(&self, file: &Path) -> PathBuf {
        written::file(&self.directory.join(file))
    }

    /// The text of a source file, if it may be shown.
    pub fn text(&mut self, file: &Path) -> Option<String> {
        if let Some(cell) = self.cells.get(file) {
            return cell.clone();
        }
        if let Some(lines) = self.lines.get(file) {
            return Some(as_text(lines));
        }
        let path = self.path(file);
        if self.reach.holds(&path) {
            let text = cgsan_files::read_text(&path, LARGEST_SOURCE).ok()?;
            let is_shown = matches!(self.reach, Reach::OwnRun) || is_python(&path, &text);
            return is_shown.then_some(text);
        }
        if path.exists() {
            self.withheld.insert(path);
        }
        None
    }

    /// That files were not shown, for whom that is no harm: once, however many there are.
    pub fn note(&self) -> Option<Note> {
        let first = self.withheld.first()?;
        let others = match self.withheld.len() - 1 {
            0 => String::new(),
            1 => " and of 1 other file".to_owned(),
            others => format!(" and of {others} other files"),
        };
        let text = format!(
            "lines of {}{others} are not shown: a trace may name any file, and these are neither below this folder nor \
             PyTorch's; if you trust it, name their folder with `--sources`",
            first.display()
        );
        Some(Note::new(text, None))
    }
}

/// A text that has these lines, by their numbers, and is empty elsewhere.
fn as_text(lines: &BTreeMap<u32, String>) -> String {
    let mut text = String::new();
    let mut next = 1;
    for (number, line) in lines.range(1..=LAST_LINE) {
        let skipped = (number - next) as usize;
        text.extend(std::iter::repeat_n('\n', skipped));
        text += line;
        text.push('\n');
        next = number + 1;
    }
    text
}

/// Whether a file says of itself that it is Python, so that a trace cannot show what merely lies beside the program.
fn is_python(path: &Path, text: &str) -> bool {
    let is_named_so = path
        .extension()
        .is_some_and(|it| it == "py" || it == "ipynb");
    let first = text.lines().next().unwrap_or_default();
    is_named_so || (first.starts_with("#!") && first.contains("python"))
}
