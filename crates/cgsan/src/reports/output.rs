//! Where reports go.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use cgsan_files::{Destination as Place, Links};
use cgsan_finding::{Note, Report};
use cgsan_render::{Options, RecordedPlaces, Run};
use cgsan_symbols::Reach;

use crate::cli::{Appearance, Color, DisplayOptions};
use crate::diagnosis::{Recorded, Wanted};
use crate::error::Error;
use crate::format::Format;
use crate::streams;

/// The width where there is no terminal.
const PLAIN_WIDTH: usize = 100;

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

/// A stream or a file.
#[derive(Debug)]
pub enum Destination {
    /// One of our own streams.
    Standard(Standard),
    /// A file that a person named.
    File {
        /// The option that names it.
        option: &'static str,
        /// As given.
        path: PathBuf,
        /// What is there.
        place: Place,
    },
}

/// One of our two standard streams.
#[derive(Clone, Copy, Debug)]
pub enum Standard {
    /// What pipes take.
    Output = 1,
    /// What the program's own output stays apart from.
    Error = 2,
}

impl fmt::Display for Standard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Output => "standard output",
            Self::Error => "standard error",
        })
    }
}

impl Output {
    /// Looks at the files of `--output`, `--memory-timeline` and `--html`; for the first, takes `otherwise` if it is not given. From here on,
    /// writing fails only if the disk is full.
    pub fn open(
        command: &'static str,
        options: &DisplayOptions,
        otherwise: Standard,
    ) -> Result<Self, Error> {
        let destination = match &options.output {
            None => Destination::Standard(otherwise),
            Some(path) => Destination::open("--output", path)?,
        };
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
        let text = match self.format {
            Format::Text => text(&report, &options, recorded, reach),
            Format::Json if self.texts => {
                let mut sources = recorded.sources(reach);
                let source = &mut |file: &Path| sources.text(file);
                cgsan_render::json_with_texts(&report, run, &options, source)
            }
            Format::Json => cgsan_render::json(&report, run),
            Format::Sarif => cgsan_render::sarif(&report, &RecordedPlaces, &options),
            Format::Github => cgsan_render::github(&report, &RecordedPlaces, &options),
            Format::Junit => {
                let mut sources = recorded.sources(reach);
                let source = &mut |file: &Path| sources.text(file);
                cgsan_render::junit(&report, self.command, &options, source)
            }
            Format::Markdown => {
                let mut sources = recorded.sources(reach);
                cgsan_render::markdown(&report, &options, &mut |file| sources.text(file))
            }
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

impl Destination {
    /// The file that an option names, as it is: it is replaced when there is something to write.
    pub fn open(option: &'static str, path: &Path) -> Result<Self, Error> {
        match Place::open(path, Links::Part) {
            Ok(place) => Ok(Self::File {
                option,
                path: path.to_owned(),
                place,
            }),
            Err(reason) => Err(Error::not_writable(option, path, reason)),
        }
    }

    fn is_terminal(&self) -> bool {
        match self {
            Self::Standard(Standard::Output) => io::stdout().is_terminal(),
            Self::Standard(Standard::Error) => io::stderr().is_terminal(),
            Self::File { place, .. } => {
                place.stream().is_some_and(std::io::IsTerminal::is_terminal)
            }
        }
    }

    /// How text for people looks there: paths are relative to this folder.
    pub fn look(&self, asked: &Appearance) -> Options {
        let here = env::current_dir().unwrap_or_default();
        Options {
            width: asked.width.unwrap_or_else(|| self.width()),
            color: self.takes_color(asked.color),
            directory: Some(here.to_string_lossy().into_owned()),
            ..Options::default()
        }
    }

    /// Whether ANSI styles are to be written.
    pub fn takes_color(&self, color: Color) -> bool {
        match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
                    || env::var_os("TERM").is_some_and(|value| value == "dumb");
                !refused && self.is_terminal()
            }
        }
    }

    /// How many columns it has.
    pub fn width(&self) -> usize {
        let size = match self {
            Self::Standard(Standard::Output) => rustix::termios::tcgetwinsize(io::stdout()),
            Self::Standard(Standard::Error) => rustix::termios::tcgetwinsize(io::stderr()),
            Self::File { place, .. } => match place.stream() {
                Some(stream) => rustix::termios::tcgetwinsize(stream),
                None => return PLAIN_WIDTH,
            },
        };
        match size {
            Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
            _ => PLAIN_WIDTH,
        }
    }

    /// Writes source or a patch of it: as it is, except that a terminal shows control characters and does not obey them.
    pub fn write_source(&mut self, text: &str) -> Result<(), Error> {
        if self.is_terminal() {
            self.write(&cgsan_render::shown(text))
        } else {
            self.write(text)
        }
    }

    /// Writes all of `text`, and says so if that was to a file.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        self.put(text)?;
        tell_written(self.file().as_slice());
        Ok(())
    }

    /// The file that is replaced, as a person named it; `None` if this is a stream.
    fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File { path, place, .. } if place.stream().is_none() => Some(path.clone()),
            _ => None,
        }
    }

    /// Writes all of `text`.
    fn put(&mut self, text: &str) -> Result<(), Error> {
        match self {
            Self::Standard(standard) => standard.tell(text),
            Self::File {
                option,
                path,
                place,
            } => place
                .write(text.as_bytes())
                .map_err(|reason| Error::not_writable(option, path, reason)),
        }
    }
}

/// Says what a command without a report has to note.
pub fn tell_notes(notes: Vec<Note>) -> Result<(), Error> {
    let notes = Report {
        notes,
        ..Report::default()
    };
    let text = cgsan_render::findings(&notes, &Options::default(), &mut |_| None);
    Standard::Error.tell(&text)
}

/// Says which files were written, if any.
pub fn tell_written(files: &[PathBuf]) {
    let names: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    if !names.is_empty() {
        let text = format!("cgsan: written: {}\n", names.join(", "));
        // If nobody reads it, they are written all the same.
        let _ = Standard::Error.write(&cgsan_render::shown(&text));
    }
}

impl Standard {
    /// Writes all of `text`, which somebody waits for: that it cannot be written is a failure, unless the reader has gone away,
    /// as `head` does.
    pub fn tell(self, text: &str) -> Result<(), Error> {
        match self.write(text) {
            Err(reason) if reason.kind() != io::ErrorKind::BrokenPipe => Err(Error::Stream {
                stream: self,
                reason,
            }),
            _ => Ok(()),
        }
    }

    /// Writes all of `text`.
    pub fn write(self, text: &str) -> io::Result<()> {
        if streams::was_closed(self as i32) {
            return Err(rustix::io::Errno::BADF.into());
        }
        match self {
            Self::Output => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(text.as_bytes())?;
                stdout.flush()
            }
            Self::Error => io::stderr().lock().write_all(text.as_bytes()),
        }
    }
}
