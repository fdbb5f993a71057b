//! Lines of source with what happened there.

use std::collections::BTreeMap;

use cgsan_finding::{Finding, Label, LabelRole};
use maud::{Markup, html};

use crate::source::{Files, Source};
use crate::{Options, facts, text};

/// How many lines are shown before and after a place.
const AROUND: u32 = 2;
/// How many columns of a line are shown.
const COLUMNS: usize = 300;

/// The labelled places of a finding, a figure for each text that they are in.
pub fn places(finding: &Finding, options: &Options, files: &mut Files<'_, '_>) -> Markup {
    let mut texts: Vec<(String, Vec<Label>)> = Vec::new();
    for label in labels(finding) {
        let name = facts::text_name(&label.location, options);
        match texts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, labels)) => labels.push(label),
            None => texts.push((name, vec![label])),
        }
    }
    html! {
        @for (name, labels) in &texts {
            (figure(name, labels, files.get(&labels[0].location.file)))
        }
    }
}

/// The labels, the place to look at first among them.
fn labels(finding: &Finding) -> Vec<Label> {
    let mut labels = finding.labels.clone();
    let has_primary = labels.iter().any(|it| it.role == LabelRole::Primary);
    if let Some(location) = finding.location.as_ref().filter(|_| !has_primary) {
        let first = Label {
            location: location.clone(),
            text: String::new(),
            role: LabelRole::Primary,
        };
        labels.insert(0, first);
    }
    labels
}

fn figure(name: &str, labels: &[Label], source: &Source) -> Markup {
    let mut by_line: BTreeMap<u32, Vec<&Label>> = BTreeMap::new();
    for label in labels {
        by_line.entry(label.location.line).or_default().push(label);
    }
    // In a notebook, lines count from the beginning of the cell.
    let before = labels[0].location.cell;
    let before = before.map_or(0, |cell| labels[0].location.line.saturating_sub(cell.line));
    let shown = shown(by_line.keys().copied(), source);
    html! {
        figure.source {
            figcaption { (text::printable(name)) }
            pre tabindex="0" role="group" aria-label={ "Source of " (text::printable(name)) } {
                @for (index, line) in shown.iter().enumerate() {
                    @if index > 0 && shown[index - 1] + 1 < *line {
                        span.gap { "⋯\n" }
                    }
                    (one_line(*line, before, source, by_line.get(line).map_or(&[], Vec::as_slice)))
                }
            }
        }
    }
}

/// The lines to show: those of the labels, and what is around them as far as the text goes.
fn shown(labelled: impl Iterator<Item = u32>, source: &Source) -> Vec<u32> {
    let mut lines = Vec::new();
    for line in labelled {
        let first = line.saturating_sub(AROUND).max(1);
        for near in first..=line.saturating_add(AROUND) {
            let is_there = near == line || !source.lines(near, near).is_empty();
            if is_there && lines.last().is_none_or(|last| *last < near) {
                lines.push(near);
            }
        }
    }
    lines
}

fn one_line(line: u32, before: u32, source: &Source, labels: &[&Label]) -> Markup {
    let code = source.lines(line, line).trim_end();
    let code = text::printable(&code.replace('\t', "    "));
    let is_first = labels.iter().any(|it| it.role == LabelRole::Primary);
    let class = match (labels.is_empty(), is_first) {
        (true, _) => "line",
        (false, true) => "line first",
        (false, false) => "line also",
    };
    let indent: String = code.chars().take_while(|it| *it == ' ').collect();
    html! {
        span class=(class) {
            span.number aria-hidden="true" { (line.saturating_sub(before)) }
            @let cut = text::prefix(&code, COLUMNS);
            (cut)
            @if cut.len() < code.len() { "…" }
            "\n"
        }
        @for label in labels.iter().filter(|it| !it.text.is_empty()) {
            span.label.first[label.role == LabelRole::Primary] {
                span.number aria-hidden="true" {}
                span { (indent) "↑ " }
                span.says { (text::printable(&label.text)) "\n" }
            }
        }
    }
}
