//! A text of any length, read once in constant memory.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::LazyLock;

use crate::anchors::Anchors;
use crate::candidate::Explanation;
use crate::collect::{Collector, is_record};
use crate::evaluate::{Evaluator, Text};
use crate::fingerprint::{of_incident, of_lines};
use crate::hip;
use crate::incident::Incident;
use crate::line::Writer;
use crate::rank::{Judged, rank};
use crate::repetition::Repetitions;
use crate::subject::Subject;

/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// Bytes that decide whether it is a text.
const BEGINNING: usize = 4 << 10;

/// Bytes of a text that is looked at as a whole where no incident in it says anything.
const OPENING: usize = 64 << 10;

/// Bytes of a line that are looked at.
const LONGEST_LINE: usize = 64 << 10;

/// Lines of a text that is looked at as a whole.
const MOST_LINES_OF_A_QUESTION: u64 = 100;

/// Lines of a text that a person has written, with what was pasted into it. A longer one is a log, whose words say little.
const MOST_LINES_OF_A_REPORT: u64 = 300;

/// A score that nothing reaches by what programs without graphs show too.
const CERTAIN: u8 = 90;

/// Incidents that are kept.
const MOST_INCIDENTS: usize = 256;

/// Different incidents that say nothing, after which only those are looked at that name something of a GPU.
const CROWD: usize = 2048;

/// Bytes before such a name in which the incident's first line is looked for.
const LONGEST_HEAD: usize = 16 << 10;

/// Different incidents, and different lines, that are told apart.
const MOST_DIFFERENT: usize = 1 << 16;

/// Why a text could not be explained.
#[derive(Debug)]
pub enum ReadError {
    /// It could not be read.
    Io(io::Error),
    /// There is nothing in it.
    Empty,
    /// It is not text.
    Binary,
    /// It is a text in UTF-16.
    Utf16,
}

/// Explains a text.
///
/// # Errors
///
/// If it is empty or no text.
pub fn text(text: &str) -> Result<Explanation, ReadError> {
    read(text.as_bytes())
}

/// Explains a text that is read to its end.
///
/// # Errors
///
/// If it cannot be read, is empty, or is not text.
pub fn read(input: impl Read) -> Result<Explanation, ReadError> {
    let (mut explanation, is_report) = scanned(input)?.finish();
    if is_report {
        explanation.add_likely();
    }
    Ok(explanation)
}

fn scanned(mut input: impl Read) -> Result<Scan, ReadError> {
    let mut scan = Scan::new();
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    loop {
        let got = match input.read(&mut buffer[filled..]) {
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ReadError::Io(error)),
        };
        filled += got;
        if scan.is_new() {
            // A log that was truncated while its writer went on begins with zeros in the place of what was cut.
            let zeros = buffer[..filled].iter().take_while(|byte| **byte == 0);
            let zeros = zeros.count();
            buffer.copy_within(zeros..filled, 0);
            filled -= zeros;
            // The beginning decides whether it is a text, however many pieces it comes in.
            if got > 0 && filled < BEGINNING {
                continue;
            }
            check(&buffer[..filled.min(BEGINNING)], got == 0)?;
        }
        let at_end = got == 0;
        let used = scan.take(&buffer[..filled], at_end);
        buffer.copy_within(used..filled, 0);
        filled -= used;
        if at_end {
            return Ok(scan);
        }
    }
}

fn check(beginning: &[u8], is_all: bool) -> Result<(), ReadError> {
    if is_all && beginning.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    if beginning.starts_with(&[0xff, 0xfe]) || beginning.starts_with(&[0xfe, 0xff]) {
        return Err(ReadError::Utf16);
    }
    if memchr::memchr(0, beginning).is_some() {
        return Err(ReadError::Binary);
    }
    Ok(())
}

/// The searches, made once for all texts: the expressions that one text has compiled, the next one finds compiled.
static SEARCHES: LazyLock<Searches> = LazyLock::new(|| Searches {
    anchors: Anchors::new(),
    evaluator: Evaluator::new(),
    subject: Subject::new(),
});

struct Searches {
    anchors: Anchors,
    evaluator: Evaluator,
    subject: Subject,
}

/// What the incidents speak of.
#[derive(Clone, Copy, Default)]
struct Topics {
    graphs: bool,
    hip: bool,
}

struct Scan {
    searches: &'static Searches,
    topics: Topics,
    collector: Collector,
    ended: Vec<Incident>,
    /// Whether the last line ended an incident.
    has_ended: bool,
    judged: Vec<Judged>,
    /// Incidents that said nothing.
    fruitless: usize,
    seen: HashSet<u64>,
    seen_lines: HashSet<u64>,
    repetitions: Repetitions,
    opening: Vec<u8>,
    /// The number of the next line.
    line: u64,
    ranks: u32,
    started: bool,
}

impl Scan {
    fn new() -> Self {
        Scan {
            searches: &SEARCHES,
            topics: Topics::default(),
            collector: Collector::default(),
            ended: Vec::new(),
            has_ended: false,
            judged: Vec::new(),
            fruitless: 0,
            seen: HashSet::new(),
            seen_lines: HashSet::new(),
            repetitions: Repetitions::default(),
            opening: Vec::new(),
            line: 1,
            ranks: 0,
            started: false,
        }
    }

    fn is_new(&self) -> bool {
        !self.started
    }

    /// Takes the lines that are complete, and says how many bytes that was.
    fn take(&mut self, bytes: &[u8], at_end: bool) -> usize {
        self.started = true;
        let complete = if at_end {
            bytes.len()
        } else {
            match memchr::memrchr2(b'\n', b'\r', bytes) {
                Some(last) => last + 1,
                // A line that fills the whole buffer is taken in pieces.
                None if bytes.len() == CHUNK => bytes.len(),
                None => 0,
            }
        };
        let lines = &bytes[..complete];
        let room = OPENING - self.opening.len();
        self.opening
            .extend_from_slice(&lines[..lines.len().min(room)]);
        self.take_lines(lines);
        complete
    }

    fn take_lines(&mut self, lines: &[u8]) {
        let mut at = 0;
        while at < lines.len() {
            if !self.collector.is_open() {
                at += self.skip_crowd(&lines[at..]);
                let Some(anchor) = self.searches.anchors.first_in(&lines[at..]) else {
                    self.skip(&lines[at..]);
                    return;
                };
                let anchor = at + anchor.start;
                let start = memchr::memrchr2(b'\n', b'\r', &lines[at..anchor])
                    .map_or(at, |before| at + before + 1);
                self.skip(&lines[at..start]);
                at = start;
            }
            let end =
                memchr::memchr2(b'\n', b'\r', &lines[at..]).map_or(lines.len(), |end| at + end);
            let next = (end + 1).min(lines.len());
            if self.collector.is_open() || self.is_news(&lines[at..end]) {
                self.take_line(&lines[at..end]);
                if self.note(&lines[at..next]) {
                    let skipped = self.skip_begun(&lines[at..]);
                    if skipped > 0 {
                        at += skipped;
                        continue;
                    }
                }
            }
            if lines.get(end) == Some(&b'\n') {
                self.line += 1;
            }
            at = next;
        }
    }

    /// Skips the incident whose first line was just taken, if it need not be taken apart, and says how many bytes it and what
    /// follows were.
    fn skip_begun(&mut self, lines: &[u8]) -> usize {
        let known = self.repetitions.known(lines);
        let skipped = if let Some(length) = known {
            self.skip(&lines[..length]);
            length
        } else {
            self.skip_crowd(lines)
        };
        if skipped > 0 {
            self.collector.forget();
        }
        skipped
    }

    /// Where many incidents have said nothing, skips the lines up to the next that may be of a GPU, and says how many bytes
    /// they were.
    fn skip_crowd(&mut self, lines: &[u8]) -> usize {
        if self.fruitless <= CROWD {
            return 0;
        }
        let relevant = self.next_relevant(lines);
        self.skip(&lines[..relevant]);
        relevant
    }

    /// Where the lines begin that may be of an incident of a GPU. One that has begun at the end may show it later.
    fn next_relevant(&self, lines: &[u8]) -> usize {
        let word = self.searches.subject.first_of_a_gpu(lines);
        let before = word.unwrap_or(lines.len());
        let from = before.saturating_sub(LONGEST_HEAD);
        let head = memchr::memmem::rfind(&lines[from..before], b"Traceback (most recent call");
        let start = head.map_or(before, |head| from + head);
        if start == lines.len() {
            return start;
        }
        memchr::memrchr2(b'\n', b'\r', &lines[..start]).map_or(0, |before| before + 1)
    }

    /// Notes a line that was taken, for the next time it comes; whether it began the only open incident.
    fn note(&mut self, line: &[u8]) -> bool {
        let begun = self
            .collector
            .alone()
            .is_some_and(|first| first == self.line);
        if self.has_ended {
            self.repetitions.end(line);
        }
        if begun {
            self.repetitions.begin(line);
        } else if !self.has_ended {
            self.repetitions
                .go_on(line, self.collector.alone().is_some());
        }
        begun
    }

    fn skip(&mut self, lines: &[u8]) {
        let breaks = memchr::memchr_iter(b'\n', lines).count();
        self.line += u64::try_from(breaks).unwrap_or(0);
    }

    /// Whether a line that begins an incident has not begun one before. All tracebacks begin alike.
    fn is_news(&mut self, line: &[u8]) -> bool {
        memchr::memmem::find(line, b"Traceback").is_some()
            || self.seen_lines.len() >= MOST_DIFFERENT
            || self.seen_lines.insert(of_lines([line]))
    }

    fn take_line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(&line[..line.len().min(LONGEST_LINE)]);
        self.collector
            .take(self.line, &text, &self.searches.anchors, &mut self.ended);
        self.has_ended = !self.ended.is_empty();
        self.judge();
    }

    /// Keeps the incidents that have ended and say something.
    fn judge(&mut self) {
        for incident in std::mem::take(&mut self.ended) {
            if let Writer::Rank(rank) = incident.writer {
                self.ranks = self.ranks.max(rank.saturating_add(1));
            }
            if self.judged.len() >= MOST_INCIDENTS || self.seen.len() >= MOST_DIFFERENT {
                continue;
            }
            if !self.seen.insert(of_incident(&incident)) {
                continue;
            }
            self.topics.graphs |= self.searches.subject.is_of(&incident);
            self.topics.hip |= hip::is_of_hip(&incident);
            let findings = self.searches.evaluator.findings(&incident, Text::OfGraphs);
            if findings.is_empty() {
                self.fruitless += 1;
            } else {
                self.judged.push(Judged { incident, findings });
            }
        }
    }

    /// What the patterns say of the text, and whether a person may have written it.
    fn finish(mut self) -> (Explanation, bool) {
        let driver_log = self.collector.finish(&mut self.ended);
        let is_report = driver_log.is_none()
            && self.line <= MOST_LINES_OF_A_REPORT
            && self.opening.len() < OPENING;
        self.judge();
        if let Some(log) = driver_log {
            self.join(log);
        }
        let opening = String::from_utf8_lossy(&self.opening).into_owned();
        if !self.judged.iter().any(|judged| judged.incident.has_code()) {
            self.judge_whole(&opening);
        }
        if !self.topics.graphs {
            self.doubt();
        }
        let script = self
            .judged
            .iter()
            .find_map(|judged| judged.incident.script.clone());
        let mut explanation = Explanation {
            candidates: rank(&self.judged),
            incidents: self.judged.len(),
            script,
            ranks: self.ranks,
            is_of_graphs: self.topics.graphs,
            beside: None,
            is_of_hip: self.topics.hip,
            opening,
        };
        explanation.compare_versions();
        (explanation, is_report)
    }

    /// Judges anew a text that none of the words shows to speak of graphs. What still is certain does.
    fn doubt(&mut self) {
        for judged in &mut self.judged {
            judged.findings = self
                .searches
                .evaluator
                .findings(&judged.incident, Text::OfNoGraphs);
        }
        self.judged.retain(|judged| !judged.findings.is_empty());
        let mut findings = self.judged.iter().flat_map(|judged| &judged.findings);
        self.topics.graphs = findings.any(|finding| finding.score >= CERTAIN);
    }

    /// The driver's log tells the calls of what a traceback beside it tells the lines of.
    fn join(&mut self, log: Incident) {
        self.topics.graphs |= self.searches.subject.is_of(&log);
        let tracebacks = self
            .judged
            .iter_mut()
            .filter(|judged| judged.incident.has_code());
        let mut joined = false;
        for judged in tracebacks {
            joined = true;
            let cause = log.blocks.first().cloned().unwrap_or_default();
            let block = &mut judged.incident.blocks[0];
            block.calls.extend(cause.calls);
            block.calls.extend(cause.errors);
            judged.findings = self
                .searches
                .evaluator
                .findings(&judged.incident, Text::OfGraphs);
        }
        if !joined {
            let findings = self.searches.evaluator.findings(&log, Text::OfGraphs);
            if !findings.is_empty() {
                self.judged.push(Judged {
                    incident: log,
                    findings,
                });
            }
        }
    }

    /// A short text without a traceback, such as a question with a piece of a program, is one incident as a whole.
    fn judge_whole(&mut self, text: &str) {
        if self.line > MOST_LINES_OF_A_QUESTION {
            return;
        }
        let mut incident = Incident::new(Writer::Unknown, 1);
        let mut said = String::new();
        for raw in text.lines() {
            let line = crate::line::parse(raw);
            if is_record(&line.text) {
                continue;
            }
            said += &line.text;
            said.push('\n');
            if !line.text.trim().is_empty() {
                incident.error(&line.text);
                incident.code(&line.text);
            }
        }
        for paragraph in paragraphs(&said) {
            incident.error(&paragraph);
        }
        self.topics.graphs |= self.searches.subject.is_of(&incident);
        let findings = self.searches.evaluator.findings(&incident, Text::OfGraphs);
        if !findings.is_empty() {
            self.judged.insert(0, Judged { incident, findings });
        }
    }
}

/// The paragraphs of more than one line, each as one: a sentence goes on where a mail breaks its lines.
fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .split(|line| line.is_empty())
        .filter(|paragraph| paragraph.len() > 1)
        .map(|paragraph| paragraph.join(" "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: &str = "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    loss.item()\n\
                        torch.AcceleratorError: CUDA error: operation not permitted when stream is capturing\n";

    const FORK: &str = "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n    run()\n\
                        torch.AcceleratorError: CUDA error: capturing stream has unjoined work\n";

    fn ids(explanation: &Explanation) -> Vec<(&str, u64)> {
        explanation
            .candidates
            .iter()
            .filter_map(|candidate| Some((candidate.entry.id, candidate.origin.as_ref()?.line)))
            .collect()
    }

    #[test]
    fn a_truncated_log_begins_with_zeros() {
        for zeros in [1, 5000, 1_000_000] {
            let mut log = vec![0; zeros];
            log.extend(WAIT.as_bytes());
            let explanation = read(&log[..]).unwrap();
            assert_eq!(ids(&explanation).first(), Some(&("CG101", 1)), "{zeros}");
        }
        assert!(matches!(read(&[0; 100][..]), Err(ReadError::Empty)));
    }

    #[test]
    fn the_end_of_an_invalidated_capture_comes_after_its_cause_and_decides_nothing() {
        let end =
            "RuntimeError: CUDA error: operation failed due to a previous error during capture\n";
        let alone = text(end).unwrap();
        assert_eq!(ids(&alone).first(), Some(&("CG190", 1)));
        assert!(!alone.is_decided());
        let both = text(&format!("{end}\nstep 3\n\nstep 4\n\n\n{FORK}")).unwrap();
        assert_eq!(both.candidates[0].entry.id, "CG106");
    }

    #[test]
    fn an_error_of_a_gpu_is_found_behind_thousands_of_others() {
        use std::fmt::Write as _;
        for between in ["", "\n"] {
            let mut log = String::new();
            for number in 0..20_000_u32 {
                let word = letters(number);
                write!(log, "Traceback (most recent call last):\n  File \"{word}.py\", line 1, in f\nKeyError: {word}\n{between}")
                    .unwrap();
            }
            let lines = u64::try_from(log.lines().count()).unwrap();
            let explanation = text(&format!("{log}{WAIT}{log}")).unwrap();
            assert_eq!(
                ids(&explanation),
                ids(&text(&format!("{}{WAIT}", "\n".repeat(log.lines().count()))).unwrap()),
                "{between:?}"
            );
            assert_eq!(ids(&explanation).first(), Some(&("CG101", lines + 1)));
        }
    }

    fn letters(number: u32) -> String {
        let digits = number.to_string();
        digits.bytes().map(|it| char::from(it + 49)).collect()
    }

    #[test]
    fn it_is_found_there_wherever_the_text_is_cut_for_reading() {
        use std::fmt::Write as _;
        let mut noise = String::new();
        for number in 0..2 * u32::try_from(CROWD).unwrap() {
            writeln!(noise, "Error: {}", letters(number)).unwrap();
        }
        for before in (0..=WAIT.len()).step_by(7) {
            let until = (noise.len() / CHUNK + 1) * CHUNK - before - 1;
            let filled = format!("{noise}{}\n", ".".repeat(until - noise.len()));
            let explanation = text(&format!("{filled}{WAIT}")).unwrap();
            assert_eq!(explanation.script.as_deref(), Some("train.py"), "{before}");
        }
    }

    #[test]
    fn texts_of_hip_are_read_as_those_of_cuda() {
        let hip = WAIT.replace("CUDA error", "HIP error");
        let explanation = text(&hip).unwrap();
        assert!(explanation.is_of_hip);
        assert_eq!(ids(&explanation).first(), Some(&("CG101", 1)));
    }

    #[test]
    fn what_comes_after_many_repetitions_is_found() {
        for between in ["", "step 3\n", "\n\n"] {
            let once = format!("{WAIT}{between}");
            for times in [2, 3, 5000] {
                let repeated = once.repeat(times);
                let lines = u64::try_from(repeated.lines().count()).unwrap();
                let explanation = text(&format!("{repeated}{FORK}")).unwrap();
                let found = ids(&explanation);
                assert_eq!(
                    found.first(),
                    Some(&("CG101", 1)),
                    "{times} times with {between:?}"
                );
                assert!(
                    found.contains(&("CG106", lines + 1)),
                    "{times} times with {between:?}: {found:?}"
                );
            }
        }
    }
}
