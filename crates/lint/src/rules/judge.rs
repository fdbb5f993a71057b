//! What a rule has at hand.

use std::collections::BTreeSet;
use std::ops::Deref;

use super::notes::Notes;
use crate::draft::{Captured, Draft, Report, Rule};
use crate::finding::Confidence;
use crate::project::FileId;
use crate::site::Site;
use crate::torch::Interp;
use crate::torch::state::capture::{CaptureId, CaptureKind};

/// What is known of the program, which a rule can only read; what the rules have noted; and what they have reported.
#[derive(Debug)]
pub(super) struct Judge<'a, 'p> {
    pub(super) state: &'a Interp<'p>,
    pub(super) notes: &'a mut Notes,
    pub(super) reports: &'a mut Reports,
}

impl<'p> Deref for Judge<'_, 'p> {
    type Target = Interp<'p>;

    fn deref(&self) -> &Interp<'p> {
        self.state
    }
}

impl Judge<'_, '_> {
    /// Takes what a rule has to say, once for each line.
    pub(super) fn report(&mut self, draft: Draft) {
        if self.has_reported(draft.rule, draft.site) {
            return;
        }
        if let Some(report) = self.report_of(draft) {
            self.add(report);
        }
    }

    /// What a rule has to say, with the way that led here, unless nobody wants to hear it.
    pub(super) fn report_of(&self, draft: Draft) -> Option<Report> {
        // What a test costs lasts as long as the test, and a test may be about just that.
        let is_tests_cost = draft.rule.is_about_cost() && self.project.has_tests(draft.site.file);
        let draft = draft.possible_if(self.is_doubtful() || self.is_to_fail() || is_tests_cost);
        let is_wanted =
            draft.rule.applies_to(self.settings.torch) && self.settings.wants(draft.confidence);
        is_wanted.then(|| Report {
            draft,
            function: self.function_name().to_owned(),
            chain: self.chain(),
        })
    }

    /// Takes a report, once for each line.
    pub(super) fn add(&mut self, report: Report) {
        let key = self.key(report.draft.rule, report.draft.site);
        self.reports.add(key, report);
    }

    /// Takes a report, also where its line was reported as possible only.
    pub(super) fn confirm(&mut self, report: Report) {
        let key = self.key(report.draft.rule, report.draft.site);
        let is_weaker = |it: &&mut Report| it.draft.confidence == Confidence::Possible;
        let mut all = self.reports.all.iter_mut();
        match all.find(|(it, _)| *it == key) {
            Some((_, known)) => {
                if let Some(known) = known.as_mut().filter(is_weaker) {
                    *known = report;
                }
            }
            None => self.reports.add(key, report),
        }
    }

    /// That what a rule has reported of a site depends on something unknown.
    pub(super) fn weaken(&mut self, rule: &Rule, site: Site) {
        let key = self.key(rule, site);
        let is_wanted = self.settings.wants(Confidence::Possible);
        let mut all = self.reports.all.iter_mut();
        let Some((_, report)) = all.find(|(it, _)| *it == key) else {
            return;
        };
        match report {
            Some(report) if is_wanted => report.draft.confidence = Confidence::Possible,
            _ => *report = None,
        }
    }

    /// Whether a rule has reported the line of a site.
    pub(super) fn has_reported(&self, rule: &Rule, site: Site) -> bool {
        self.reports.keys.contains(&self.key(rule, site))
    }

    /// A capture as its source shows it.
    pub(super) fn shown(&self, id: CaptureId) -> Captured {
        let capture = &self.library.captures[id.0];
        Captured {
            site: capture.site,
            is_graph: capture.kind == CaptureKind::Graph,
            mode_given: capture.mode_given,
            statement: capture.statement.map(|it| it.range),
        }
    }

    fn key(&self, rule: &Rule, site: Site) -> Key {
        let source = self.project.source(site.file);
        (rule.id, site.file, source.place(site.range.start()).line)
    }
}

/// An id, and the line that it is reported of.
type Key = (&'static str, FileId, u32);

/// What was reported, once for each id and line.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// In order; those that are not wanted any more are gone.
    all: Vec<(Key, Option<Report>)>,
    keys: BTreeSet<Key>,
}

impl Reports {
    fn add(&mut self, key: Key, report: Report) {
        if self.keys.insert(key) {
            self.all.push((key, Some(report)));
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Takes back those since there were so many.
    pub(super) fn forget_since(&mut self, count: usize) {
        for (key, _) in self.all.drain(count.min(self.all.len())..) {
            self.keys.remove(&key);
        }
    }

    pub(super) fn into_all(self) -> Vec<Report> {
        self.all
            .into_iter()
            .filter_map(|(_, report)| report)
            .collect()
    }
}
