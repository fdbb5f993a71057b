//! Learns from reports of which it is known what they are about.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use cgsan_catalogue::{Entry, Language, Text, entries};

use super::features::Features;
use super::fit::{Classes, Sample, fit};
use super::table::{BESIDE, written};
use crate::reading::Reading;
use crate::scan::{ReadError, patterns};

/// A report, and what is right to say of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The title, and below it the text.
    pub text: String,
    /// Ids of entries that are as right as each other, `none`, or one of `open-900` (a capture fails), `open-wrong`,
    /// `open-memory`, `open-hang`, `open-slow`, `open-910` (an update), where it leaves open which entry of the chapter it is.
    pub right: Vec<String>,
}

/// What a report may be said to be whose cause is open, and how the entries begin that it may be about.
const OPEN: [(&str, &str); 6] = [
    ("open-900", "CG1"),
    ("open-wrong", "CG2"),
    ("open-memory", "CG3"),
    ("open-hang", "CG4"),
    ("open-slow", "CG5"),
    ("open-910", "CG6"),
];

/// The reports that must have a feature, lest it be learned by heart.
const HOLDERS: usize = 3;

/// The prices of weights.
const PRICE_OF_ENTRIES: f32 = 0.1;
const PRICE_OF_GRAPHS: f32 = 0.3;

/// Why nothing is learned.
#[derive(Debug)]
pub enum LearnError {
    /// What is said to be right is none of what may be.
    Unknown(String),
    /// The report with this title is no text.
    Unreadable(String, ReadError),
}

impl fmt::Display for LearnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LearnError::Unknown(right) => write!(
                f,
                "`{right}` is not an id of the catalogue, nor `none` or one of the `open-…`; correct it in crates/explain/reports"
            ),
            LearnError::Unreadable(title, _) => {
                write!(
                    f,
                    "the report `{title}` of crates/explain/reports is no text"
                )
            }
        }
    }
}

impl std::error::Error for LearnError {}

/// Learns from the reports, and from what the entries say. The answer is the table of `crates/explain/learned.tsv`.
///
/// # Errors
///
/// If what is right of a report is none of what may be, or a report is no text.
pub fn learn(reports: &[Report]) -> Result<String, LearnError> {
    let features = reports.iter().map(of_report);
    let mut features = features.collect::<Result<Vec<Features>, _>>()?;
    let descriptions = entries().iter().map(description);
    features.extend(descriptions.map(|text| Features::of_text(&text)));
    let known = known(&features);
    let known_names = known.iter().enumerate();
    let numbers: HashMap<&str, (usize, f32)> = known_names
        .map(|(number, (name, rarity))| (*name, (number, *rarity)))
        .collect();
    let sample = |features: &Features, classes, weight| Sample {
        vector: features.vector(|name| numbers.get(name).copied()),
        classes,
        weight,
    };
    let mut of_entries = Vec::new();
    let mut of_graphs = Vec::new();
    let (of_reports, of_descriptions) = features.split_at(reports.len());
    for (report, features) in reports.iter().zip(of_reports) {
        let right = Right::of(report)?;
        if let Some(classes) = right.classes {
            of_entries.push(sample(features, classes, 1.0));
        }
        for (class, weight) in [1.0 - right.beside, right.beside].into_iter().enumerate() {
            of_graphs.push(sample(features, Classes::Each(vec![class]), weight));
        }
    }
    for (number, features) in of_descriptions.iter().enumerate() {
        of_entries.push(sample(features, Classes::Each(vec![number]), 1.0));
    }
    let of_entries = fit(&of_entries, known.len(), entries().len(), PRICE_OF_ENTRIES);
    let of_graphs = fit(&of_graphs, known.len(), 2, PRICE_OF_GRAPHS);
    Ok(written(&known, &of_entries, &of_graphs))
}

fn of_report(report: &Report) -> Result<Features, LearnError> {
    let explanation = patterns(&report.text).map_err(|error| {
        let title = report.text.lines().next().unwrap_or_default();
        LearnError::Unreadable(title.to_owned(), error)
    })?;
    Ok(Features::of(&Reading::of(&explanation)))
}

/// The features that enough texts have, and how rare each is.
fn known(features: &[Features]) -> Vec<(&str, f32)> {
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for name in features.iter().flat_map(Features::names) {
        *holders.entry(name).or_default() += 1;
    }
    #[allow(clippy::cast_precision_loss, reason = "there are few reports")]
    let rarity = |with: usize| ((1 + features.len()) as f32 / (1 + with) as f32).ln() + 1.0;
    let enough = holders.into_iter().filter(|(_, with)| *with >= HOLDERS);
    enough.map(|(name, with)| (name, rarity(with))).collect()
}

/// What is right to say of a report.
struct Right {
    /// The entries, if it may be about any.
    classes: Option<Classes>,
    /// How right it is to say that it is no failure of a graph, from 0 to 1.
    beside: f32,
}

impl Right {
    fn of(report: &Report) -> Result<Self, LearnError> {
        let mut each = Vec::new();
        let mut one_of = Vec::new();
        let mut beside = 0.0;
        for right in &report.right {
            let open = OPEN.iter().find(|(open, _)| open == right);
            if right == BESIDE {
                beside += 1.0;
            } else if let Some((_, chapter)) = open {
                let all = entries().iter().enumerate();
                let of_chapter = all.filter(|(_, entry)| entry.id.starts_with(chapter));
                one_of.extend(of_chapter.map(|(number, _)| number));
            } else {
                let number = entries().iter().position(|entry| entry.id == right);
                each.push(number.ok_or_else(|| LearnError::Unknown(right.clone()))?);
            }
        }
        let classes = if !each.is_empty() {
            Some(Classes::Each(each))
        } else if !one_of.is_empty() {
            Some(Classes::OneOf(one_of))
        } else {
            None
        };
        #[allow(clippy::cast_precision_loss, reason = "a report has few")]
        let all = report.right.len().max(1) as f32;
        Ok(Right {
            classes,
            beside: beside / all,
        })
    }
}

/// Whether an answer is right: the id of an entry, or none.
pub fn is_right(report: &Report, answer: Option<&str>) -> bool {
    report.right.iter().any(|right| match answer {
        None => right == BESIDE,
        Some(id) => {
            let open = OPEN.iter().find(|(open, _)| open == right);
            right == id || open.is_some_and(|(_, chapter)| id.starts_with(chapter))
        }
    })
}

/// What an entry says, in the words of its author.
fn description(entry: &Entry) -> String {
    let mut description = String::new();
    let mut add = |text: Text| {
        for language in [Language::English, Language::Chinese] {
            description.push_str(text.in_language(language));
            description.push('\n');
        }
    };
    for text in [
        entry.title,
        entry.summary,
        entry.cause,
        entry.signal,
        entry.question,
    ] {
        add(text);
    }
    for fix in entry.fixes {
        add(fix.title);
        add(fix.explanation);
    }
    for dead_end in entry.dead_ends {
        add(dead_end.attempt);
        add(dead_end.reason);
    }
    description + entry.name + "\n" + entry.words + "\n" + entry.words
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::*;

    fn report(text: &str, right: &[&str]) -> Report {
        Report {
            text: text.to_owned(),
            right: right.iter().map(|right| (*right).to_owned()).collect(),
        }
    }

    #[test]
    fn what_reports_say_is_learned() {
        let mut reports = Vec::new();
        for place in ["here", "there", "everywhere", "somewhere"] {
            let text = format!("a zebra runs in the graph\n{place}");
            reports.push(report(&text, &["CG401"]));
            let text = format!("a cuckoo sings beside the graph\n{place}");
            reports.push(report(&text, &["none"]));
            let text = format!("a badger sleeps in the graph\n{place}");
            reports.push(report(&text, &["open-memory"]));
        }
        reports.push(report("twice", &["none"]));
        reports.push(report("twice", &["none"]));
        let written = learn(&reports).unwrap();
        let table = Table::read(&written);
        let say = |text: &str| table.say(&of_report(&report(text, &[])).unwrap());
        let share = |text: &str, chapter: &str| -> f32 {
            let learned = say(text);
            let chapter = entries()
                .iter()
                .filter(|entry| entry.id.starts_with(chapter));
            chapter.map(|entry| learned.share(entry)).sum()
        };
        assert!(share("a zebra runs", "CG401") > 0.5);
        assert!(share("a badger sleeps", "CG3") > 0.5);
        assert!(say("a cuckoo sings").beside > say("a zebra runs").beside + 1.0);
        // Three reports have each place, one word is in two only.
        assert!(written.contains("\nsomewher\t"));
        assert!(!written.contains("\ntwice\t"));
    }

    #[test]
    fn what_cannot_be_learned_is_named() {
        let unknown = learn(&[report("a text", &["CG999"])]).unwrap_err();
        assert!(unknown.to_string().starts_with("`CG999` is not an id"));
        let empty = learn(&[report(" ", &["none"])]).unwrap_err();
        assert!(matches!(empty, LearnError::Unreadable(_, ReadError::Empty)));
    }

    #[test]
    fn an_answer_is_right_if_it_is_among_those_that_are() {
        let open = report("", &["open-hang", "none"]);
        assert!(is_right(&open, Some("CG403")) && is_right(&open, None));
        assert!(!is_right(&open, Some("CG203")));
        assert!(!is_right(&report("", &["CG203"]), None));
    }
}
