//! What a rule says, as data: what is wrong, where, and which kind of repair. It needs no state of the interpreter any more.

/// What the diagnosis says in the same words.
pub(crate) use cgsan_catalogue::says;

use crate::finding::{Basis, Confidence, Finding, Fix, Label, LabelRole};
use crate::project::Project;
use crate::settings::Version;
use crate::site::Site;
use crate::syntax::ast::TextRange;

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
    /// A rule that holds for all versions.
    pub(crate) const fn new(id: &'static str, confidence: Confidence) -> Self {
        Self {
            id,
            confidence,
            since: None,
            until: None,
        }
    }

    /// The same, before a version.
    pub(crate) const fn until(mut self, version: Version) -> Self {
        self.until = Some(version);
        self
    }

    /// The same, from a version on.
    pub(crate) const fn since(mut self, version: Version) -> Self {
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

    pub(crate) fn label(mut self, site: Site, text: impl Into<String>) -> Self {
        self.labels.push((site, text.into()));
        self
    }

    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
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
}

/// What is reported: a draft, and how the program came there.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) draft: Draft,
    /// The function that was followed.
    pub(crate) function: String,
    /// The calls that led there, innermost first, and where the capture began.
    pub(crate) chain: Vec<(Site, String)>,
}

impl Report {
    /// The finding, with what repairs it.
    pub(crate) fn into_finding(self, project: &Project, fix: Option<Fix>) -> Finding {
        let Self {
            draft,
            function,
            chain,
        } = self;
        // What is said of the place itself stands in the title.
        let mut labels: Vec<(Site, String)> = Vec::new();
        for it in draft.labels.into_iter().chain(chain) {
            if it.0 != draft.site && !labels.contains(&it) {
                labels.push(it);
            }
        }
        let label = |(site, text): (Site, String)| Label {
            location: project.location(site, String::new()),
            text,
            role: LabelRole::Secondary,
        };
        Finding {
            id: draft.rule.id,
            title: draft.title,
            confidence: draft.confidence,
            location: Some(project.location(draft.site, function)),
            labels: labels.into_iter().map(label).collect(),
            notes: draft.notes,
            help: draft.help,
            basis: Basis::Source(fix),
        }
    }
}

/// A capture as its source shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Captured {
    /// Where it begins.
    pub(crate) site: Site,
    /// Whether it is one of a graph, and neither of a callable nor of a compiler.
    pub(crate) is_graph: bool,
    /// Whether its mode is written out.
    pub(crate) mode_given: bool,
    /// The `with` statement, if it is one that holds the whole capture.
    pub(crate) statement: Option<TextRange>,
}

/// A kind of repair, and where.
#[derive(Clone, Debug)]
pub(crate) enum Repair {
    /// Reads a device value on the host behind the capture.
    ReadLater(Captured, Site),
    /// Does before the capture what the title says.
    DoEarlier(Captured, Site, &'static str),
    /// Calls something once before the capture.
    WarmUp(Captured, Site),
    /// Runs a collective of the same process group before the capture.
    Communicate(Captured, Site),
    /// Makes a constant tensor before the capture.
    MakeEarlier(Captured, Site),
    /// Allocates pinned memory, made of constants, before the capture.
    PinEarlier(Captured, Site),
    /// Copies from the host before the capture.
    CopyEarlier(Captured, Site),
    /// Writes into the tensor that a name refers to, made at the second site, in place of rebinding the name.
    Refill(Site, Site),
    /// Keeps a copy of what the expression gives.
    Clone(Site),
    /// Keeps a copy of what the assignment stores.
    CloneStored(Site),
    /// Gives the call an argument.
    Pass(Site, Argument),
    /// Lets the capture mind its own thread only.
    ThreadLocal(Captured),
    /// Registers the generator that is drawn from.
    Register(Captured, Site),
    /// Makes a stream part of the capture, and joins it.
    Fork(Captured, Site),
    /// Joins the streams that these calls made part of the capture.
    Join(Captured, Vec<Site>),
    /// Captures on another stream than the default one.
    OwnStream(Site),
    /// Does on a side stream what the statement does on the default one.
    SideStream(Site),
    /// Keeps what a `del` would release.
    Keep(Site),
    /// Keeps the tensor that was made at the site beside the graph of the capture.
    KeepBeside(Captured, Site),
    /// Waits for the device before the statement.
    Wait(Site),
    /// Resets the graph of the capture before the statement.
    Reset(Captured, Site),
    /// Lets the graphs of a loop share a pool.
    SharePool(Captured),
}

/// An argument and the value that it should have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its value, as it is written.
    pub(crate) value: &'static str,
    /// Whether the program means the same with it, but for the repair.
    pub(crate) safe: bool,
}

impl Argument {
    /// One that changes nothing else.
    pub(crate) const fn safe(name: &'static str, value: &'static str) -> Self {
        Self {
            name,
            value,
            safe: true,
        }
    }
}
