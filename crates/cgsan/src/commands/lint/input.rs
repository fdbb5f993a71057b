//! What is looked at: files, pipes, or standard input.

use std::io::{self, Read};
use std::path::Path;

use cgsan_lint::{Project, SyntaxError};

use super::files;
use crate::cli::LintOptions;
use crate::output::error::Error;

/// The name of standard input among the paths.
pub const STDIN: &str = "-";

/// The name under which standard input is reported.
const STDIN_NAME: &str = "<stdin>";

/// What is looked at.
#[derive(Debug)]
pub struct Input {
    /// The files.
    pub project: Project,
    /// Folders and files that cannot be read, and why.
    pub unreadable: Vec<SyntaxError>,
    /// Whether it is standard input.
    pub is_stdin: bool,
}

/// Finds the files that are named, or reads standard input.
pub fn open(options: &LintOptions) -> Result<Input, Error> {
    if options.paths.iter().all(|path| path.as_os_str() != STDIN) {
        return named(options);
    }
    if options.paths.len() > 1 {
        return Err(Error::Lint {
            what: "standard input and files cannot be checked together".to_owned(),
            help: "name `-` alone",
        });
    }
    let name = options
        .stdin_filename
        .as_deref()
        .unwrap_or(Path::new(STDIN_NAME));
    let mut project = Project::default();
    project.set_text(name, standard_input()?);
    Ok(Input {
        project,
        unreadable: Vec::new(),
        is_stdin: true,
    })
}

/// Finds the files that are named, and reads the pipes among them.
fn named(options: &LintOptions) -> Result<Input, Error> {
    let files::Found {
        files,
        pipes,
        mut unreadable,
    } = files::find(&options.paths)?;
    if let Some(pipe) = pipes.first()
        && options.fix
    {
        return Err(Error::Lint {
            what: format!("{} is a pipe, which `--fix` cannot write", pipe.display()),
            help: "name the file, or pipe it into `cgsan lint --fix -`",
        });
    }
    let mut project = Project::new(files);
    for pipe in pipes {
        let read = cgsan_files::open_or_pipe(&pipe).and_then(|from| Ok(source(from)?));
        match read {
            Ok(text) => project.set_text(&pipe, text),
            Err(reason) => unreadable.push(files::unreadable(pipe, reason.to_string())),
        }
    }
    Ok(Input {
        project,
        unreadable,
        is_stdin: false,
    })
}

fn standard_input() -> Result<String, Error> {
    source(io::stdin().lock()).map_err(|reason| Error::Lint {
        what: format!(
            "standard input cannot be read: {}",
            cgsan_files::in_words(&reason)
        ),
        help: "pipe Python source into cgsan",
    })
}

/// What can be read only once, as text.
fn source(from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    let read = from.take(Project::LARGEST + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|it| it > Project::LARGEST) {
        let most = Project::LARGEST >> 20;
        return Err(io::Error::other(format!("it is larger than {most} MB")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8; save it as UTF-8"))
}
