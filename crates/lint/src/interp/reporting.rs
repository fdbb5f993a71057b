//! What the rules say, and the calls that lead there.

use super::Interp;
use crate::draft::{Draft, Report, Rule};
use crate::project::FileId;
use crate::site::Site;

impl Interp<'_> {
    /// Takes what a rule has to say, once for each line.
    pub(crate) fn report(&mut self, draft: Draft) {
        if self.has_reported(draft.rule, draft.site) {
            return;
        }
        if let Some(report) = self.report_of(draft) {
            self.add(report);
        }
    }

    /// What a rule has to say, with the way that led here, unless nobody wants to hear it.
    pub(crate) fn report_of(&self, draft: Draft) -> Option<Report> {
        // What a test costs lasts as long as the test, and a test may be about just that.
        let is_tests_cost = draft.rule.is_about_cost() && self.project.has_tests(draft.site.file);
        let draft =
            draft.possible_if(self.is_doubtful() || self.expected_failures > 0 || is_tests_cost);
        self.settings
            .wants(draft.rule, draft.confidence)
            .then(|| Report {
                draft,
                function: self.function_name().to_owned(),
                chain: self.chain(),
            })
    }

    /// Takes a report, once for each line.
    pub(crate) fn add(&mut self, report: Report) {
        let key = self.key(report.draft.rule, report.draft.site);
        if self.reported.insert(key) {
            self.reports.push(report);
            self.keys.push(key);
        }
    }

    /// Takes back what was reported since there were so many reports.
    pub(super) fn forget_reports(&mut self, count: usize) {
        self.reports.truncate(count);
        for key in self.keys.drain(count.min(self.keys.len())..) {
            self.reported.remove(&key);
        }
    }

    /// Whether a rule has reported the line of a site.
    pub(crate) fn has_reported(&self, rule: &Rule, site: Site) -> bool {
        self.reported.contains(&self.key(rule, site))
    }

    fn key(&self, rule: &Rule, site: Site) -> (&'static str, FileId, u32) {
        let source = self.project.source(site.file);
        (rule.id, site.file, source.place(site.range.start()).line)
    }

    /// The calls that lead from the beginning of the capture to here, and the beginning itself.
    pub(super) fn chain(&self) -> Vec<(Site, String)> {
        let Some(id) = self.capture().or(self.flow.foreign) else {
            return Vec::new();
        };
        let capture = &self.captures[id.0];
        let mut chain: Vec<_> = self
            .frames
            .iter()
            .skip(capture.depth)
            .filter_map(|frame| Some((frame.call?, format!("`{}` is called here", frame.name))))
            .filter(|(site, _)| *site != capture.site)
            .collect();
        chain.reverse();
        chain.push((capture.site, capture.kind.began().to_owned()));
        chain
    }
}
