//! `cgsan explain`: what is known about a failure mode, a result code or an error text.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _, Read};
use std::path::Path;

use cgsan_catalogue::{Entry, ErrorCode, Language};
use cgsan_explain::{Candidate, Explanation, ReadError, Reason, Subject};
use cgsan_files::Unread;
use cgsan_render::Options;

use crate::cli::{Color, ExplainOptions};
use crate::commands::features;
use crate::commands::found_by::found_by;
use crate::output::destination::Destination;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::language;
use crate::output::standard::Standard;

/// The name of what is read where no file is named.
const STANDARD_INPUT: &str = "standard input";

/// Explains what was asked for: a name, a file, or a text.
pub fn run(options: &ExplainOptions) -> Result<Exit, Error> {
    if options.serve {
        return features::serve(options);
    }
    let page = Page {
        language: options
            .lang
            .map_or_else(language::of_the_locale, Language::from),
        json: options.json,
        all: options.all,
    };
    if options.list {
        return print(&cgsan_render::list(page.language, &style()));
    }
    match &options.what[..] {
        [] => page.standard_input(),
        [one] if one == "-" => page.standard_input(),
        [one] => page.word(one),
        several => page.words(several),
    }
}

/// In which form and language.
struct Page {
    language: Language,
    json: bool,
    /// Whether all is shown of an entry.
    all: bool,
}

impl Page {
    /// A name of the catalogue's, a file, or a text in one argument.
    fn word(&self, word: &OsStr) -> Result<Exit, Error> {
        let text = word.to_string_lossy();
        if let Some(subject) = cgsan_explain::look_up(&text) {
            return self.subject(subject);
        }
        let path = Path::new(word);
        if path.exists() {
            return self.file(path);
        }
        if text.trim().contains(char::is_whitespace) {
            return self.text("the text", text.as_bytes());
        }
        Err(Error::NoEntry {
            nearest: self.near(&text),
            what: text.into_owned(),
        })
    }

    /// A text whose quotation marks the shell has taken, or several files by mistake.
    fn words(&self, words: &[OsString]) -> Result<Exit, Error> {
        if words.iter().all(|word| Path::new(word).is_file()) {
            return Err(Error::NoText {
                name: words[1].to_string_lossy().into_owned(),
                reason: "one file at a time can be explained".to_owned(),
                help: "join them: cat FILES | cgsan explain",
            });
        }
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        self.text("the text", words.join(" ").as_bytes())
    }

    fn subject(&self, subject: Subject) -> Result<Exit, Error> {
        let text = match (subject, self.json) {
            (Subject::Entry(entry), false) if self.all => {
                cgsan_render::entry(entry, &found_by(entry), self.language, &style())
            }
            (Subject::Entry(entry), false) => {
                cgsan_render::entry_in_short(entry, self.language, &style())
            }
            (Subject::Code(code), false) => cgsan_render::code(code, self.language, &style()),
            (Subject::Entry(entry), true) => self.as_json(vec![named(entry)]),
            (Subject::Code(code), true) => self.as_json(with_code(code)),
        };
        print(&text)
    }

    fn as_json(&self, candidates: Vec<Candidate>) -> String {
        let explanation = Explanation {
            candidates,
            is_of_graphs: true,
            ..Explanation::default()
        };
        cgsan_render::candidates_json(&explanation, self.language, found_by)
    }

    fn file(&self, path: &Path) -> Result<Exit, Error> {
        let name = path.display().to_string();
        match cgsan_files::open_or_pipe(path) {
            Ok(file) => self.text(&name, file),
            Err(reason) => Err(Error::NoText {
                name,
                reason: reason.to_string(),
                help: match reason {
                    Unread::Kind(_) => "name a log, or pipe its text in: cgsan explain < train.log",
                    Unread::NoWriter => "start its writer first",
                    _ => "name a file that you may read, or pipe its text in",
                },
            }),
        }
    }

    fn standard_input(&self) -> Result<Exit, Error> {
        let input = io::stdin();
        if input.is_terminal() {
            return print(&cgsan_render::list(self.language, &style()));
        }
        self.text(STANDARD_INPUT, input.lock())
    }

    fn text(&self, name: &str, input: impl Read) -> Result<Exit, Error> {
        let mut explanation = cgsan_explain::read(input).map_err(|error| no_text(name, &error))?;
        explanation.weigh(&features::evidence(&explanation.opening));
        if self.json {
            print(&cgsan_render::candidates_json(
                &explanation,
                self.language,
                found_by,
            ))?;
            return Ok(Exit::Status(u8::from(explanation.candidates.is_empty())));
        }
        if explanation.candidates.is_empty() {
            if let Some(known) = explanation.elsewhere() {
                print(&cgsan_render::elsewhere(known, self.language, &style()))?;
                return Ok(Exit::Status(1));
            }
            return Err(Error::NothingMatches {
                name: name.to_owned(),
                nearest: self.nearest(&explanation.opening),
            });
        }
        print(&cgsan_render::candidates(
            &explanation,
            self.language,
            &style(),
        ))
    }

    /// The entries whose ids are near a word that looks like one, else those that share words with it.
    fn near(&self, word: &str) -> Vec<String> {
        let near = cgsan_catalogue::near_ids(word).into_iter();
        let near: Vec<String> = near.map(|entry| self.line(entry)).collect();
        if near.is_empty() {
            self.nearest(word)
        } else {
            near
        }
    }

    fn line(&self, entry: &Entry) -> String {
        format!("{} {}", entry.id, entry.title.in_language(self.language))
    }

    /// The entries that share words with a text, one line per entry.
    fn nearest(&self, text: &str) -> Vec<String> {
        cgsan_explain::nearest(text)
            .iter()
            .map(|entry| self.line(entry))
            .collect()
    }
}

fn named(entry: &'static Entry) -> Candidate {
    Candidate {
        entry,
        score: 100,
        is_decisive: true,
        reasons: vec![Reason::Named],
        origin: None,
    }
}

/// The failure modes that show up with a code, each with the same score.
fn with_code(code: &'static ErrorCode) -> Vec<Candidate> {
    let modes = code.entries().count();
    let score = u8::try_from(100 / modes.max(1)).unwrap_or(100);
    code.entries()
        .map(|entry| Candidate {
            entry,
            score,
            is_decisive: modes == 1,
            reasons: vec![Reason::Code(code, modes)],
            origin: None,
        })
        .collect()
}

fn no_text(name: &str, error: &ReadError) -> Error {
    let (reason, help) = match error {
        ReadError::Io(reason) => (
            cgsan_files::in_words(reason),
            "name a file that you may read, or pipe its text in",
        ),
        ReadError::Empty => (
            "there is no text in it".to_owned(),
            "give a traceback, a log or an error's text",
        ),
        ReadError::Binary => (
            "it is not text".to_owned(),
            "unpack it first if it is compressed; `cgsan report` reads the traces of `cgsan run --save`",
        ),
        ReadError::Utf16 => (
            "it is in UTF-16".to_owned(),
            "convert it: iconv -f UTF-16 -t UTF-8 FILE | cgsan explain",
        ),
    };
    Error::NoText {
        name: name.to_owned(),
        reason,
        help,
    }
}

/// What standard output can do.
fn style() -> Options {
    let output = Destination::Standard(Standard::Output);
    Options {
        width: output.width(),
        color: output.takes_color(Color::Auto),
        ..Options::default()
    }
}

fn print(text: &str) -> Result<Exit, Error> {
    Destination::Standard(Standard::Output).write(text)?;
    Ok(Exit::Status(0))
}
