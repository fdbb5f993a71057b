//! A page in Markdown, for the summary of a job.
//!
//! Texts of the program stand in code, in escaped HTML, or in prose whose signs of Markdown are escaped; none of it becomes
//! markup.

use std::fmt::Write as _;

use cgsan_finding::{Coverage, Finding, Note, NoteLevel, Report};

use super::level::Level;
use super::plain::plain;
use crate::source::Files;
use crate::{Options, Sources, facts, terminal, text};

/// Bytes up to which findings are shown as text. GitHub shows no summary of more than 1 MiB.
const SHOWN: usize = 256 << 10;

/// How many findings the table has at most, and how many remarks follow it.
const ROWS: usize = 500;

/// How many characters of a title or place the table shows.
const CELL: usize = 200;

/// A report as a page: what was found in what, a table of the findings, each as text to unfold, and remarks.
pub fn markdown(report: &Report, options: &Options, sources: &mut Sources<'_>) -> String {
    let options = &plain(options);
    let mut files = Files::new(sources);
    let mut page = format!(
        "## cgsan: {}\n",
        prose(&terminal::conclusion(report, options))
    );
    let coverage = report.coverage.as_ref();
    if let Some(gaps) = coverage.and_then(Coverage::gaps_in_words) {
        let _ = write!(page, "\nNot watched: {}\n", prose(&gaps));
    }
    page += &table(report, options);
    page += &details(report, options, &mut files);
    page += &remarks(report, options);
    if let Some(memory) = &report.memory {
        page += &unfolded("Memory", &crate::memory(memory, options));
    }
    // All but line breaks was made visible before; this holds whatever its parts were made of.
    text::shown_plain(&page)
}

fn table(report: &Report, options: &Options) -> String {
    let findings = &report.findings;
    if findings.is_empty() {
        return String::new();
    }
    let mut table = "\n| | Id | Finding | Place |\n|---|---|---|---|\n".to_owned();
    for finding in findings.iter().take(ROWS) {
        let place = finding.location.as_ref();
        let place = place.map(|it| facts::place_of(it, options));
        let ranks = finding.observed();
        let ranks = ranks.and_then(|it| facts::processes(it, options));
        let ranks = ranks.map(|ranks| format!(" in {}", prose(&ranks)));
        let _ = writeln!(
            table,
            "| {} | {} | {}{} | {} |",
            level(finding),
            finding.id,
            prose(&finding.title),
            ranks.unwrap_or_default(),
            prose(&place.unwrap_or_default())
        );
    }
    table + &and_more(findings.len(), ROWS, "finding")
}

fn level(finding: &Finding) -> &'static str {
    match Level::of(finding) {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Remark => "note",
    }
}

/// Each finding as text, as long as there is room.
fn details(report: &Report, options: &Options, files: &mut Files<'_, '_>) -> String {
    let mut details = String::new();
    for (at, finding) in report.findings.iter().enumerate() {
        let content = terminal::one_finding(finding, options, files);
        if details.len() + content.len() > SHOWN {
            let left = text::count(report.findings.len() - at, "finding");
            let _ = write!(details, "\nToo long to be shown here as text: {left}.\n");
            break;
        }
        details += &unfolded(&format!("{}: {}", finding.id, finding.title), &content);
    }
    details
}

fn remarks(report: &Report, options: &Options) -> String {
    let notes = report.notes.iter().take(ROWS);
    let list = notes.fold(String::new(), |list, note| list + &remark(note, options));
    let list = if list.is_empty() {
        list
    } else {
        format!("\n{list}")
    };
    list + &and_more(report.notes.len(), ROWS, "remark")
}

fn remark(note: &Note, options: &Options) -> String {
    let level = match note.level {
        NoteLevel::Error => "error",
        NoteLevel::Note => "note",
    };
    let place = note.location.as_ref();
    let place = place.map(|it| format!(" ({})", prose(&facts::place_of(it, options))));
    let (words, lines) = note.text.split_once('\n').unwrap_or((&note.text, ""));
    let (words, place) = (prose(words), place.unwrap_or_default());
    let item = format!("- {level}: {words}{place}\n");
    if lines.is_empty() || lines.len() > SHOWN {
        return item;
    }
    let lines: Vec<String> = lines.lines().map(text::printable).collect();
    item + &unfolded("more", &lines.join("\n")) + "\n"
}

/// Says how many of so many are left out.
fn and_more(number: usize, shown: usize, noun: &str) -> String {
    match number.saturating_sub(shown) {
        0 => String::new(),
        more => format!("\nLeft out here: {}.\n", text::count(more, noun)),
    }
}

/// A block of code to unfold, whose fence is longer than any in it.
fn unfolded(title: &str, content: &str) -> String {
    let runs = content.split(|it| it != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    let title = html(&text::one_line(title, CELL));
    let content = content.trim_end_matches('\n');
    format!(
        "\n<details>\n<summary>{title}</summary>\n\n{fence}text\n{content}\n{fence}\n\n</details>\n"
    )
}

/// A text of one line in prose or in a cell of a table, whose signs stand for themselves.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    for c in html(&text::one_line(text, CELL)).chars() {
        if r"\`*_[]|~$#!@:.".contains(c) {
            prose.push('\\');
        }
        prose.push(c);
    }
    prose
}

/// A text whose signs of HTML stand for themselves.
fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_in_prose_stand_for_themselves() {
        assert_eq!(prose("`x` <b>|*a*"), r"\`x\` &lt;b&gt;\|\*a\*");
        assert_eq!(
            prose("&#60;img src=\"x\">"),
            r"&amp;\#60;img src=&quot;x&quot;&gt;"
        );
        assert_eq!(prose("[a](http://b.c)"), r"\[a\](http\://b\.c)");
        assert_eq!(prose("a\n| b\n\n# c"), r"a \| b \# c");
    }

    #[test]
    fn a_fence_is_longer_than_those_in_it() {
        let block = unfolded("<b>", "a\n````\n</details><b>");
        assert!(block.contains("\n`````text\na\n````\n</details><b>\n`````\n"));
        assert!(block.contains("<summary>&lt;b&gt;</summary>"));
        assert!(unfolded("a", "b").contains("\n```text\nb\n```\n"));
    }
}
