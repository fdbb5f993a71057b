//! Annotations: the commands that GitHub's workflows read from a step's output.

use cgsan_finding::{Finding, Location, Report};

use super::level::Level;
use super::place;
use super::places::Places;
use super::plain::plain;
use crate::{Options, facts, terminal, text};

/// A command for each finding and for each remark; of a run, one for what was watched. A message begins with the place, since
/// logs show it alone.
pub fn github(report: &Report, places: &dyn Places, options: &Options) -> String {
    let options = &plain(options);
    let findings = report.findings.iter().map(|found| {
        let title = format!("cgsan {}", found.id);
        let at = found
            .location
            .as_ref()
            .map(|it| At::new(it, places, options));
        annotation(Level::of(found), at, &title, &message(found, options))
    });
    let notes = report.notes.iter().map(|note| {
        let at = note
            .location
            .as_ref()
            .map(|it| At::new(it, places, options));
        annotation(Level::of_note(note), at, "cgsan", &note.text)
    });
    let watched = report.coverage.iter().map(|coverage| {
        let gaps = coverage.gaps_in_words();
        let gaps = gaps.map(|gaps| format!("\nnot watched: {gaps}"));
        let words = terminal::conclusion(report, options) + &gaps.unwrap_or_default();
        annotation(Level::Remark, None, "cgsan", &words)
    });
    let commands: String = findings.chain(notes).chain(watched).collect();
    text::shown_plain(&commands)
}

fn message(found: &Finding, options: &Options) -> String {
    let observed = found.observed();
    let ranks = observed.and_then(|it| facts::processes(it, options));
    let ranks = ranks.map(|ranks| format!("\nin: {ranks}"));
    let help = found.help.first().map(|help| format!("\n{help}"));
    let (ranks, help) = (ranks.unwrap_or_default(), help.unwrap_or_default());
    format!("{} {}{ranks}{help}", found.id, found.title)
}

/// Where an annotation is shown.
struct At {
    file: String,
    region: String,
    in_words: String,
}

impl At {
    fn new(location: &Location, places: &dyn Places, options: &Options) -> Self {
        let file = place::file(&location.file, options);
        Self {
            file: file.to_string_lossy().into_owned(),
            region: region(location, places),
            in_words: facts::place_of(location, options),
        }
    }
}

fn annotation(level: Level, at: Option<At>, title: &str, message: &str) -> String {
    let level = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Remark => "notice",
    };
    let title = property(title);
    match at {
        Some(at) => {
            let (file, region) = (property(&at.file), at.region);
            let message = data(&format!("{}: {message}", at.in_words));
            format!("::{level} file={file}{region},title={title}::{message}\n")
        }
        None => format!("::{level} title={title}::{}\n", data(message)),
    }
}

/// The lines and columns. GitHub reads columns only within one line; in a notebook, the line is the file's.
fn region(at: &Location, places: &dyn Places) -> String {
    let line = places.line_in_file(at).max(1);
    match &at.span {
        Some(span) if at.cell.is_none() && span.end_line == at.line => {
            let (from, to) = (span.column, span.end_column);
            format!(",line={line},col={from},endLine={line},endColumn={to}")
        }
        Some(span) if at.cell.is_none() => format!(",line={line},endLine={}", span.end_line),
        _ => format!(",line={line}"),
    }
}

/// A message: line breaks would end the command, and a percent sign begins what stands for a character.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::places::RecordedPlaces;
    use super::*;
    use cgsan_finding::{Cell, Span};

    fn location(
        file: &str,
        (line, column): (u32, u32),
        (end_line, end_column): (u32, u32),
    ) -> Location {
        Location {
            file: file.into(),
            line,
            span: Some(Span {
                column,
                end_line,
                end_column,
                bytes: 0..0,
            }),
            cell: None,
            function: String::new(),
        }
    }

    #[test]
    fn what_has_a_meaning_in_commands_is_escaped() {
        let at = location("a,b:c%.py", (3, 5), (3, 9));
        let at = At::new(&at, &RecordedPlaces, &Options::default());
        assert_eq!(
            annotation(Level::Error, Some(at), "cgsan CG101", "50%: a, b\r\nc"),
            "::error file=a%2Cb%3Ac%25.py,line=3,col=5,endLine=3,endColumn=9,title=cgsan CG101::a,b:c%25.py:3:5: 50%25: a, b%0D%0Ac\n"
        );
        assert_eq!(property("a\n::error::"), "a%0A%3A%3Aerror%3A%3A");
    }

    #[test]
    fn columns_are_left_out_where_there_are_several_lines() {
        let at = location("a.py", (3, 5), (4, 2));
        assert_eq!(region(&at, &RecordedPlaces), ",line=3,endLine=4");
    }

    #[test]
    fn a_cells_line_is_that_of_the_file() {
        struct Notebook;
        impl Places for Notebook {
            fn line_in_file(&self, place: &Location) -> u32 {
                place.line + 40
            }
        }
        let mut at = location("a.ipynb", (3, 5), (3, 9));
        at.cell = Some(Cell { number: 2, line: 1 });
        assert_eq!(region(&at, &Notebook), ",line=43");
    }
}
