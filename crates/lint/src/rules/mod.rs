//! The rules: a file a family. Each is asked by the interpreter at the steps that concern it, and is a ladder of early
//! returns over what is known there.

pub(crate) mod answers;
pub(crate) mod autocast;
pub(crate) mod autograd;
pub(crate) mod capture_aware;
pub(crate) mod checkpoint;
pub(crate) mod compiler;
pub(crate) mod control_flow;
pub(crate) mod copies;
mod counters;
pub(crate) mod finalizers;
pub(crate) mod first_uses;
pub(crate) mod generators;
pub(crate) mod held_numbers;
pub(crate) mod hooks;
pub(crate) mod host_numbers;
pub(crate) mod inputs;
pub(crate) mod kept_graphs;
pub(crate) mod libraries;
pub(crate) mod memory;
pub(crate) mod nesting;
pub(crate) mod notes;
pub(crate) mod optimizers;
pub(crate) mod outputs;
pub(crate) mod pinned;
pub(crate) mod pinned_sources;
pub(crate) mod places;
pub(crate) mod pools;
pub(crate) mod process_groups;
pub(crate) mod queries;
pub(crate) mod random_state;
pub(crate) mod renewed;
pub(crate) mod replay;
pub(crate) mod side_effects;
pub(crate) mod storage;
pub(crate) mod streams;
pub(crate) mod threads;
pub(crate) mod unkept;
pub(crate) mod waits;

use crate::finding::{Confidence, Finding, Fix, Label};
use crate::fixes::Repair;
use crate::project::Project;
use crate::settings::Version;
use crate::site::Site;

/// A rule: which failure mode it finds, how sure it is, and for which versions of PyTorch.
#[derive(Debug)]
pub struct Rule {
    /// The failure mode, e.g. `CG101`.
    pub id: &'static str,
    /// How sure it is where nothing is unknown.
    pub confidence: Confidence,
    /// The first version in which this fails.
    pub since: Option<Version>,
    /// The first version in which this no longer fails.
    pub until: Option<Version>,
}

impl Rule {
    const fn new(id: &'static str, confidence: Confidence) -> Self {
        Self {
            id,
            confidence,
            since: None,
            until: None,
        }
    }

    const fn until(mut self, version: Version) -> Self {
        self.until = Some(version);
        self
    }

    const fn since(mut self, version: Version) -> Self {
        self.since = Some(version);
        self
    }

    /// Whether what it finds costs memory or time only: families 3 and 5 of the catalogue.
    pub(crate) fn is_about_cost(&self) -> bool {
        matches!(self.id.as_bytes().get(2), Some(b'3' | b'5'))
    }

    /// Whether it holds for a version of PyTorch.
    pub fn applies_to(&self, version: Version) -> bool {
        self.since.is_none_or(|it| version >= it) && self.until.is_none_or(|it| version < it)
    }
}

/// All rules, by id.
pub const RULES: &[&Rule] = &[
    &waits::HOST_SYNC,
    &copies::PAGEABLE_COPY,
    &streams::ALLOCATION_OUTSIDE_POOL,
    &pinned::PINNED_ALLOCATION,
    &streams::NOT_FORKED,
    &streams::NOT_REJOINED,
    &streams::UNCAPTURED_WORK,
    &autograd::DEFAULT_STREAM_NODE,
    &autograd::DDP_ON_DEFAULT_STREAM,
    &queries::QUERY,
    &threads::OTHER_THREAD,
    &threads::PINNING_THREAD,
    &libraries::COMMUNICATOR,
    &generators::NOT_REGISTERED,
    &random_state::STATE_TOUCHED,
    &random_state::SEEDED,
    &checkpoint::PRESERVES_RNG,
    &checkpoint::REENTRANT,
    &compiler::COMPILES,
    &libraries::FIRST_USE,
    &nesting::DEFAULT_STREAM,
    &nesting::INSIDE_CAPTURE,
    &nesting::REPLAY_INSIDE,
    &finalizers::DESTROYED,
    &nesting::OTHER_THREAD,
    &nesting::OTHER_STREAM,
    &streams::MERGED,
    &queries::FINISHED_CAPTURE,
    &optimizers::NOT_CAPTURABLE,
    &control_flow::FROZEN_BRANCH,
    &capture_aware::CAPTURE_AWARE,
    &inputs::REBOUND,
    &autocast::CACHE,
    &control_flow::FROZEN_SCALAR,
    &streams::LEFT_OUT,
    &control_flow::FROZEN_SHAPE,
    &pinned_sources::OVERWRITTEN,
    &inputs::FREED,
    &copies::SOURCE_FREED,
    &outputs::NOT_CLONED,
    &side_effects::SKIPPED,
    &hooks::SKIPPED,
    &outputs::GRADIENT_ALIASED,
    &memory::INPUTS_PER_GRAPH,
    &pools::POOL_PER_GRAPH,
    &memory::RECORD_STREAM,
    &process_groups::DESTROYED_FIRST,
    &process_groups::OUTLIVES_GROUP,
    &replay::COPIES_DOMINATE,
    &hooks::DEFERRED,
    &streams::TOO_MANY,
    &compiler::GRAPH_BREAK,
];

/// What a rule has to say.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) rule: &'static Rule,
    pub(crate) site: Site,
    pub(crate) title: String,
    pub(crate) confidence: Confidence,
    pub(crate) labels: Vec<(Site, String)>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Vec<String>,
    pub(crate) repair: Option<Repair>,
}

impl Draft {
    /// That `rule` found this at `site`.
    pub(crate) fn new(rule: &'static Rule, site: Site, title: impl Into<String>) -> Self {
        Self {
            rule,
            site,
            title: title.into(),
            confidence: rule.confidence,
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            repair: None,
        }
    }

    pub(crate) fn label(mut self, site: Site, text: &str) -> Self {
        self.labels.push((site, text.to_owned()));
        self
    }

    pub(crate) fn note(mut self, text: &str) -> Self {
        self.notes.push(text.to_owned());
        self
    }

    pub(crate) fn help(mut self, text: &str) -> Self {
        self.help.push(text.to_owned());
        self
    }

    pub(crate) fn repair(mut self, repair: impl Into<Option<Repair>>) -> Self {
        self.repair = repair.into();
        self
    }

    /// That it is reported on request only, since it depends on something unknown.
    pub(crate) fn possible_if(mut self, unknown: bool) -> Self {
        if unknown {
            self.confidence = Confidence::Possible;
        }
        self
    }

    /// The finding, with the calls that lead to it and what repairs it.
    pub(crate) fn into_finding(
        self,
        project: &Project,
        function: String,
        chain: Vec<(Site, String)>,
        fix: Option<Fix>,
    ) -> Finding {
        // What is said of the place itself stands in the title.
        let mut labels: Vec<(Site, String)> = Vec::new();
        for it in self.labels.into_iter().chain(chain) {
            if it.0 != self.site && !labels.contains(&it) {
                labels.push(it);
            }
        }
        let label = |(site, text): (Site, String)| Label {
            location: project.location(site, String::new()),
            text,
        };
        Finding {
            id: self.rule.id,
            title: self.title,
            confidence: self.confidence,
            location: project.location(self.site, function),
            labels: labels.into_iter().map(label).collect(),
            notes: self.notes,
            help: self.help,
            fix,
        }
    }
}
