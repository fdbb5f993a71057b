//! A summary as it is written. What is known by all of them is left out: findings are of the process that the summary is of.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cgsan_finding::{
    Basis, CallInfo, CaptureInfo, Confidence, Consequence, Coverage, Finding, Label, Location,
    Note, Observed, Process, StandingThread, ThreadInfo,
};
use cgsan_trace::{ProcessInfo, Rank};
use serde::{Deserialize, Serialize};

use super::text::Unreadable;
use super::{Found, Summary};
use crate::{process, ranks};

/// The modes of captures, as PyTorch names them.
const MODES: [&str; 3] = ["global", "thread_local", "relaxed"];

/// A summary.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireSummary {
    process: ProcessInfo,
    #[serde(default)]
    rank: Option<Rank>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forked: Vec<u32>,
    #[serde(default)]
    found: Option<WireFound>,
}

/// As much of a summary as says which process it is of.
#[derive(Debug, Deserialize)]
pub(super) struct WireProcess {
    pub(super) process: ProcessInfo,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
struct WireFound {
    findings: Vec<WireFinding>,
    notes: Vec<Note>,
    unless_forked: Option<Note>,
    coverage: Coverage,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<ranks::Wire>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    cells: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lines: BTreeMap<String, BTreeMap<u32, String>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireFinding {
    id: String,
    title: String,
    confidence: Confidence,
    location: Option<Location>,
    labels: Vec<Label>,
    notes: Vec<String>,
    help: Vec<String>,
    call: Option<CallInfo>,
    thread: Option<ThreadInfo>,
    capture: Option<WireCapture>,
    consequences: Vec<WireConsequence>,
    stack: Vec<Location>,
    native_stack: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    standing: Vec<StandingThread>,
    of_replays: bool,
    count: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireCapture {
    file: Option<String>,
    line: Option<u32>,
    mode: String,
    stream: String,
    thread: ThreadInfo,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireConsequence {
    id: Option<String>,
    text: String,
    location: Option<Location>,
}

impl Summary {
    pub(super) fn to_wire(&self) -> WireSummary {
        WireSummary {
            process: self.info.clone(),
            rank: self.process.rank.map(|rank| Rank {
                rank,
                local_rank: self.process.local_rank,
                world_size: self.process.world_size,
            }),
            forked: self.forked.clone(),
            found: self.found.as_deref().map(Found::to_wire),
        }
    }
}

impl WireSummary {
    pub(super) fn read(self) -> Result<Summary, Unreadable> {
        let process = process::known_by(&self.process, self.rank, 1);
        let found = self.found.map(|it| it.read(&process)).transpose()?;
        Ok(Summary {
            info: self.process,
            process,
            forked: self.forked,
            found: found.map(Box::new),
        })
    }
}

impl Found {
    fn to_wire(&self) -> WireFound {
        let lines = self.lines.iter();
        WireFound {
            findings: self.findings.iter().filter_map(finding_to_wire).collect(),
            notes: self.notes.clone(),
            unless_forked: self.unless_forked.clone(),
            coverage: self.coverage.clone(),
            ranks: self.rank.as_ref().map(ranks::OfRank::to_wire),
            cells: self.cells.clone(),
            lines: lines
                .map(|(file, lines)| (file.to_string_lossy().into_owned(), lines.clone()))
                .collect(),
        }
    }
}

impl WireFound {
    fn read(self, process: &Process) -> Result<Found, Unreadable> {
        let findings = self.findings.into_iter().map(|it| it.read(process));
        let rank = self.ranks.map(|it| it.read(process)).transpose();
        Ok(Found {
            findings: findings.collect::<Result<_, Unreadable>>()?,
            notes: self.notes,
            unless_forked: self.unless_forked,
            coverage: self.coverage,
            memory: None,
            graphs: Vec::new(),
            rank: rank.map_err(Unreadable::of_ranks)?,
            cells: self.cells,
            lines: self
                .lines
                .into_iter()
                .map(|(file, lines)| (PathBuf::from(file), lines))
                .collect(),
        })
    }
}

/// A finding of a program that ran; `None` for one of source.
fn finding_to_wire(finding: &Finding) -> Option<WireFinding> {
    let observed = finding.observed()?;
    let capture = observed.capture.as_ref().map(|it| WireCapture {
        file: it.file.clone(),
        line: it.line,
        mode: it.mode.to_owned(),
        stream: it.stream.clone(),
        thread: it.thread.clone(),
    });
    let consequences = observed.consequences.iter().map(|it| WireConsequence {
        id: it.id.map(str::to_owned),
        text: it.text.clone(),
        location: it.location.clone(),
    });
    Some(WireFinding {
        id: finding.id.to_owned(),
        title: finding.title.clone(),
        confidence: finding.confidence,
        location: finding.location.clone(),
        labels: finding.labels.clone(),
        notes: finding.notes.clone(),
        help: finding.help.clone(),
        call: observed.call.clone(),
        thread: observed.thread.clone(),
        capture,
        consequences: consequences.collect(),
        stack: observed.stack.clone(),
        native_stack: observed.native_stack.clone(),
        standing: observed.standing.clone(),
        of_replays: observed.of_replays,
        count: observed.count,
    })
}

impl WireFinding {
    fn read(self, process: &Process) -> Result<Finding, Unreadable> {
        let consequences = self.consequences.into_iter().map(|it| {
            Ok(Consequence {
                id: it.id.as_deref().map(known_id).transpose()?,
                text: it.text,
                location: it.location,
            })
        });
        let observed = Observed {
            call: self.call,
            thread: self.thread,
            capture: self.capture.map(WireCapture::read).transpose()?,
            consequences: consequences.collect::<Result<_, Unreadable>>()?,
            stack: self.stack,
            native_stack: self.native_stack,
            standing: self.standing,
            of_replays: self.of_replays,
            count: self.count,
            processes: vec![Process {
                count: self.count,
                ..process.clone()
            }],
        };
        Ok(Finding {
            id: known_id(&self.id)?,
            title: self.title,
            confidence: self.confidence,
            location: self.location,
            labels: self.labels,
            notes: self.notes,
            help: self.help,
            basis: Basis::Run(Box::new(observed)),
        })
    }
}

impl WireCapture {
    fn read(self) -> Result<CaptureInfo, Unreadable> {
        let mode = MODES.into_iter().find(|mode| *mode == self.mode);
        Ok(CaptureInfo {
            file: self.file,
            line: self.line,
            mode: mode.ok_or(Unreadable::Mode { mode: self.mode })?,
            stream: self.stream,
            thread: self.thread,
        })
    }
}

/// An id as the catalogue has it.
fn known_id(id: &str) -> Result<&'static str, Unreadable> {
    let entry = cgsan_catalogue::entry(id).filter(|entry| entry.id == id);
    entry
        .map(|entry| entry.id)
        .ok_or_else(|| Unreadable::Id { id: id.to_owned() })
}
