//! Findings of an earlier run: which of a run's are new since then, and which are gone.

use std::path::Path;

use cgsan_finding::{Finding, LeftOut, Location, Reason};
use serde::Deserialize;

use crate::left_out::Split;

/// The findings of an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    findings: Vec<EarlierFinding>,
}

/// A finding of an earlier run. It is the same as a later one by its id, the name of its file and the function: lines may have
/// moved, and the program may lie elsewhere. Two in one function are told apart by their lines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EarlierFinding {
    /// The failure mode.
    pub id: String,
    /// One line that says what happened.
    pub title: String,
    location: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Place {
    file: String,
    line: u32,
    function: String,
}

/// What a report in JSON has of use here.
#[derive(Deserialize)]
struct Shape {
    version: u32,
    findings: Vec<EarlierFinding>,
    left_out: Vec<Left>,
}

#[derive(Deserialize)]
struct Left {
    finding: EarlierFinding,
}

/// The version of the JSON report.
const VERSION: u32 = 1;

impl Earlier {
    /// Those of a report.
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let findings = findings.into_iter().map(EarlierFinding::of).collect();
        Self { findings }
    }

    /// Those of a report that was written as JSON, with those that it left out.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let shape: Shape = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if shape.version != VERSION {
            return Err(format!(
                "it has version {}, and this cgsan reads {VERSION}",
                shape.version
            ));
        }
        let left_out = shape.left_out.into_iter().map(|it| it.finding);
        Ok(Self {
            findings: shape.findings.into_iter().chain(left_out).collect(),
        })
    }

    /// Leaves out what was there before, in the run that `by` names. Gives what is gone: what was there and is not any more.
    pub fn leave_out(mut self, split: &mut Split, by: &Path) -> Vec<EarlierFinding> {
        // Lines decide first, so that of several in one function the new one is the one that is reported.
        let now: Vec<EarlierFinding> = split.findings.iter().map(EarlierFinding::of).collect();
        let mut is_known = vec![false; now.len()];
        for same in [EarlierFinding::is_at, EarlierFinding::is_of] {
            for (finding, is_known) in now.iter().zip(&mut is_known) {
                *is_known = *is_known || self.takes(|it| same(it, finding));
            }
        }
        // What was found is not gone because something else leaves it out now.
        for left_out in &split.left_out {
            let finding = EarlierFinding::of(&left_out.finding);
            self.takes(|it| it.is_of(&finding));
        }
        let found = std::mem::take(&mut split.findings);
        for (finding, is_known) in found.into_iter().zip(is_known) {
            if is_known {
                let by = Reason::Earlier(by.to_owned());
                split.left_out.push(LeftOut { finding, by });
            } else {
                split.findings.push(finding);
            }
        }
        self.findings
    }

    /// Takes the first finding of which `is` holds, if there is one.
    fn takes(&mut self, is: impl Fn(&EarlierFinding) -> bool) -> bool {
        match self.findings.iter().position(is) {
            Some(place) => {
                self.findings.remove(place);
                true
            }
            None => false,
        }
    }
}

impl EarlierFinding {
    fn of(finding: &Finding) -> Self {
        let place = |location: &Location| Place {
            file: location.file_name(),
            line: location.line,
            function: location.function.clone(),
        };
        Self {
            id: finding.id.to_owned(),
            title: finding.title.clone(),
            location: finding.location.as_ref().map(place),
        }
    }

    /// The finding in a sentence: `CG101 at train.py:7: a value is read`.
    pub fn in_words(&self) -> String {
        let place = self.location.as_ref().map(|it| {
            let place = Location {
                file: it.file.clone().into(),
                line: it.line,
                ..Location::default()
            };
            format!(" at {}", place.short())
        });
        format!("{}{}: {}", self.id, place.unwrap_or_default(), self.title)
    }

    fn is_at(&self, other: &Self) -> bool {
        let line = |it: &Self| it.location.as_ref().map(|it| it.line);
        self.is_of(other) && line(self) == line(other)
    }

    fn is_of(&self, other: &Self) -> bool {
        let is_there = match (&self.location, &other.location) {
            (Some(one), Some(two)) => {
                one.function == two.function && name_of(&one.file) == name_of(&two.file)
            }
            (None, None) => self.title == other.title,
            _ => false,
        };
        is_there && self.id == other.id
    }
}

fn name_of(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use cgsan_finding::{Basis, Confidence};

    use super::*;

    fn finding(file: &str, line: u32, function: &str) -> Finding {
        Finding {
            id: "CG101",
            title: format!("line {line}"),
            confidence: Confidence::Confirmed,
            location: Some(Location {
                file: file.into(),
                line,
                function: function.to_owned(),
                ..Location::default()
            }),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            basis: Basis::Source(None),
        }
    }

    /// The titles of what is new and of what is gone.
    fn compared(before: &[Finding], now: &[Finding]) -> (Vec<String>, Vec<String>) {
        let mut split = Split {
            findings: now.to_vec(),
            left_out: Vec::new(),
        };
        let gone = Earlier::of(before).leave_out(&mut split, Path::new("yesterday"));
        assert_eq!(split.findings.len() + split.left_out.len(), now.len());
        let new = split.findings.into_iter().map(|it| it.title);
        (new.collect(), gone.into_iter().map(|it| it.title).collect())
    }

    #[test]
    fn what_moved_is_not_new() {
        let before = [finding("/old/a.py", 7, "step")];
        assert_eq!(
            compared(&before, &[finding("/new/a.py", 70, "step")]),
            (vec![], vec![])
        );
        let other = [finding("/old/a.py", 7, "other")];
        let told = compared(&before, &other);
        assert_eq!(told, (vec!["line 7".to_owned()], vec!["line 7".to_owned()]));
    }

    #[test]
    fn of_several_in_one_function_the_one_at_another_line_is_new() {
        let before = [finding("a.py", 7, "step"), finding("a.py", 9, "step")];
        let now = [5, 7, 9].map(|line| finding("a.py", line, "step"));
        assert_eq!(compared(&before, &now), (vec!["line 5".to_owned()], vec![]));
        assert_eq!(compared(&now, &before), (vec![], vec!["line 5".to_owned()]));
    }

    #[test]
    fn what_a_report_left_out_was_there() {
        let text = r#"{"version": 1, "findings": [], "left_out": [{"by": "x", "finding":
            {"id": "CG101", "title": "t", "location": {"file": "/x/a.py", "line": 3, "function": "step", "column": null}}}]}"#;
        let earlier = Earlier::from_json(text).expect("a report");
        assert_eq!(earlier.findings[0].in_words(), "CG101 at a.py:3: t");
        assert!(Earlier::from_json("{}").is_err());
        let later = text.replace("\"version\": 1", "\"version\": 9");
        assert!(
            Earlier::from_json(&later)
                .expect_err("later")
                .contains("version 9")
        );
    }
}
