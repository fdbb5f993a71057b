//! What the rules say, and the calls that lead there.

use super::Interp;
use crate::finding::Finding;
use crate::fixes;
use crate::rules::{Draft, Rule};
use crate::site::Site;

impl Interp<'_> {
    /// Takes what a rule has to say, once for each line.
    pub(crate) fn report(&mut self, draft: Draft) {
        let site = draft.site;
        if self.has_reported(draft.rule, site) {
            return;
        }
        if let Some(finding) = self.finding(draft) {
            self.add(finding, site);
        }
    }

    /// What a rule has to say, unless nobody wants to hear it.
    pub(crate) fn finding(&self, draft: Draft) -> Option<Finding> {
        // What a test costs lasts as long as the test, and a test may be about just that.
        let is_tests_cost = draft.rule.is_about_cost() && self.project.has_tests(draft.site.file);
        let mut draft =
            draft.possible_if(self.is_doubtful() || self.expected_failures > 0 || is_tests_cost);
        if !self.settings.wants(draft.rule, draft.confidence) {
            return None;
        }
        let chain = self.chain();
        let function = self.function_name().to_owned();
        let repair = draft.repair.take().filter(|_| self.may_repair(draft.site));
        let fix = repair.and_then(|it| fixes::worked_out(self, it));
        Some(draft.into_finding(self.project, function, chain, fix))
    }

    /// Takes a finding, once for each line.
    pub(crate) fn add(&mut self, finding: Finding, site: Site) {
        let line = finding.location.start.line;
        let key = (finding.id, site.file, line);
        if self.reported.insert(key) {
            self.findings.push(finding);
            self.keys.push(key);
        }
    }

    /// Takes back what was found since there were so many findings.
    pub(super) fn forget_findings(&mut self, count: usize) {
        self.findings.truncate(count);
        for key in self.keys.drain(count.min(self.keys.len())..) {
            self.reported.remove(&key);
        }
    }

    /// Whether a rule has reported the line of a site.
    pub(crate) fn has_reported(&self, rule: &Rule, site: Site) -> bool {
        let line = self
            .project
            .source(site.file)
            .place(site.range.start())
            .line;
        self.reported.contains(&(rule.id, site.file, line))
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
