//! `cgsan summarize`: what is known of each process of traces, to be put together with what is known elsewhere.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cgsan_diagnose::{Found, Seen, Summary, summary};
use cgsan_files::{Begun, Links};
use cgsan_finding::Location;
use cgsan_symbols::Reach;

use crate::cli::SummarizeOptions;
use crate::output::destination::tell_written;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::progress::Progress;
use crate::reports::diagnosis::{self, Wanted};
use crate::reports::output::tell_notes;
#[cfg(feature = "export")]
use crate::reports::partitioned;
use crate::traces::kept::{Kept, KeptTrace};
use crate::traces::parallel;
use crate::traces::recording::Recording;
use crate::traces::sources::{self, Sources};
use crate::traces::summaries;

/// How many lines before and after a place a report may show.
const AROUND: u32 = 3;

/// Writes a line for each process.
///
/// # Errors
///
/// If a trace cannot be read, or the file cannot be written. Then it is that of before.
pub fn run(options: &SummarizeOptions) -> Result<Exit, Error> {
    let path = &options.output;
    let failed = |reason: std::io::Error| Error::not_writable("--output", path, reason);
    let kept = Kept::find_all(&options.traces)?.within(options.within.as_deref());
    let reach = sources::reach_of_kept(&options.sources)?;
    let file = Begun::open(path, Links::Part)
        .map_err(|reason| Error::not_writable("--output", path, reason))?;
    let mut file = BufWriter::new(file);
    let texts = Texts::default();
    let progress = Progress::start_of("looking for causes", kept.traces.len());

    writeln!(file, "{}", summary::header()).map_err(failed)?;
    let work = |kept: &KeptTrace| line(kept, options, &reach, &texts);
    let jobs = parallel::jobs(options.jobs);
    let notes = kept.for_each(jobs, &work, &mut |_, line| {
        progress.advance();
        writeln!(file, "{line}").map_err(failed)
    })?;
    let file = file
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    file.keep()
        .map_err(|reason| Error::not_writable("--output", path, reason))?;
    tell_written(std::slice::from_ref(path));
    tell_notes(notes)?;
    Ok(Exit::Status(0))
}

/// What is known of the process of a trace, as a line.
fn line(
    kept: &KeptTrace,
    options: &SummarizeOptions,
    reach: &Reach,
    texts: &Texts,
) -> Result<String, Error> {
    let summary = match &kept.summary {
        Some(place) => summaries::read(&kept.path, place).map_err(Error::from)?,
        None => of_trace(kept, options, reach, texts)?,
    };
    summary.to_line().map_err(|reason| {
        let reason = std::io::Error::other(reason);
        Error::not_writable("--output", &kept.path, reason)
    })
}

fn of_trace(
    kept: &KeptTrace,
    options: &SummarizeOptions,
    reach: &Reach,
    texts: &Texts,
) -> Result<Summary, Error> {
    let (recording, is_wanted) = kept.read(reach)?;
    let trace = &recording.trace;
    if !is_wanted {
        return Ok(Summary::passed_over(trace));
    }
    let mut written = Ok(());
    let look = &mut |seen: &Seen<'_, '_>| written = write_tables(kept, &recording, seen, options);
    let mut summary = diagnosis::examine_and_show(trace, Wanted::default(), look).summary;
    written?;
    cgsan_symbols::name_functions(diagnosis::findings(&mut summary), trace, reach);
    let there = PathBuf::from(&trace.process().directory);
    let lines = texts.lines(&summary, &mut Sources::new(reach, &there));
    if let Some(found) = &mut summary.found {
        found.lines = lines;
    }
    Ok(summary)
}

/// Writes the tables of a process, if that is asked for.
#[cfg(feature = "export")]
fn write_tables(
    kept: &KeptTrace,
    recording: &Recording,
    seen: &Seen<'_, '_>,
    options: &SummarizeOptions,
) -> Result<(), Error> {
    match &options.tables {
        Some(output) => partitioned::write_process(kept, recording, seen, output),
        None => Ok(()),
    }
}

#[cfg(not(feature = "export"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature, it may fail")]
fn write_tables(
    _: &KeptTrace,
    _: &Recording,
    _: &Seen<'_, '_>,
    _: &SummarizeOptions,
) -> Result<(), Error> {
    Ok(())
}

/// Source files, each read once for all processes.
#[derive(Debug, Default)]
struct Texts(Mutex<HashMap<PathBuf, Option<Arc<[String]>>>>);

impl Texts {
    /// The lines that a report on a process may show.
    fn lines(
        &self,
        summary: &Summary,
        sources: &mut Sources<'_>,
    ) -> BTreeMap<PathBuf, BTreeMap<u32, String>> {
        let mut lines: BTreeMap<PathBuf, BTreeMap<u32, String>> = BTreeMap::new();
        for place in summary.places() {
            if is_in_a_cell(place, summary.found.as_deref()) {
                continue;
            }
            let Some(text) = self.of(&place.file, sources) else {
                continue;
            };
            let of_file = lines.entry(place.file.clone()).or_default();
            let first = place.line.saturating_sub(AROUND).max(1);
            for number in first..=place.line.saturating_add(AROUND) {
                if let Some(line) = text.get(number as usize - 1) {
                    of_file.entry(number).or_insert_with(|| line.clone());
                }
            }
        }
        lines
    }

    fn of(&self, file: &Path, sources: &mut Sources<'_>) -> Option<Arc<[String]>> {
        let path = sources.path(file);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = known.entry(path).or_insert_with(|| {
            let text = sources.text(file)?;
            Some(text.lines().map(str::to_owned).collect())
        });
        text.clone()
    }
}

/// Whether a place is in a cell of a notebook, which is there as a whole.
fn is_in_a_cell(place: &Location, found: Option<&Found>) -> bool {
    let cells = found.map(|it| &it.cells);
    cells.is_some_and(|cells| cells.contains_key(&*place.file.to_string_lossy()))
}
