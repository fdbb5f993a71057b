//! An entry of the catalogue as text.

use cgsan_catalogue::{
    Basis, Entry, Evidence, Fix, Language, MEASURED_ON, Probe, Text, Thread, Version,
};
use cgsan_model::Code;

use crate::style::Painter;
use crate::{Options, text};

/// All that is known about a failure mode.
pub fn entry(entry: &Entry, options: &Options) -> String {
    let page = Page {
        width: options.prose_width(),
        painter: Painter::new(options.color),
    };
    let sections = [
        page.header(entry),
        page.prose("What happened", entry.summary),
        page.prose("Why", entry.cause),
        page.prose("How to tell", entry.signal),
        page.section(
            "What to change",
            entry.fixes.iter().map(|fix| page.fix(fix)),
            "\n\n",
        ),
        page.section(
            "What does not help",
            entry.dead_ends.iter().map(|dead_end| {
                page.item(&format!(
                    "{}: {}",
                    words(dead_end.attempt),
                    words(dead_end.reason)
                ))
            }),
            "\n",
        ),
        page.section(
            "Versions",
            entry.versions.iter().map(|v| page.item(&version(v))),
            "\n",
        ),
        page.evidence(entry),
        page.neighbours(entry),
    ];
    let mut output = sections
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join("\n\n");
    output.push('\n');
    output
}

/// The page that an entry is written on.
struct Page {
    width: usize,
    painter: Painter,
}

impl Page {
    fn header(&self, entry: &Entry) -> Option<String> {
        let mut lines = vec![format!(
            "{} {}",
            self.painter.error(&format!("{}:", entry.id)),
            self.painter.strong(words(entry.title))
        )];
        lines.push(format!("name: {}", entry.name));
        for &code in entry.codes {
            lines.push(format!("error {}", code_name(code)));
        }
        Some(lines.join("\n"))
    }

    fn prose(&self, heading: &str, text: Text) -> Option<String> {
        let paragraphs = words(text)
            .split("\n\n")
            .map(|paragraph| format!("  {}", text::hang(paragraph, self.width, 2)));
        self.section(heading, paragraphs, "\n\n")
    }

    /// Parts under a heading; nothing where there are no parts.
    fn section(
        &self,
        heading: &str,
        parts: impl Iterator<Item = String>,
        separator: &str,
    ) -> Option<String> {
        let body = parts.collect::<Vec<String>>().join(separator);
        (!body.is_empty()).then(|| format!("{}\n{body}", self.painter.heading(heading)))
    }

    fn fix(&self, fix: &Fix) -> String {
        let title = self.painter.strong(&format!("* {}", words(fix.title)));
        let explanation = text::hang(words(fix.explanation), self.width, 4);
        let cost = text::hang(&format!("Cost: {}", words(fix.cost)), self.width, 4);
        let code = indent(fix.code, 8);
        format!(
            "  {title}\n    {explanation}\n\n{}\n\n    {cost}",
            self.painter.note(&code)
        )
    }

    fn item(&self, words: &str) -> String {
        format!("  * {}", text::hang(words, self.width, 4))
    }

    fn evidence(&self, entry: &Entry) -> Option<String> {
        let cases = entry.evidence.iter().map(|e| self.item(&evidence(e)));
        let probes = entry.probes.iter().map(|p| self.item(&probe(p)));
        let heading = format!("Measured on {MEASURED_ON}");
        self.section(&heading, cases.chain(probes), "\n")
    }

    fn neighbours(&self, entry: &Entry) -> Option<String> {
        let neighbours = entry
            .related
            .iter()
            .filter_map(|id| cgsan_catalogue::entry(id))
            .map(|entry| self.item(&format!("{} {}", entry.id, words(entry.title))));
        self.section("See also", neighbours, "\n")
    }
}

fn words(text: Text) -> &'static str {
    text.in_language(Language::English)
}

fn version(version: &Version) -> String {
    let product = version.product.name();
    let range = match (version.from, version.until) {
        (Some(from), Some(until)) => format!("{product} {from} up to, not including, {until}"),
        (Some(from), None) => format!("{product} {from} and later"),
        (None, Some(until)) => format!("{product} before {until}"),
        (None, None) => product.to_owned(),
    };
    let basis = match version.basis {
        Basis::Measured => "measured",
        Basis::Documented => "documented",
    };
    format!("{range} ({basis}): {}", words(version.fact))
}

fn evidence(evidence: &Evidence) -> String {
    let mut line = format!("{}: {}: ", evidence.case, words(evidence.shows));
    match (evidence.exception, evidence.refused) {
        (Some(exception), _) => line += &format!("{}: {}", exception.type_name, exception.message),
        (None, _) => line += "ran to its end",
    }
    if let Some(call) = evidence.refused {
        line += &format!(" (first refused call: {}, {})", call.function, call.code);
    }
    line
}

fn probe(probe: &Probe) -> String {
    let thread = match probe.thread {
        Thread::Capturing => "the capturing thread",
        Thread::Other => "another thread",
    };
    format!(
        "{} by {thread}, capture mode {}: returned {}; the capture's end returned {}",
        probe.call,
        probe.mode.name(),
        probe.code,
        probe.end
    )
}

fn code_name(code: i32) -> String {
    match Code(code).runtime_name().zip(Code(code).text()) {
        Some((name, text)) => format!("{code} {name}: {text}"),
        None => code.to_string(),
    }
}

/// Code keeps its lines, however long.
fn indent(code: &str, columns: usize) -> String {
    let margin = " ".repeat(columns);
    code.lines()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("{margin}{line}")
            }
        })
        .collect::<Vec<String>>()
        .join("\n")
}
