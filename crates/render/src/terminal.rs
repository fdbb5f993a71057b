//! Findings as text, laid out as the Rust compiler does.

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{Element, Level, Origin};
use cgsan_catalogue::Severity;
use cgsan_finding::{Finding, LeftOut, Note, NoteLevel, RankGroup, Report};

use crate::source::Files;
use crate::style::Painter;
use crate::{Options, Sources, facts, snippet, text};

/// How many consequences are shown unless all are asked for.
const FEW: usize = 4;

/// Below this width, in columns, one line says too little of what followed.
const NARROW: usize = 80;

/// A report as text: the findings, what limits them, and a line that sums up.
pub fn terminal(report: &Report, options: &Options, sources: &mut Sources<'_>) -> String {
    findings(report, options, sources) + &summary(report, options)
}

/// The findings, and what limits them, with an empty line behind each.
pub fn findings(report: &Report, options: &Options, sources: &mut Sources<'_>) -> String {
    let mut files = Files::new(sources);
    let mut output = ranks(report, options);
    for finding in &report.findings {
        output += &one_finding(finding, options, &mut files);
        output += "\n\n";
    }
    for note in &report.notes {
        output += &remark(note, options, &mut files);
        output += "\n\n";
    }
    text::shown(&output)
}

/// Which ranks did something else than most, with an empty line behind.
fn ranks(report: &Report, options: &Options) -> String {
    const LABEL: &str = "ranks: ";
    let mut lines = String::new();
    for line in RankGroup::in_words(&report.ranks) {
        let line = text::hang(&line, options.prose_width(), LABEL.len());
        lines += &Painter::new(options.color).note(LABEL);
        lines += &line;
        lines.push('\n');
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines
}

/// What could not be looked at, or a remark.
pub(crate) fn remark(note: &Note, options: &Options, files: &mut Files<'_, '_>) -> String {
    match note.level {
        NoteLevel::Error => one_error(note, options, files),
        NoteLevel::Note => one_note(note, options),
    }
}

/// A finding with its source, without a line break at its end.
pub(crate) fn one_finding(
    finding: &Finding,
    options: &Options,
    files: &mut Files<'_, '_>,
) -> String {
    let rows = Rows {
        width: options.prose_width(),
        painter: Painter::new(options.color),
    };
    let level = match Severity::of(finding.id) {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // A terminal would break it within a word.
    let room = rows
        .width
        .saturating_sub("warning[]: ".len() + finding.id.len());
    let group = level
        .primary_title(text::wrap(&finding.title, room).join("\n"))
        .id(finding.id)
        .elements(snippet::places(finding, options, files))
        .elements(rows.explanation(finding))
        .elements(rows.facts(finding, options))
        .elements(rows.consequences(finding, options))
        .elements(stacks(finding, options))
        .element(rows.row("more", &format!("`cgsan explain {}`", finding.id)));
    renderer(options).render(&[group])
}

fn renderer(options: &Options) -> Renderer {
    let renderer = if options.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.term_width(options.width)
}

/// The rows below the source lines: `= name: text`.
struct Rows {
    width: usize,
    painter: Painter,
}

impl Rows {
    /// Why, then what to change.
    fn explanation(&self, finding: &Finding) -> Vec<Element<'static>> {
        let notes = finding.notes.iter().map(|note| self.row("note", note));
        let help = finding.help_with_command();
        let help = help.iter().map(|help| self.row("help", help));
        notes.chain(help).collect()
    }

    fn facts(&self, finding: &Finding, options: &Options) -> Vec<Element<'static>> {
        let observed = finding.observed();
        let call = observed.and_then(|it| it.call.as_ref());
        let capture = observed.and_then(|it| it.capture.as_ref());
        let rows = [
            ("call", call.map(facts::call)),
            ("thread", observed.and_then(facts::thread)),
            (
                "capture",
                capture.map(|it| facts::capture(it, finding, options)),
            ),
            ("in", observed.and_then(|it| facts::processes(it, options))),
            ("times", observed.and_then(facts::times)),
            (
                "confidence",
                facts::confidence(finding.confidence).map(str::to_owned),
            ),
        ];
        rows.into_iter()
            .filter_map(|(name, text)| Some(self.row(name, &text?)))
            .collect()
    }

    /// What followed: the first few, a line each, or all of it.
    fn consequences(&self, finding: &Finding, options: &Options) -> Vec<Element<'static>> {
        let all = finding.observed().map_or(&[][..], |it| &it.consequences);
        let shown = if options.full || all.len() <= FEW + 1 {
            all.len()
        } else {
            FEW
        };
        let mut lines: Vec<String> = all[..shown]
            .iter()
            .map(|consequence| facts::consequence(consequence, finding, options))
            .collect();
        if shown < all.len() {
            lines.push(format!("and {} more", all.len() - shown));
        }
        lines
            .iter()
            .map(|line| {
                let line = if options.full || options.width < NARROW {
                    text::wrap(line, self.room("then")).join("\n")
                } else {
                    text::one_line(line, room("then", options.width))
                };
                message("then", self.painter.dim(&line))
            })
            .collect()
    }

    fn row(&self, name: &'static str, text: &str) -> Element<'static> {
        message(name, text::wrap(text, self.room(name)).join("\n"))
    }

    fn room(&self, name: &str) -> usize {
        room(name, self.width)
    }
}

/// The columns that a row leaves for its text, beside line numbers of up to four digits.
fn room(name: &str, width: usize) -> usize {
    const BESIDE: usize = "1234 = : ".len();
    width.saturating_sub(BESIDE + name.len()).max(20)
}

/// The stacks of the refused call, where they are asked for.
fn stacks(finding: &Finding, options: &Options) -> Vec<Element<'static>> {
    let Some(observed) = finding.observed().filter(|_| options.full) else {
        return Vec::new();
    };
    let python: Vec<String> = observed
        .stack
        .iter()
        .map(|location| facts::frame(location, options))
        .collect();
    let native: Vec<String> = observed
        .native_stack
        .iter()
        .map(|frame| text::printable(frame))
        .collect();
    [("stack", python), ("native stack", native)]
        .into_iter()
        .filter(|(_, frames)| !frames.is_empty())
        .map(|(name, frames)| message(name, frames.join("\n")))
        .collect()
}

fn message(name: &'static str, text: String) -> Element<'static> {
    Level::NOTE.with_name(name).message(text).into()
}

/// What could not be looked at, with its place.
fn one_error(note: &Note, options: &Options, files: &mut Files<'_, '_>) -> String {
    let title = text::wrap(&note.text, options.prose_width() - "error: ".len()).join("\n");
    let place = note.location.as_ref().map(|location| {
        if location.span.is_some() {
            return snippet::place(location, options, files);
        }
        let file = Origin::path(facts::text_name(location, options));
        // Without columns, the first line stands for a whole file.
        let place = match location.line {
            0 | 1 => file,
            line => file.line(line as usize),
        };
        vec![place.into()]
    });
    let group = Level::ERROR
        .primary_title(title)
        .elements(place.unwrap_or_default());
    renderer(options).render(&[group])
}

/// A remark about the run.
fn one_note(note: &Note, options: &Options) -> String {
    const LABEL: &str = "note";
    let place = note
        .location
        .as_ref()
        .map(|location| format!(" (first at {})", facts::place_of(location, options)));
    let (words, lines) = note.text.split_once('\n').unwrap_or((&note.text, ""));
    let words = format!("{words}{}", place.unwrap_or_default());
    let words = text::hang(&words, options.prose_width(), LABEL.len() + 2);
    let label = Painter::new(options.color).note(LABEL);
    lines
        .lines()
        .fold(format!("{label}: {words}"), |text, line| {
            format!("{text}\n          {}", text::printable(line))
        })
}

/// The line that sums up.
pub fn summary(report: &Report, options: &Options) -> String {
    const LABEL: &str = "cgsan: ";
    let (found, in_what) = parts(report, options);
    let line = text::hang(
        &(found.clone() + &in_what),
        options.prose_width(),
        LABEL.len(),
    );
    let first_ends = line.find('\n').unwrap_or(line.len());
    let (found, in_what) = line.split_at(found.len().min(first_ends));
    let found = Painter::new(options.color).strong(&format!("{LABEL}{found}"));
    format!(
        "{found}{in_what}\n{}",
        not_watched(report, options).unwrap_or_default()
    )
}

/// The same within other text: `1 finding (1 capture, 2 replays)`.
pub(crate) fn conclusion(report: &Report, options: &Options) -> String {
    let (found, in_what) = parts(report, options);
    found + &in_what
}

/// What was found; and in what, and what was left out, in further words.
fn parts(report: &Report, options: &Options) -> (String, String) {
    let errors = report
        .notes
        .iter()
        .filter(|note| note.level == NoteLevel::Error)
        .count();
    let found = match report.findings.len() {
        0 => "no findings".to_owned(),
        number => text::count(number, "finding"),
    };
    let found = match errors {
        0 => found,
        number => format!("{found}, {}", text::count(number, "error")),
    };
    let (found, watched) = match &report.coverage {
        Some(_) if report.is_of_nothing() => {
            (format!("nothing was judged: {}", why_nothing(report)), None)
        }
        Some(coverage) => (found, Some(coverage.in_words())),
        None => (found, options.watched.clone()),
    };
    let watched = watched.map(|watched| format!(" ({watched})"));
    let left_out = LeftOut::in_words(&report.left_out).map(|words| format!("; {words}"));
    let in_what = [watched, left_out].into_iter().flatten().collect();
    (found, in_what)
}

fn why_nothing(report: &Report) -> &'static str {
    match report.coverage.as_ref().map_or(0, |it| it.processes) {
        0 => "nothing was recorded",
        _ => "no capture was seen",
    }
}

/// The line that says what was not watched, under the one that sums up.
fn not_watched(report: &Report, options: &Options) -> Option<String> {
    const LABEL: &str = "       not watched: ";
    let gaps = report.coverage.as_ref()?.gaps_in_words()?;
    Some(format!(
        "{LABEL}{}\n",
        text::hang(&gaps, options.prose_width(), LABEL.len())
    ))
}
