//! What can go wrong with the command itself, and what a person can do about it.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use cgsan_files::{Unwritten, in_words};
use cgsan_trace::ReadError;

use super::standard;

/// A failure of the command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such program.
    #[error("`{program}` cannot be started: program not found")]
    ProgramMissing {
        /// As given.
        program: String,
    },
    /// The file is there but may not be executed, or is not a program.
    #[error("`{program}` cannot be started: {}", in_words(reason))]
    ProgramNotExecutable {
        /// As given.
        program: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// A Python file is to be run, and there is no Python.
    #[error("`{}` cannot be started: there is no Python in VIRTUAL_ENV or PATH", file.display())]
    NoPython {
        /// As given.
        file: PathBuf,
    },
    /// It could not be started for a reason that does not lie in the file.
    #[error("`{program}` cannot be started: {}", in_words(reason))]
    ProgramNotStarted {
        /// As given.
        program: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// This machine has no GPU.
    #[error("this machine has no NVIDIA GPU that the program can see")]
    NoGpu,
    /// The same, where times are wanted.
    #[error(
        "this machine has no NVIDIA GPU that the program can see, and times can be measured on a real GPU only"
    )]
    NoTimes,
    /// There is no library for this kind of machine.
    #[error("programs can be watched on Linux x86-64 only")]
    Platform,
    /// A library that is loaded into the program is not where it belongs.
    #[error("a part of cgsan is missing: file not found: {}", looked.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))]
    LibraryMissing {
        /// Where it was looked for.
        looked: Vec<PathBuf>,
    },
    /// The folder that `CGSAN_CACHE_DIR` names cannot take a library.
    #[error("CGSAN_CACHE_DIR {} cannot be used: {reason}", folder.display())]
    Cache {
        /// As given.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// No folder can take the run's files.
    #[error("no folder is usable for the files of the run:{}", list_tried(tried))]
    RunDirectory {
        /// Where it was tried, and why it failed there.
        tried: Vec<(PathBuf, String)>,
    },
    /// The file that an option such as `--output` names cannot be written.
    #[error("{option} {}: {reason}", path.display())]
    NotWritable {
        /// The option.
        option: &'static str,
        /// As given.
        path: PathBuf,
        /// Why.
        reason: Unwritten,
    },
    /// No process could be started that copies traces into their place.
    #[error("cannot start the process that copies traces into their place: {}", in_words(.0))]
    Carrier(io::Error),
    /// The place of `--save` did not take the traces of a run.
    #[error("not all traces are in {}: {reason}; the run left {left}", place.display())]
    NotCarried {
        /// As given.
        place: PathBuf,
        /// Why.
        reason: String,
        /// What lies on this machine, and where.
        left: String,
    },
    /// A standard stream takes nothing.
    #[error(transparent)]
    Stream(#[from] standard::Unwritten),
    /// What `--sources` names is not there.
    #[error("--sources {}: {}", path.display(), in_words(reason))]
    NoSources {
        /// As given.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// A trace could not be read.
    #[error(transparent)]
    Trace(ReadError),
    /// A summary could not be read.
    #[error("{reason}")]
    Summary {
        /// Which, and why.
        reason: String,
    },
    /// A file of a profiler could not be read.
    #[cfg(feature = "perf")]
    #[error("{}: {reason}", file.display())]
    Timeline {
        /// As given.
        file: PathBuf,
        /// Why.
        reason: cgsan_timeline::Error,
    },
    /// What `--folder` names is not there.
    #[error("--folder {}: {}", folder.display(), in_words(reason))]
    NoFolder {
        /// As given.
        folder: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// A folder that was named for its traces has none, or cannot be read.
    #[error("{}: {reason}", folder.display())]
    NoTraces {
        /// As given.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// A table that was exported before cannot be read.
    #[cfg(feature = "export")]
    #[error("{}: {reason}", place.display())]
    Table {
        /// The file, or the folder that it should be in.
        place: PathBuf,
        /// Why.
        reason: String,
    },
    /// The traces are of several runs, and what was asked for holds one report.
    #[error("these traces are of {} runs, which are shown one after the other only as text on standard output:{}", runs.len(), listed(runs))]
    SeveralRuns {
        /// What they are.
        runs: Vec<String>,
    },
    /// What was named as a captured graph is none.
    #[error("{name}: {reason}")]
    NoGraph {
        /// As given.
        name: String,
        /// Why.
        reason: String,
        /// What to do about it.
        help: String,
    },
    /// Nothing in the catalogue is named so, and there is no such file.
    #[error(
        "`{what}` is not an id, a name or an error code in the catalogue, and there is no such file"
    )]
    NoEntry {
        /// As given.
        what: String,
        /// The entries whose words it shares.
        nearest: Vec<String>,
    },
    /// No pattern of the catalogue matches a text.
    #[error("{name}: nothing in the catalogue matches it")]
    NothingMatches {
        /// The file, or `standard input`.
        name: String,
        /// The entries whose words it shares.
        nearest: Vec<String>,
    },
    /// The client of `cgsan explain --serve` does not speak the Model Context Protocol, or went away in the middle.
    #[error("the MCP server on standard input and output failed: {}", in_words(.0))]
    Serve(io::Error),
    /// A text that is to be explained cannot be read, or is not text.
    #[error("{name}: {reason}")]
    NoText {
        /// The file, or `standard input`.
        name: String,
        /// Why.
        reason: String,
        /// What to do about it.
        help: &'static str,
    },
    /// The options of `cgsan lint` contradict each other, or a file that it needs cannot be read.
    #[error("{what}")]
    Lint {
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: &'static str,
    },
    /// With `--strict`: that there are no findings says nothing.
    #[error("--strict: {what}")]
    Unjudged {
        /// What was not judged, and why.
        what: String,
    },
    /// What was named is not a process that can be looked at.
    #[error("{what}")]
    Attach {
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: String,
    },
    /// A process may not be looked at.
    #[error("{what}")]
    AttachRefused {
        /// What was refused.
        what: String,
        /// What to set.
        help: String,
    },
    /// A configuration or a baseline that says what is reported is wrong, or cannot be read.
    #[error("{what}")]
    Selection {
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: &'static str,
    },
    /// What is to be selected or ignored is not an id.
    #[error("{option}: no id begins with `{id}`")]
    Id {
        /// Where it stands.
        option: &'static str,
        /// As given.
        id: String,
        /// The id that was meant, if one is near.
        nearest: Option<&'static str>,
    },
    /// The editor sent an invalid message, or nothing can be written to it.
    #[error("the connection to the editor failed: {}", in_words(.0))]
    Editor(io::Error),
    /// The command was built without one of its subcommands.
    #[error("this cgsan was built without `cgsan {command}`")]
    LeftOut {
        /// The subcommand.
        command: &'static str,
    },
    /// The handlers of signals cannot be installed.
    #[error("signal handlers cannot be installed: {}", in_words(.0))]
    Signals(io::Error),
}

impl Error {
    /// That the file named by `option` cannot be written.
    pub fn not_writable(option: &'static str, path: &Path, reason: impl Into<Unwritten>) -> Self {
        Self::NotWritable {
            option,
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoPython { file } => format!(
                "activate its environment, or name the interpreter: cgsan run -- PYTHON {}",
                file.display()
            ),
            Self::ProgramMissing { .. } => {
                "check the spelling; a program that is not in PATH needs its path".to_owned()
            }
            Self::ProgramNotExecutable { .. } => {
                "name a program, or make the file executable with chmod +x".to_owned()
            }
            Self::ProgramNotStarted { .. } => {
                "the system refused; try to start the program without cgsan".to_owned()
            }
            Self::NoTimes => "run it where there is one, or name files of a profiler: `cgsan perf trace.json.gz`; with --virtual, launches are \
                              counted and not timed"
                .to_owned(),
            Self::NoGpu => "leave out --gpu: the virtual GPU needs none".to_owned(),
            Self::Platform => {
                "run it on such a machine, which needs no GPU, and keep the trace with --save: `cgsan report` shows it here"
                    .to_owned()
            }
            Self::LibraryMissing { .. } => {
                "correct or unset CGSAN_LIBRARY if it is set; otherwise this build does not contain the libraries: in a source tree, \
                 `cargo build --package cgsan-vgpu --package cgsan-inject` puts them beside it, and \
                 `cargo install --path crates/cgsan --features bundled` installs a complete cgsan".to_owned()
            }
            Self::Cache { .. } => {
                "name a folder that only you can write to, with room, not mounted noexec; or unset it".to_owned()
            }
            Self::RunDirectory { .. } => {
                "set TMPDIR to a folder that is writable, has room, and is not mounted noexec".to_owned()
            }
            Self::NotWritable { reason, .. } => help_to_write(reason),
            Self::Carrier(_) => "name a place on a disk of this machine, and copy the traces from there".to_owned(),
            Self::NotCarried { .. } => "copy them when the place answers again".to_owned(),
            Self::Stream(_) => {
                "open it, make room on its disk, or name a file with --output where there is such an option".to_owned()
            }
            Self::NoSources { .. } => "name a folder with the program's source".to_owned(),
            Self::NoFolder { .. } => "name the folder of the project".to_owned(),
            Self::NoTraces { .. } => {
                "name a folder with traces (`*.cgsan`), as `cgsan run --save FOLDER -- PROGRAM` writes them".to_owned()
            }
            #[cfg(feature = "export")]
            Self::Table { .. } => {
                "name a folder that this cgsan's `cgsan export --output FOLDER` wrote".to_owned()
            }
            Self::SeveralRuns { .. } => {
                "name the traces of one run, or take all for one run with --merge".to_owned()
            }
            Self::Summary { .. } => {
                "make a new one with `cgsan summarize --output FILE TRACES`".to_owned()
            }
            Self::Trace(_) => {
                "make a new one with `cgsan run --save FILE -- PROGRAM`".to_owned()
            }
            #[cfg(feature = "perf")]
            Self::Timeline { file, .. } if file.extension().is_some_and(|it| it == "py") => {
                format!("to run a program, put it behind `--`: cgsan perf -- {}", file.display())
            }
            #[cfg(feature = "perf")]
            Self::Timeline { reason, .. } => reason.help().to_owned(),
            Self::NoEntry { nearest, .. } if nearest.is_empty() => {
                "ids look like CG101, codes like 906; a report shows an id with each finding".to_owned()
            }
            Self::NothingMatches { nearest, .. } if nearest.is_empty() => {
                "give the whole traceback or log; or watch the program: cgsan run -- python PROGRAM.py".to_owned()
            }
            Self::NoEntry { nearest, .. } | Self::NothingMatches { nearest, .. } => {
                format!("the nearest entries are:\n  {}", nearest.join("\n  "))
            }
            Self::Unjudged { .. } => {
                "see that the program captures a CUDA graph where cgsan sees it (`cgsan env` checks this machine); where \
                 nothing is to be judged, give --allow-nothing"
                    .to_owned()
            }
            Self::Id { nearest: Some(id), .. } => {
                format!("did you mean `{id}`? `cgsan explain {id}` says what it stands for")
            }
            Self::Id { nearest: None, .. } => {
                "write ids such as CG101, or their beginnings, such as CG1".to_owned()
            }
            Self::NoGraph { help, .. } => help.clone(),
            Self::Attach { help, .. } | Self::AttachRefused { help, .. } => help.clone(),
            Self::NoText { help, .. } | Self::Lint { help, .. } | Self::Selection { help, .. } => {
                (*help).to_owned()
            }
            Self::Serve(_) => "let a client of the Model Context Protocol start it, as docs/json.md shows".to_owned(),
            Self::Editor(_) => {
                "let an editor start `cgsan lsp`; by hand, `cgsan lint FILE` shows the same".to_owned()
            }
            Self::LeftOut { .. } => {
                "build a complete one: cargo build --package cgsan".to_owned()
            }
            Self::Signals(_) => "try again; if it happens again, start the program without cgsan".to_owned(),
        }
    }

    /// Writes it to standard error.
    pub fn print(&self) {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        let bold = Style::new().bold();
        // If nobody reads it, there is nothing left to do.
        let _ = writeln!(
            anstream::stderr(),
            "{red}error{red:#}: {}\n  {bold}help{bold:#}: {}",
            cgsan_render::shown(&self.to_string()),
            cgsan_render::shown(&self.help())
        );
    }

    /// The exit status, as of programs that start others: `env`, `timeout`, `nohup`.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::ProgramMissing { .. } | Self::NoPython { .. } => 127,
            Self::ProgramNotExecutable { .. } | Self::ProgramNotStarted { .. } => 126,
            Self::NoEntry { .. }
            | Self::NothingMatches { .. }
            | Self::Unjudged { .. }
            | Self::Editor(_) => 1,
            #[cfg(feature = "perf")]
            Self::Timeline { .. } => 2,
            #[cfg(feature = "export")]
            Self::Table { .. } => 2,
            Self::Trace(_)
            | Self::Summary { .. }
            | Self::NoGraph { .. }
            | Self::Attach { .. }
            | Self::NoFolder { .. }
            | Self::NoTraces { .. }
            | Self::SeveralRuns { .. }
            | Self::NoSources { .. }
            | Self::NoText { .. }
            | Self::Lint { .. }
            | Self::LeftOut { .. }
            | Self::Selection { .. }
            | Self::Id { .. } => 2,
            _ => 125,
        })
    }
}

fn listed(runs: &[String]) -> String {
    let numbered = (1..).zip(runs);
    numbered.fold(String::new(), |mut text, (number, run)| {
        let _ = write!(text, "\n  {number}. {run}");
        text
    })
}

fn help_to_write(reason: &Unwritten) -> String {
    match reason {
        Unwritten::Io(reason) => match reason.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "the disk is full: make room, or name a file on another one"
            }
            io::ErrorKind::FileTooLarge => {
                "the limit on the size of files is too low: raise it with `ulimit -f`"
            }
            io::ErrorKind::NotFound => "create the folder first",
            _ => "name a file in a folder that you may write to",
        },
        Unwritten::NoFolder => "create the folder first",
        Unwritten::Linked(_) => "give it a file of its own first: cp FILE COPY && mv COPY FILE",
        Unwritten::NoReader => "start the reader first",
        _ => "name a file",
    }
    .to_owned()
}

fn list_tried(tried: &[(PathBuf, String)]) -> String {
    tried
        .iter()
        .fold(String::new(), |mut text, (path, reason)| {
            let _ = write!(text, "\n  {}: {reason}", path.display());
            text
        })
}
