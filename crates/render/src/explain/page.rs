//! An entry of the catalogue.

use cgsan_catalogue::{
    DeadEnd, Entry, Evidence, Fix, Language, Machine, Pattern, Place, Probe, Proof,
};

use super::sheet::{Sheet, page};
use super::words;
use crate::{Options, text};

/// All that is known about a failure mode. `found_by` are the commands that find it.
pub fn entry(entry: &Entry, found_by: &[&str], language: Language, options: &Options) -> String {
    let sheet = Page(Sheet::new(options, language));
    let Page(own) = &sheet;
    let words = own.words;
    page([
        Some(sheet.header(entry, found_by)),
        own.prose(words.happened, own.text(entry.summary)),
        own.prose(words.why, own.text(entry.cause)),
        own.prose(words.tell, own.text(entry.signal)),
        sheet.patterns(entry),
        own.section(
            words.change,
            entry.fixes.iter().map(|fix| sheet.fix(fix)),
            "\n\n",
        ),
        own.section(
            words.dead_ends,
            entry
                .dead_ends
                .iter()
                .map(|dead_end| sheet.dead_end(dead_end)),
            "\n",
        ),
        sheet.seen(entry),
        sheet.versions(entry),
        sheet.evidence(entry),
        sheet.entries(words.comes_from, entry.comes_from),
        sheet.entries(words.leads_to, entry.leads_to),
        sheet.entries(words.related, entry.related),
        sheet.sources(entry),
    ])
}

/// What a person needs first of a failure mode, on a screen: what it means, why it happens, the first change with its code, and what
/// does not help.
pub fn entry_in_short(entry: &Entry, language: Language, options: &Options) -> String {
    let sheet = Page(Sheet::new(options, language));
    let Page(own) = &sheet;
    let words = own.words;
    let first = |text: &'static str| text.split("\n\n").next().unwrap_or_default();
    let fix = entry
        .fixes
        .iter()
        .take(1)
        .map(|fix| sheet.fix_in_short(fix));
    let others = entry.fixes.iter().skip(1);
    let others = others.map(|fix| own.line(own.text(fix.title)));
    let attempts = entry.dead_ends.iter();
    let attempts = attempts.map(|dead_end| own.line(own.text(dead_end.attempt)));
    let more = format!(
        "{}{}`cgsan explain {} --all`{}{}{}",
        words.more, words.colon, entry.id, words.brackets[0], words.all, words.brackets[1]
    );
    page([
        Some(sheet.title(entry)),
        own.prose(words.happened, first(own.text(entry.summary))),
        own.prose(words.why, first(own.text(entry.cause))),
        own.section(words.first_change, fix, "\n"),
        own.section(words.other_changes, others, "\n"),
        own.section(words.dead_ends, attempts, "\n"),
        Some(text::hang(&more, own.width, 2)),
    ])
}

/// The ids of the catalogue with their titles, one line each.
pub fn list(language: Language, options: &Options) -> String {
    let sheet = Sheet::new(options, language);
    let line = |entry: &Entry| {
        let id = sheet.painter.strong(entry.id);
        format!("{id}  {}\n", sheet.text(entry.title))
    };
    cgsan_catalogue::entries().iter().map(line).collect()
}

/// More lines of code than this are left to the page that has all.
const MOST_CODE: usize = 24;

struct Page(Sheet);

impl Page {
    fn title(&self, entry: &Entry) -> String {
        let Page(sheet) = self;
        let id = sheet.painter.error(&format!("{}:", entry.id));
        let title = sheet.painter.strong(sheet.text(entry.title));
        format!("{id} {title}")
    }

    fn header(&self, entry: &Entry, found_by: &[&str]) -> String {
        let Page(sheet) = self;
        let words = sheet.words;
        let mut lines = vec![self.title(entry)];
        let mut line = |name: &str, value: &str| {
            let line = format!("{name}{}{value}", words.colon);
            lines.push(text::hang(&line, sheet.width, 2));
        };
        line(words.name, entry.name);
        for alias in entry.aliases {
            line(words.also_called, alias);
        }
        let found_by: Vec<String> = found_by.iter().map(|name| format!("`{name}`")).collect();
        line(words.found_by, &found_by.join(words.comma));
        for &code in entry.codes {
            lines.push(text::hang(&self.code(code), sheet.width, 2));
        }
        lines.join("\n")
    }

    fn code(&self, code: i32) -> String {
        let words = self.0.words;
        let known = cgsan_catalogue::codes()
            .iter()
            .find(|known| known.code == code);
        match known {
            Some(known) => format!(
                "{} {code} {}{}{}",
                words.error, known.runtime, words.colon, known.text
            ),
            None => format!("{} {code}", words.error),
        }
    }

    fn patterns(&self, entry: &Entry) -> Option<String> {
        let Page(sheet) = self;
        let lines = entry.patterns.iter().map(|pattern| self.pattern(pattern));
        sheet.section(sheet.words.looks, lines, "\n")
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        let Page(sheet) = self;
        let place = match pattern.place {
            Place::Error => sheet.words.error_line,
            Place::Code => sheet.words.code_line,
            Place::Call => sheet.words.call,
        };
        // An expression is shown as it is: broken over lines it could not be searched for.
        let matches = sheet.painter.note(pattern.matches);
        let reason = text::hang(sheet.text(pattern.reason), sheet.width, 4);
        format!("  * {place}{}{matches}\n    {reason}", sheet.words.colon)
    }

    fn fix(&self, fix: &Fix) -> String {
        let Page(sheet) = self;
        let head = sheet.item(sheet.text(fix.title), sheet.text(fix.explanation));
        let cost = format!(
            "{}{}{}",
            sheet.words.cost,
            sheet.words.colon,
            sheet.text(fix.cost)
        );
        let cost = text::hang(&cost, sheet.width, 4);
        match fix.proof {
            Proof::Program(program) => format!(
                "{head}\n\n{}\n\n    {cost}\n    {}",
                self.source(program.source, 8),
                self.proof(fix.proof)
            ),
            Proof::Untested(_) => format!("{head}\n    {cost}\n    {}", self.proof(fix.proof)),
        }
    }

    /// A fix with its code, where that is not long.
    fn fix_in_short(&self, fix: &Fix) -> String {
        let Page(sheet) = self;
        let head = sheet.item(sheet.text(fix.title), sheet.text(fix.explanation));
        match fix.proof {
            Proof::Program(program) if program.source.lines().count() <= MOST_CODE => {
                format!("{head}\n\n{}", self.source(program.source, 8))
            }
            proof => format!("{head}\n    {}", self.proof(proof)),
        }
    }

    fn dead_end(&self, dead_end: &DeadEnd) -> String {
        let Page(sheet) = self;
        let item = sheet.item(sheet.text(dead_end.attempt), sheet.text(dead_end.reason));
        format!("{item}\n    {}", self.proof(dead_end.proof))
    }

    /// What a claim rests on, on one line.
    fn proof(&self, proof: Proof) -> String {
        let Page(sheet) = self;
        let words = sheet.words;
        let line = match proof {
            Proof::Program(program) => format!("{}{}{}", words.program, words.colon, program.path),
            Proof::Untested(reason) => {
                format!("{}{}{}", words.untested, words.colon, sheet.text(reason))
            }
        };
        sheet.painter.dim(&text::hang(&line, sheet.width, 4))
    }

    /// Code keeps its lines, however long.
    fn source(&self, code: &str, indent: usize) -> String {
        let line = |line: &str| match line {
            "" => String::new(),
            line => format!("{}{}", " ".repeat(indent), self.0.painter.note(line)),
        };
        code.lines().map(line).collect::<Vec<String>>().join("\n")
    }

    /// How it showed in the versions of PyTorch, one line per range of them, or why no program shows it.
    fn seen(&self, entry: &Entry) -> Option<String> {
        let Page(sheet) = self;
        let ranges = entry.seen().into_iter().map(|seen| {
            format!(
                "{}{}{}",
                seen.versions(sheet.language),
                sheet.words.colon,
                seen.how.words(sheet.language)
            )
        });
        let none = entry
            .no_program
            .map(|reason| sheet.text(reason).to_owned())
            .into_iter();
        let lines = ranges.chain(none).map(|line| sheet.line(&line));
        sheet.section(sheet.words.seen, lines, "\n")
    }

    fn versions(&self, entry: &Entry) -> Option<String> {
        let Page(sheet) = self;
        let items = entry.versions.iter().map(|version| {
            sheet.item(
                &words::range(version, sheet.language),
                sheet.text(version.fact),
            )
        });
        sheet.section(sheet.words.versions, items, "\n")
    }

    fn evidence(&self, entry: &Entry) -> Option<String> {
        let Page(sheet) = self;
        let one_gpu = self.cases(entry, Machine::H100);
        let probes = entry.probes.iter().map(|probe| self.probe(probe));
        let two_gpus = self.cases(entry, Machine::TwoH200);
        let sections = [
            (Machine::H100, one_gpu.into_iter().chain(probes).collect()),
            (Machine::TwoH200, two_gpus),
        ];
        let sections = sections.into_iter().filter_map(|(machine, items)| {
            let heading = format!(
                "{}{}{}",
                sheet.words.measured,
                sheet.words.colon,
                machine.name()
            );
            let heading = text::hang(&heading, sheet.width, 0);
            sheet.section(&heading, Vec::into_iter(items), "\n")
        });
        let sections: Vec<String> = sections.chain(self.runs(entry)).collect();
        (!sections.is_empty()).then(|| sections.join("\n\n"))
    }

    fn cases(&self, entry: &Entry, machine: Machine) -> Vec<String> {
        let Page(sheet) = self;
        let cases = entry.evidence.iter().filter(|case| case.machine == machine);
        cases
            .map(|case| {
                let heading = format!(
                    "{}{}{}",
                    case.case,
                    sheet.words.colon,
                    sheet.text(case.shows)
                );
                sheet.item(&heading, &self.outcome(case))
            })
            .collect()
    }

    fn outcome(&self, evidence: &Evidence) -> String {
        let words = self.0.words;
        let end = match evidence.exception {
            Some(exception) => format!("{}: {}", exception.type_name, exception.message),
            None => words.ran_to_its_end.to_owned(),
        };
        match evidence.refused {
            Some(call) => format!(
                "{end}{}{}{}`{}`{}{}{}",
                words.brackets[0],
                words.first_refused,
                words.colon,
                call.function,
                words.comma,
                call.code,
                words.brackets[1]
            ),
            None => end,
        }
    }

    fn probe(&self, probe: &Probe) -> String {
        let Page(sheet) = self;
        let conditions = words::conditions(probe.thread, probe.mode.name(), sheet.language);
        let heading = format!("`{}` {conditions}", probe.call);
        sheet.item(
            &heading,
            &words::answer(probe.code, probe.end, sheet.language),
        )
    }

    /// What became of the programs of the fixes and dead ends, one line per machine.
    fn runs(&self, entry: &Entry) -> Option<String> {
        let Page(sheet) = self;
        let tallies = entry.tallies();
        let lines = tallies
            .into_iter()
            .map(|tally| sheet.line(&words::programs(tally, sheet.language)));
        sheet.section(sheet.words.programs, lines, "\n")
    }

    fn entries(&self, heading: &str, ids: &[&str]) -> Option<String> {
        let Page(sheet) = self;
        let entries = ids.iter().filter_map(|id| cgsan_catalogue::entry(id));
        let lines = entries.map(|entry| sheet.line(&sheet.reference(entry)));
        sheet.section(heading, lines, "\n")
    }

    fn sources(&self, entry: &Entry) -> Option<String> {
        let Page(sheet) = self;
        let sources = entry.sources.iter();
        let items = sources.map(|source| {
            let title = text::hang(source.title, sheet.width, 4);
            format!("  * {title}\n    {}", source.url)
        });
        sheet.section(sheet.words.sources, items, "\n")
    }
}
