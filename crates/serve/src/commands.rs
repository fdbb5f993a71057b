//! The tools that are commands of cgsan: the server starts the command itself, and gives back what it writes.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cgsan_files::in_words;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::{RequestContext, RoleServer};
use rustix::fs::{MemfdFlags, memfd_create};
use serde::Deserialize;
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::Semaphore;

use crate::arguments::read;
use crate::child::{self, End, Ended};
use crate::limits::LARGEST;

/// How many commands run at once; others wait.
const AT_ONCE: usize = 2;

/// How long `lint` and `report` may take.
const LIMIT: Duration = Duration::from_mins(5);

/// How long a program may run unless the client says otherwise, and at most, in seconds.
const RUN_SECONDS: u64 = 600;
const MOST_RUN_SECONDS: u64 = 6 * 3600;

/// The variable of the environment that names the server to the commands that it starts, by its process id.
pub const PARENT: &str = "CGSAN_PARENT";

/// What the server may do beside explaining.
#[derive(Clone, Debug)]
pub struct Permitted {
    /// The command, which is started for the tools.
    pub cgsan: PathBuf,
    /// The folder whose files may be read, and in which programs run: this and those below it.
    pub folder: PathBuf,
    /// Whether programs may be run.
    pub run: bool,
}

impl Permitted {
    /// The path without links, if it is in the folder that is permitted. It is absolute, so that no command takes it for an option.
    ///
    /// # Errors
    ///
    /// In words, if it is outside, or not there.
    pub fn below(&self, path: &Path) -> Result<PathBuf, String> {
        let root = &self.folder;
        let wrong =
            |error: std::io::Error| format!("cannot read {}: {}", path.display(), in_words(&error));
        let found = root.join(path).canonicalize().map_err(wrong)?;
        if found.starts_with(root) {
            return Ok(found);
        }
        Err(format!(
            "{} is not in {}; this server reads nothing else; a person can start it there, or with `--folder`",
            path.display(),
            root.display()
        ))
    }
}

/// Starts commands.
#[derive(Debug)]
pub struct Commands {
    permitted: Permitted,
    turns: Semaphore,
}

/// What a client gets, or what was wrong, for it to read.
type Answer = Result<CallToolResult, String>;

impl Commands {
    /// With these permissions.
    pub fn new(permitted: Permitted) -> Commands {
        Commands {
            permitted,
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// What the server may do.
    pub fn permitted(&self) -> &Permitted {
        &self.permitted
    }

    /// `cgsan lint`.
    pub async fn lint(&self, arguments: Value, context: &RequestContext<RoleServer>) -> Answer {
        let (paths, selection) = self.of_paths(arguments)?;
        let _turn = self.turn().await?;
        let written = Written::new()?;
        // Findings are no failure here.
        let lint = |format: &str, to: &Path| {
            let mut command = self.command("lint");
            command.args(&selection);
            command.args(["--exit-zero", "--format", format, "--output"]);
            command.arg(to).arg("--").args(&paths);
            command
        };
        for (format, file) in [("json", written.json()), ("text", written.text())] {
            let ended = child::run(&mut lint(format, &file), LIMIT, context).await?;
            if ended.end != End::Status(std::process::ExitStatus::default()) {
                return Err(told(&ended));
            }
        }
        written.result(Vec::new())
    }

    /// `cgsan report`.
    pub async fn report(&self, arguments: Value, context: &RequestContext<RoleServer>) -> Answer {
        let (paths, selection) = self.of_paths(arguments)?;
        let _turn = self.turn().await?;
        let written = Written::new()?;
        let mut command = self.command("report");
        command.args(&selection);
        written.name_in(&mut command);
        command.arg("--").args(&paths);
        let ended = child::run(&mut command, LIMIT, context).await?;
        match ended.end {
            End::Status(status) if status.success() => written.result(Vec::new()),
            _ => Err(told(&ended)),
        }
    }

    /// `cgsan run`.
    pub async fn run(&self, arguments: Value, context: &RequestContext<RoleServer>) -> Answer {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Arguments {
            program: Vec<String>,
            directory: Option<PathBuf>,
            #[serde(default)]
            r#virtual: bool,
            #[serde(default)]
            no_values: bool,
            timeout_seconds: Option<u64>,
            #[serde(default)]
            select: Vec<String>,
            #[serde(default)]
            ignore: Vec<String>,
            baseline: Option<PathBuf>,
        }
        if !self.permitted.run {
            return Err(
                "this server runs no programs; a person can start it with `cgsan explain --serve --allow-run`".to_owned(),
            );
        }
        let arguments: Arguments = read(arguments)?;
        if arguments.program.is_empty() {
            return Err("`program` is empty; give the program and its arguments".to_owned());
        }
        let seconds = arguments.timeout_seconds.unwrap_or(RUN_SECONDS);
        if !(1..=MOST_RUN_SECONDS).contains(&seconds) {
            return Err(format!(
                "`timeout_seconds` is {seconds}; give 1 to {MOST_RUN_SECONDS}"
            ));
        }
        let baseline = arguments.baseline.as_deref();
        let selection = self.selection(&arguments.select, &arguments.ignore, baseline)?;
        let directory = self
            .permitted
            .below(&arguments.directory.unwrap_or_default())?;
        let _turn = self.turn().await?;
        let written = Written::new()?;
        let mut command = self.command("run");
        command.current_dir(&directory).args(&selection);
        let switches = [
            ("--virtual", arguments.r#virtual),
            ("--no-values", arguments.no_values),
        ];
        command.args(switches.iter().filter(|(_, on)| *on).map(|(name, _)| name));
        written.name_in(&mut command);
        command.arg("--").args(&arguments.program);
        let ended = child::run(&mut command, Duration::from_secs(seconds), context).await?;
        if !written.is_there() {
            return Err(told(&ended));
        }
        written.result(of_program(&ended, seconds))
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.permitted.cgsan);
        command
            .arg(name)
            .current_dir(&self.permitted.folder)
            .env(PARENT, std::process::id().to_string())
            .env("NO_COLOR", "1");
        command
    }

    /// Waits until another command may run.
    async fn turn(&self) -> Result<tokio::sync::SemaphorePermit<'_>, String> {
        let turn = self.turns.acquire().await;
        turn.map_err(|_| "the server is ending".to_owned())
    }

    /// What is to be looked at, and the options that say which findings are reported.
    fn of_paths(&self, arguments: Value) -> Result<(Vec<PathBuf>, Vec<OsString>), String> {
        let asked: OfPaths = read(arguments)?;
        let paths = self.all_below(&asked.paths)?;
        let selection = self.selection(&asked.select, &asked.ignore, asked.baseline.as_deref())?;
        Ok((paths, selection))
    }

    /// The options that say which findings are reported.
    fn selection(
        &self,
        select: &[String],
        ignore: &[String],
        baseline: Option<&Path>,
    ) -> Result<Vec<OsString>, String> {
        let lists = [("--select=", select), ("--ignore=", ignore)];
        let lists = lists.iter().filter(|(_, ids)| !ids.is_empty());
        let mut options: Vec<OsString> = lists
            .map(|(name, ids)| format!("{name}{}", ids.join(",")).into())
            .collect();
        if let Some(path) = baseline {
            let mut option = OsString::from("--baseline=");
            option.push(self.permitted.below(path)?);
            options.push(option);
        }
        Ok(options)
    }

    fn all_below(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
        if paths.is_empty() {
            return Err("`paths` is empty; name a file or a folder".to_owned());
        }
        paths
            .iter()
            .map(|path| self.permitted.below(path))
            .collect()
    }
}

/// The arguments of tools that read files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPaths {
    paths: Vec<PathBuf>,
    #[serde(default)]
    select: Vec<String>,
    #[serde(default)]
    ignore: Vec<String>,
    baseline: Option<PathBuf>,
}

/// Where a command writes what it found: into memory, of which a killed server leaves nothing. The command opens it by this process's
/// number.
struct Written {
    json: File,
    text: File,
}

impl Written {
    fn new() -> Result<Written, String> {
        let file = || {
            memfd_create("cgsan-report", MemfdFlags::CLOEXEC)
                .map(File::from)
                .map_err(|error| {
                    format!("there is no room for a report: {}", in_words(&error.into()))
                })
        };
        Ok(Written {
            json: file()?,
            text: file()?,
        })
    }

    fn json(&self) -> PathBuf {
        path_of(&self.json)
    }

    fn text(&self) -> PathBuf {
        path_of(&self.text)
    }

    /// Lets a command write there, as text and as JSON.
    fn name_in(&self, command: &mut Command) {
        command.arg("--output").arg(self.text());
        command.arg("--also-json").arg(self.json());
    }

    fn is_there(&self) -> bool {
        self.json.metadata().is_ok_and(|about| about.len() > 0)
    }

    /// What was written, and more to read behind the text.
    fn result(&self, more: Vec<ContentBlock>) -> Answer {
        let wrong = |error| format!("the report cannot be given: {error}; ask for fewer files");
        let json = cgsan_files::read(&self.json(), LARGEST).map_err(wrong)?;
        let text = cgsan_files::read(&self.text(), LARGEST).map_err(wrong)?;
        let json = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let mut result = CallToolResult::structured(json);
        result.content = vec![ContentBlock::text(text)];
        result.content.extend(more);
        Ok(result)
    }
}

/// How another process names a file that this one has open.
fn path_of(file: &File) -> PathBuf {
    let (process, number) = (std::process::id(), file.as_raw_fd());
    PathBuf::from(format!("/proc/{process}/fd/{number}"))
}

/// What a program wrote, and that it was ended, to be read behind the report.
fn of_program(ended: &Ended, seconds: u64) -> Vec<ContentBlock> {
    let late = (ended.end == End::Late).then(|| {
        format!("the program was ended after {seconds} seconds, so the report is on its beginning")
    });
    let streams = [
        ("standard output", &ended.output),
        ("standard error", &ended.errors),
    ];
    let streams = streams.iter().filter(|(_, text)| !text.is_empty());
    let streams = streams.map(|(name, text)| format!("{name} of the program:\n{text}"));
    late.into_iter()
        .chain(streams)
        .map(ContentBlock::text)
        .collect()
}

/// Why a command has no result.
fn told(ended: &Ended) -> String {
    let why = match ended.end {
        End::Status(status) => format!("cgsan ended with {status}"),
        End::Late => "cgsan took too long and was ended; ask for less".to_owned(),
        End::Cancelled => "the request was cancelled".to_owned(),
    };
    format!("{why}\n{}{}", ended.output, ended.errors)
}
