//! The source lines of a finding, with what happened there.

use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Snippet};
use cgsan_diagnose::{Finding, Label, LabelRole};

use crate::{Options, Sources, facts, path, text};

/// The labelled places of a finding, one snippet a file, the primary file first. A place whose source cannot be had is
/// named by file and line.
pub fn places(
    finding: &Finding,
    options: &Options,
    sources: &mut Sources<'_>,
) -> Vec<Element<'static>> {
    let labels = labels(finding);
    let mut elements = Vec::new();
    for file in files(&labels) {
        let of_file: Vec<&Label> = labels
            .iter()
            .filter(|label| label.location.file == file)
            .collect();
        let source = sources(file).unwrap_or_default();
        elements.extend(file_places(file, &source, &of_file, options));
    }
    elements
}

/// The labels of a finding, among them one for its location, primary ones first.
fn labels(finding: &Finding) -> Vec<Label> {
    let mut labels = finding.labels.clone();
    if let Some(location) = &finding.location
        && !labels.iter().any(|label| label.role == LabelRole::Primary)
    {
        labels.push(Label {
            location: location.clone(),
            text: finding
                .call
                .as_ref()
                .map(facts::call_label)
                .unwrap_or_default(),
            role: LabelRole::Primary,
        });
    }
    labels.sort_by_key(|label| label.role != LabelRole::Primary);
    labels
}

/// The files of the labels, each once, in their order.
fn files(labels: &[Label]) -> Vec<&str> {
    let mut files: Vec<&str> = Vec::new();
    for label in labels {
        if !files.contains(&label.location.file.as_str()) {
            files.push(&label.location.file);
        }
    }
    files
}

fn file_places(
    file: &str,
    source: &str,
    labels: &[&Label],
    options: &Options,
) -> Vec<Element<'static>> {
    let shown = path::shorten(file, options.directory.as_deref());
    let mut annotations = Vec::new();
    let mut nameless = Vec::new();
    for line in lines_of(labels) {
        let on_line: Vec<&Label> = labels
            .iter()
            .copied()
            .filter(|label| label.location.line == line)
            .collect();
        match code_of_line(source, line, options.width) {
            Some(code) => annotations.extend(annotate(&code, &on_line, options.width)),
            None => nameless.extend(on_line),
        }
    }

    let mut elements = Vec::new();
    if !annotations.is_empty() {
        let snippet = Snippet::source(source.to_owned()).path(shown.clone());
        elements.push(snippet.annotations(annotations).into());
    }
    for label in nameless {
        let line = label.location.line;
        let (name, words) = match label.role {
            LabelRole::Primary => {
                let origin = Origin::path(shown.clone()).line(line as usize);
                elements.push(origin.into());
                ("here", label.text.clone())
            }
            LabelRole::Secondary => ("at", format!("{shown}:{line}: {}", label.text)),
        };
        if !label.text.is_empty() {
            let room = options.prose_width().saturating_sub(MARGIN);
            let message = text::wrap(&words, room).join("\n");
            elements.push(Level::NOTE.with_name(name).message(message).into());
        }
    }
    elements
}

/// The labelled lines, each once, in the order of the labels.
fn lines_of(labels: &[&Label]) -> Vec<u32> {
    let mut lines = Vec::new();
    for label in labels {
        if !lines.contains(&label.location.line) {
            lines.push(label.location.line);
        }
    }
    lines
}

/// The code of a line, without its indentation, as far as it can be shown.
struct Code {
    /// Where it begins in the source, in bytes.
    start: usize,
    /// Where it ends in the source, in bytes.
    end: usize,
    /// The columns up to its end, with the margin that holds the line numbers.
    columns: usize,
}

/// The code of a line of a source; `None` if the source has no such line, or nothing is on it.
fn code_of_line(source: &str, line: u32, width: usize) -> Option<Code> {
    let index = (line as usize).checked_sub(1)?;
    let text = source.split_inclusive('\n').nth(index)?;
    let line_start: usize = source.split_inclusive('\n').take(index).map(str::len).sum();
    let code = text.trim();
    if code.is_empty() {
        return None;
    }
    let start = line_start + text.len() - text.trim_start().len();
    let tabs = text.matches('\t').count();
    // A tab is drawn as four columns.
    let columns = line.to_string().len() + 3 + text::width(text.trim_end()) + 3 * tabs;
    let shown = if columns <= width {
        code
    } else {
        text::prefix(code, width.saturating_sub(MARGIN).max(MARGIN))
    };
    Some(Code {
        start,
        end: start + shown.len(),
        columns,
    })
}

/// Underlines the code of a line and puts its labels after it, or below it where they would run off the device.
fn annotate(code: &Code, labels: &[&Label], width: usize) -> Vec<Annotation<'static>> {
    let kind = |label: &Label| match label.role {
        LabelRole::Primary => AnnotationKind::Primary,
        LabelRole::Secondary => AnnotationKind::Context,
    };
    let underline = kind(labels[0]).span(code.start..code.end);
    if let [label] = labels
        && code.columns + 1 + text::width(&label.text) <= width
    {
        let text = (!label.text.is_empty()).then(|| text::printable(&label.text));
        return vec![underline.label(text)];
    }
    let mut annotations = vec![underline];
    for label in labels {
        for line in text::wrap(&label.text, width.saturating_sub(MARGIN).max(MARGIN)) {
            annotations.push(kind(label).span(code.start..code.start).label(line));
        }
    }
    annotations
}

/// Columns that are kept free for line numbers, some indentation, and the ellipses of a line that is cut.
const MARGIN: usize = 16;
