//! An entry of the catalogue as text.

use cgsan_catalogue::{
    Basis, Entry, Evidence, Fix, Language, Machine, Probe, Proof, Text, Thread, Version,
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
    let fixes = entry.fixes.iter().map(|fix| page.fix(fix));
    let dead_ends = entry
        .dead_ends
        .iter()
        .map(|dead_end| page.item(words(dead_end.attempt), words(dead_end.reason)));
    let versions = entry
        .versions
        .iter()
        .map(|version| page.item(&range(version), words(version.fact)));
    let sections = [
        Some(page.header(entry)),
        page.prose("What happened", entry.summary),
        page.prose("Why", entry.cause),
        page.prose("How to tell", entry.signal),
        page.section("What to change", fixes, "\n\n"),
        page.section("What does not help", dead_ends, "\n"),
        page.section("Versions", versions, "\n"),
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
    fn header(&self, entry: &Entry) -> String {
        let id = self.painter.error(&format!("{}:", entry.id));
        let title = self.painter.strong(words(entry.title));
        let mut lines = vec![format!("{id} {title}"), format!("name: {}", entry.name)];
        for &code in entry.codes {
            let code = format!("error {}", code_name(code));
            lines.push(text::hang(&code, self.width, 2));
        }
        lines.join("\n")
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
        let title_and_explanation = self.item(words(fix.title), words(fix.explanation));
        let code = match fix.proof {
            Proof::Program(program) => format!("{}\n\n", self.code(program.source, 8)),
            Proof::Untested(_) => String::new(),
        };
        let cost = text::hang(&format!("Cost: {}", words(fix.cost)), self.width, 4);
        format!("{title_and_explanation}\n\n{code}    {cost}")
    }

    /// Code keeps its lines, however long.
    fn code(&self, code: &str, indent: usize) -> String {
        let line = |line: &str| match line {
            "" => String::new(),
            line => format!("{}{}", " ".repeat(indent), self.painter.note(line)),
        };
        code.lines().map(line).collect::<Vec<String>>().join("\n")
    }

    /// A heading with what is to be said about it.
    fn item(&self, heading: &str, body: &str) -> String {
        let heading = self.painter.strong(&text::hang(heading, self.width, 4));
        format!("  * {heading}\n    {}", text::hang(body, self.width, 4))
    }

    fn evidence(&self, entry: &Entry) -> Option<String> {
        let cases = entry.evidence.iter().map(|evidence| {
            let heading = format!("{}: {}", evidence.case, words(evidence.shows));
            self.item(&heading, &outcome(evidence))
        });
        let probes = entry
            .probes
            .iter()
            .map(|probe| self.item(&conditions(probe), &answer(probe)));
        let measured = format!("Measured on {}", Machine::H100.name());
        let heading = text::hang(&measured, self.width, 0);
        self.section(&heading, cases.chain(probes), "\n")
    }

    fn neighbours(&self, entry: &Entry) -> Option<String> {
        let neighbours = entry
            .related
            .iter()
            .filter_map(|id| cgsan_catalogue::entry(id))
            .map(|entry| format!("{}: {}", entry.id, words(entry.title)))
            .map(|line| format!("  * {}", text::hang(&line, self.width, 4)));
        self.section("See also", neighbours, "\n")
    }
}

fn words(text: Text) -> &'static str {
    text.in_language(Language::English)
}

/// The versions that a fact holds for, and how it is known.
fn range(version: &Version) -> String {
    let product = version.product.name();
    match (version.basis, version.from, version.until) {
        (Basis::Measured, Some(measured), _) => format!("{product} {measured}, measured"),
        (Basis::Documented, Some(from), Some(until)) => {
            format!("{product} {from} up to, not including, {until}")
        }
        (Basis::Documented, Some(from), None) => format!("{product} {from} and later"),
        (_, None, Some(until)) => format!("{product} before {until}"),
        (_, None, None) => product.to_owned(),
    }
}

fn outcome(evidence: &Evidence) -> String {
    let end = match evidence.exception {
        Some(exception) => format!("{}: {}", exception.type_name, exception.message),
        None => "ran to its end".to_owned(),
    };
    match evidence.refused {
        Some(call) => format!(
            "{end} (first refused call: `{}`, {})",
            call.function, call.code
        ),
        None => end,
    }
}

/// What was called under which circumstances.
fn conditions(probe: &Probe) -> String {
    let thread = match probe.thread {
        Thread::Capturing => "the capturing thread",
        Thread::Other => "another thread",
    };
    let mode = probe.mode.name();
    format!("`{}` by {thread}, mode `{mode}`", probe.call)
}

fn answer(probe: &Probe) -> String {
    let Probe { code, end, .. } = probe;
    format!("returned {code}; the end of the capture returned {end}")
}

fn code_name(code: i32) -> String {
    match Code(code).runtime_name().zip(Code(code).text()) {
        Some((name, text)) => format!("{code} {name}: {text}"),
        None => code.to_string(),
    }
}
