//! Where a text goes: a stream, or a file.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use cgsan_files::{Destination as Place, Links};
use cgsan_render::Options;

use super::error::Error;
use super::standard::Standard;
use crate::cli::{Appearance, Color};

/// The width where there is no terminal.
const PLAIN_WIDTH: usize = 100;

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

impl Destination {
    /// The file that `--output` names, or this stream.
    pub fn output(named: Option<&Path>, otherwise: Standard) -> Result<Self, Error> {
        named.map_or(Ok(Self::Standard(otherwise)), |path| {
            Self::open("--output", path)
        })
    }

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
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File { path, place, .. } if place.stream().is_none() => Some(path.clone()),
            _ => None,
        }
    }

    /// Writes all of `text`.
    pub fn put(&mut self, text: &str) -> Result<(), Error> {
        match self {
            Self::Standard(standard) => standard.tell(text).map_err(Error::from),
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

/// Says which files were written, if any.
pub fn tell_written(files: &[PathBuf]) {
    let names: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    if !names.is_empty() {
        let text = format!("cgsan: written: {}\n", names.join(", "));
        // If nobody reads it, they are written all the same.
        let _ = Standard::Error.write(&cgsan_render::shown(&text));
    }
}
