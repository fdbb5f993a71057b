//! Where reports go.

use std::path::{Path, PathBuf};

use cgsan_finding::{Note, Report};
use cgsan_render::{Options, RecordedPlaces, Run, Shown};
use cgsan_symbols::Reach;

use crate::cli::DisplayOptions;
use crate::cli::Format;
use crate::output::destination::{Destination, tell_written};
use crate::output::error::Error;
use crate::output::standard::Standard;
use crate::reports::diagnosis::{Recorded, Wanted};

/// Where a report goes, and in which form.
#[derive(Debug)]
pub struct Output {
    /// The command that reports, for formats that name it.
    command: &'static str,
    destination: Destination,
    format: Format,
    stack: bool,
    beside: Beside,
    wanted: Wanted,
    /// Whether JSON has each finding as text, too.
    texts: bool,
    look: Options,
    /// Where the picture of memory goes.
    timeline: Option<Destination>,
    /// Where the page goes.
    page: Option<Destination>,
    /// Where the report goes as JSON, beside its format.
    json: Option<Destination>,
}

/// What is shown beside findings; the page has all of it.
#[derive(Clone, Copy, Debug)]
struct Beside {
    memory: bool,
    graphs: bool,
}

impl Output {
    /// Looks at the files of `--output`, `--memory-timeline` and `--html`; for the first, takes `otherwise` if it is not given. From here on,
    /// writing fails only if the disk is full.
    pub fn open(
        command: &'static str,
        options: &DisplayOptions,
        otherwise: Standard,
    ) -> Result<Self, Error> {
        let destination = Destination::output(options.output.as_deref(), otherwise)?;
        let timeline = options.memory_timeline.as_deref();
        let timeline = timeline.map(|path| Destination::open("--memory-timeline", path));
        let page = options.html.as_deref();
        let page = page.map(|path| Destination::open("--html", path));
        let json = options.also_json.as_deref();
        let json = json.map(|path| Destination::open("--also-json", path));
        Ok(Self {
            command,
            timeline: timeline.transpose()?,
            page: page.transpose()?,
            json: json.transpose()?,
            format: options.chosen_format(),
            stack: options.stack,
            beside: Beside {
                memory: options.memory,
                graphs: options.graphs,
            },
            wanted: Wanted {
                symbols: options.chosen_format() == Format::Json
                    || options.also_json.is_some()
                    || options.stack
                    || options.html.is_some(),
                memory: options.memory
                    || options.memory_timeline.is_some()
                    || options.html.is_some(),
                graphs: options.graphs || options.html.is_some(),
            },
            texts: false,
            look: destination.look(&options.appearance),
            destination,
        })
    }

    /// The same; in JSON, each finding is there as text, too.
    #[must_use]
    pub fn with_texts(self, texts: bool) -> Self {
        Self { texts, ..self }
    }

    /// What will be shown beside findings.
    pub fn wants(&self) -> Wanted {
        self.wanted
    }

    /// Writes the report on a run, of which this was recorded, with the source that is in reach; the picture of its memory, and the page.
    pub fn write(
        mut self,
        mut report: Report,
        run: &Run,
        recorded: &Recorded,
        reach: &Reach,
    ) -> Result<(), Error> {
        let options = Options {
            full: self.stack,
            several_processes: recorded.processes > 1,
            ..self.look
        };
        let places = [&self.timeline, &self.page, &self.json]
            .into_iter()
            .flatten();
        let places = places.chain([&self.destination]);
        let files: Vec<PathBuf> = places.filter_map(Destination::file).collect();
        let drawn = self.timeline.take().map_or(Ok(()), |mut file| {
            let uses = report.memory.as_deref().unwrap_or_default();
            file.put(&cgsan_render::memory_timeline(uses, &options))
        });
        let shown = self.page.take().map_or(Ok(()), |mut file| {
            let mut sources = recorded.sources(reach);
            let source = &mut |file: &Path| sources.text(file);
            file.put(&cgsan_render::html(&report, run, &options, source))
        });
        report.memory = report.memory.filter(|_| self.beside.memory);
        report.graphs = report.graphs.filter(|_| self.beside.graphs);
        let told = self.json.take().map_or(Ok(()), |mut file| {
            file.put(&cgsan_render::json(&report, run))
        });
        let shown_as = Shown {
            report: &report,
            command: self.command,
            places: &RecordedPlaces,
            options: &options,
        };
        let mut sources = recorded.sources(reach);
        let source = &mut |file: &Path| sources.text(file);
        let text = match self.format {
            Format::Shared(form) => form.write(&shown_as, source),
            Format::Text => text(&report, &options, recorded, reach),
            Format::Json if self.texts => {
                cgsan_render::json_with_texts(&report, run, &options, source)
            }
            Format::Json => cgsan_render::json(&report, run),
        };
        self.destination
            .put(&text)
            .and(drawn)
            .and(shown)
            .and(told)?;
        tell_written(&files);
        Ok(())
    }
}

/// The report as text.
fn text(report: &Report, options: &Options, recorded: &Recorded, reach: &Reach) -> String {
    let mut sources = recorded.sources(reach);
    let mut text = cgsan_render::findings(report, options, &mut |file| sources.text(file));
    let withheld = Report {
        notes: Vec::from_iter(sources.note()),
        ..Report::default()
    };
    text += &cgsan_render::findings(&withheld, options, &mut |_| None);
    if let Some(memory) = &report.memory {
        text += &cgsan_render::memory(memory, options);
    }
    if let Some(graphs) = &report.graphs {
        text += &cgsan_render::graphs(graphs, options);
    }
    if report.coverage.is_none() && report.findings.is_empty() {
        // Of a run that was judged part by part, only remarks are left.
        return text;
    }
    text + &cgsan_render::summary(report, options)
}

/// Says what a command without a report has to note.
pub fn tell_notes(notes: Vec<Note>) -> Result<(), Error> {
    let notes = Report {
        notes,
        ..Report::default()
    };
    let text = cgsan_render::findings(&notes, &Options::default(), &mut |_| None);
    Ok(Standard::Error.tell(&text)?)
}
