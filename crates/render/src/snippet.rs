//! The source lines of a finding, with what happened there.

use std::ops::Range;
use std::path::Path;

use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Snippet};
use cgsan_finding::{Finding, Label, LabelRole, Location};

use crate::source::{Files, Source};
use crate::{Options, facts, text};

/// Columns that are kept free for line numbers, some indentation, and the ellipses of a line that is cut.
const MARGIN: usize = 16;

/// Lines between two places that are shown as one piece of source with a gap.
const FAR: u32 = 500;

/// The labelled places of a finding, one snippet per file, the primary file first. A place whose source cannot be had is
/// named by file and line.
pub fn places(
    finding: &Finding,
    options: &Options,
    files: &mut Files<'_, '_>,
) -> Vec<Element<'static>> {
    of_labels(&labels(finding), options, files)
}

/// A place by itself.
pub fn place(
    location: &Location,
    options: &Options,
    files: &mut Files<'_, '_>,
) -> Vec<Element<'static>> {
    let label = Label {
        location: location.clone(),
        text: String::new(),
        role: LabelRole::Primary,
    };
    of_labels(&[label], options, files)
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
                .observed()
                .and_then(|it| it.call.as_ref())
                .map(facts::call_label)
                .unwrap_or_default(),
            role: LabelRole::Primary,
        });
    }
    labels.sort_by_key(|label| label.role != LabelRole::Primary);
    labels
}

fn of_labels(
    labels: &[Label],
    options: &Options,
    files: &mut Files<'_, '_>,
) -> Vec<Element<'static>> {
    let mut elements = Vec::new();
    for (file, cell) in texts(labels) {
        let of_text: Vec<&Label> = labels
            .iter()
            .filter(|label| text_of(&label.location) == (file, cell))
            .collect();
        elements.extend(text_places(files.get(file), &of_text, options));
    }
    elements
}

/// The texts that labels point into, each once, in the order of the labels.
fn texts(labels: &[Label]) -> Vec<(&Path, Option<u32>)> {
    let mut texts = Vec::new();
    for label in labels {
        let text = text_of(&label.location);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The file of a place, and in a notebook the number of its cell.
fn text_of(location: &Location) -> (&Path, Option<u32>) {
    (&location.file, location.cell.map(|cell| cell.number))
}

fn text_places(source: &Source, labels: &[&Label], options: &Options) -> Vec<Element<'static>> {
    let shown = facts::text_name(&labels[0].location, options);
    let (found, nameless): (Vec<_>, Vec<_>) = labels
        .iter()
        .map(|label| (source.range(&label.location), *label))
        .partition(|(range, _)| range.is_some());
    let found: Vec<Place<'_>> = found
        .into_iter()
        .filter_map(|(range, label)| Some(Place::new(source, range?, label, options.width)))
        .collect();

    let mut elements = Vec::new();
    for near in clusters(found) {
        elements.push(snippet(source, &near, shown.clone(), options.width));
    }
    for (_, label) in nameless {
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

/// A labelled part of a source.
struct Place<'a> {
    label: &'a Label,
    /// Where it is in the source, as far as it can be shown, in bytes.
    range: Range<usize>,
    /// The line on which it begins.
    first: u32,
    /// The line on which it ends.
    last: u32,
}

impl<'a> Place<'a> {
    fn new(source: &Source, range: Range<usize>, label: &'a Label, width: usize) -> Self {
        let first = label.location.line;
        let last = source.line_of(range.end).max(first);
        let room = width.saturating_sub(MARGIN).max(MARGIN);
        let line = source.lines(first, last).trim_end();
        let range = if first == last && columns(line) + MARGIN > width {
            let shown = text::prefix(source.slice(range.clone()), room);
            range.start..range.start + shown.len()
        } else {
            range
        };
        Self {
            label,
            range,
            first,
            last,
        }
    }

    fn kind(&self) -> AnnotationKind {
        match self.label.role {
            LabelRole::Primary => AnnotationKind::Primary,
            LabelRole::Secondary => AnnotationKind::Context,
        }
    }
}

/// The places in groups that are near each other, the first place's group first: what lies between two places is gone through,
/// if only to be left out.
fn clusters(mut places: Vec<Place<'_>>) -> Vec<Vec<Place<'_>>> {
    let Some(first) = places.first().map(|place| place.first) else {
        return Vec::new();
    };
    places.sort_by_key(|place| place.first);
    let mut clusters: Vec<Vec<Place<'_>>> = Vec::new();
    let mut reaches = 0;
    for place in places {
        let is_near = place.first <= reaches + FAR;
        reaches = place.last.max(reaches);
        match clusters.last_mut() {
            Some(cluster) if is_near => cluster.push(place),
            _ => clusters.push(vec![place]),
        }
    }
    clusters.sort_by_key(|cluster| !cluster.iter().any(|place| place.first == first));
    for cluster in &mut clusters {
        cluster.sort_by_key(|place| place.label.role != LabelRole::Primary);
    }
    clusters
}

/// The lines of a source that hold these places.
fn snippet(source: &Source, places: &[Place<'_>], shown: String, width: usize) -> Element<'static> {
    let first = places.iter().map(|place| place.first).min().unwrap_or(1);
    let last = places.iter().map(|place| place.last).max().unwrap_or(1);
    let start = source.offset(first).unwrap_or(0);
    let annotations = annotate(source, places, width)
        .into_iter()
        .map(|(kind, range, label)| {
            let annotation = kind.span(range.start - start..range.end - start);
            annotation.label(label)
        });
    Snippet::source(source.lines(first, last).to_owned())
        .line_start(number(&places[0].label.location, first))
        .path(shown)
        .annotations(annotations.collect::<Vec<Annotation<'static>>>())
        .into()
}

/// The number that a reader gives to a line of the text that `location` is in.
fn number(location: &Location, line: u32) -> usize {
    let before_cell = location.cell.map_or(0, |cell| location.line - cell.line);
    line.saturating_sub(before_cell) as usize
}

/// An underline, and what stands beside it.
type Underline = (AnnotationKind, Range<usize>, Option<String>);

/// Underlines the places and puts each label beside its place, or below it where it would run off the device.
fn annotate(source: &Source, places: &[Place<'_>], width: usize) -> Vec<Underline> {
    let mut underlines = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let is_same = |other: &&Place<'_>| other.range == place.range;
        if places[..index].iter().any(|other| is_same(&other)) {
            continue;
        }
        let alike: Vec<&Place<'_>> = places[index..].iter().filter(is_same).collect();
        if let [place] = alike.as_slice()
            && fits(source, place, places, width)
        {
            let label = &place.label.text;
            let label = (!label.is_empty()).then(|| text::printable(label));
            underlines.push((place.kind(), place.range.clone(), label));
            continue;
        }
        underlines.push((place.kind(), place.range.clone(), None));
        let (at, room) = below(source, place, width);
        for place in alike {
            for line in text::wrap(&place.label.text, room) {
                underlines.push((place.kind(), at..at, Some(line)));
            }
        }
    }
    underlines
}

/// Whether a place's label fits beside it: behind it, or below it where another place follows on the line.
fn fits(source: &Source, place: &Place<'_>, places: &[Place<'_>], width: usize) -> bool {
    let is_last = places
        .iter()
        .filter(|other| other.last == place.last)
        .all(|other| other.range.end <= place.range.end);
    let label = text::width(&place.label.text);
    let used = if is_last {
        columns_before(source, place.range.end) + 1
    } else {
        columns_before(source, place.range.start)
    };
    place.label.text.is_empty() || used + label <= width
}

/// Where a long label stands below its place, and the columns that it has there.
fn below(source: &Source, place: &Place<'_>, width: usize) -> (usize, usize) {
    let at = if place.first == place.last {
        place.range.start
    } else {
        source
            .code(place.last)
            .map_or(place.range.start, |it| it.start)
    };
    // A line that is cut is shown with the place in its middle.
    let before = columns_before(source, at).min(width / 2);
    (at, (width - before).max(MARGIN))
}

/// The columns on the device before an offset, those of the line number included.
fn columns_before(source: &Source, offset: usize) -> usize {
    let line = source.line_of(offset);
    let start = source.offset(line).unwrap_or(offset);
    line.to_string().len() + " | ".len() + columns(source.slice(start..offset))
}

/// The columns of a text, in which a tab is drawn as four.
fn columns(text: &str) -> usize {
    text::width(text) + 3 * text.matches('\t').count()
}
