//! The page of one failure mode.

use cgsan_catalogue::{
    Case, DeadEnd, Entry, Evidence, Fix, InVersions, Language, Pattern, Proof, Version,
};
use maud::{Markup, html};

use super::found_by::FoundBy;
use super::layout;
use super::matrix_page;
use super::navigation::Navigation;
use super::text;
use super::words::{Words, words};

/// The page in a language.
pub fn page(
    entry: &Entry,
    found_by: &FoundBy,
    language: Language,
    navigation: &Navigation<'_>,
) -> String {
    let page = Page {
        language,
        words: words(language),
    };
    let title = entry.title.in_language(language);
    let content = html! {
        h1 { code { (entry.id) } " " (text::inline(title)) }
        (page.facts(entry))
        (page.found_by(found_by.get(entry.id)))
        (text::paragraphs(entry.summary.in_language(language)))
        h2 { (page.words.cause) }
        (text::paragraphs(entry.cause.in_language(language)))
        h2 { (page.words.signal) }
        (text::paragraphs(entry.signal.in_language(language)))
        (section(page.words.fixes, entry.fixes, |fix| page.fix(fix)))
        (section(page.words.dead_ends, entry.dead_ends, |dead_end| page.dead_end(dead_end)))
        (table(
            page.words.patterns,
            [page.words.patterns, page.words.weight, page.words.fact],
            entry.patterns,
            |pattern| page.pattern(pattern),
        ))
        (page.seen(entry))
        (table(
            page.words.versions,
            [page.words.product, page.words.from, page.words.until, page.words.fact],
            entry.versions,
            |version| page.version(version),
        ))
        (table(
            page.words.evidence,
            [page.words.program, page.words.shows, page.words.outcome, page.words.machine],
            entry.evidence,
            |evidence| page.evidence(evidence),
        ))
        (table(
            page.words.programs,
            [page.words.machine, page.words.held],
            &entry.tallies(),
            |tally| [
                html! { (tally.machine) },
                html! { (tally.held) " / " (tally.programs) },
            ],
        ))
        (section(page.words.sources, entry.sources, |source| html! {
            p { a href=(source.url) { (source.title) } }
        }))
    };
    let file = format!("{}.html", entry.id);
    layout::Page {
        path: &format!("{}/{file}", words(language).code),
        language,
        in_languages: Some(&file),
        title: &format!("{} {title}", entry.id),
        content: &content,
    }
    .show(navigation)
}

struct Page {
    language: Language,
    words: &'static Words,
}

impl Page {
    fn facts(&self, entry: &Entry) -> Markup {
        html! {
            p.note {
                code { (entry.name) }
                @for alias in entry.aliases { " · " (self.words.names) " " code { (alias) } }
                @if !entry.codes.is_empty() {
                    " · " (self.words.codes) " "
                    @for (index, code) in entry.codes.iter().enumerate() {
                        @if index > 0 { ", " }
                        (code)
                    }
                }
                @for (title, ids) in [
                    (self.words.related, entry.related),
                    (self.words.comes_from, entry.comes_from),
                    (self.words.leads_to, entry.leads_to),
                ] {
                    @if !ids.is_empty() { " · " (title) " " (text::ids(ids)) }
                }
            }
        }
    }

    /// What the programs did in the versions of PyTorch, or why there are none.
    fn seen(&self, entry: &Entry) -> Markup {
        let title = self.words.seen;
        let rows: Vec<(&Case, &InVersions)> = entry
            .cases
            .iter()
            .filter(|case| case.shows_failure() || case.results.len() > 1)
            .flat_map(|case| case.results.iter().map(move |result| (case, result)))
            .collect();
        html! {
            (table(
                title,
                [self.words.program, title, self.words.outcome, self.words.first_exception],
                &rows,
                |(case, result)| [
                    html! { code { (case.path.rsplit('/').next().unwrap_or_default()) } },
                    html! { (result.versions.join(", ")) },
                    text::inline(&result.how(entry.id).words(self.language)),
                    html! { @if let Some(exception) = result.exception { code { (exception) } } },
                ],
            ))
            @if let Some(reason) = entry.no_program {
                h2 { (title) }
                p { (text::inline(reason.in_language(self.language))) }
            }
            @if !rows.is_empty() {
                p { a href=(matrix_page::FILE) { (self.words.matrix) } }
            }
        }
    }

    fn found_by(&self, commands: Option<&Vec<String>>) -> Markup {
        html! {
            @if let Some(commands) = commands {
                p.note {
                    (self.words.found_by)
                    @for command in commands { " " code { (command) } }
                }
            }
        }
    }

    fn fix(&self, fix: &Fix) -> Markup {
        html! {
            h3 { (text::inline(fix.title.in_language(self.language))) }
            (text::paragraphs(fix.explanation.in_language(self.language)))
            p { strong { (self.words.cost) } " " (text::inline(fix.cost.in_language(self.language))) }
            (self.proof(fix.proof))
        }
    }

    fn dead_end(&self, dead_end: &DeadEnd) -> Markup {
        html! {
            h3 { (text::inline(dead_end.attempt.in_language(self.language))) }
            (text::paragraphs(dead_end.reason.in_language(self.language)))
            (self.proof(dead_end.proof))
        }
    }

    fn proof(&self, proof: Proof) -> Markup {
        match proof {
            Proof::Program(program) => html! {
                details {
                    summary { code { (program.path) } }
                    pre tabindex="0" { code { (program.source) } }
                }
            },
            Proof::Untested(reason) => html! {
                p.note { (self.words.untested) " " (text::inline(reason.in_language(self.language))) }
            },
        }
    }

    fn pattern(&self, pattern: &Pattern) -> [Markup; 3] {
        [
            html! { code { (pattern.matches) } },
            html! { (pattern.weight) },
            text::inline(pattern.reason.in_language(self.language)),
        ]
    }

    fn version(&self, version: &Version) -> [Markup; 4] {
        [
            html! { (version.product.name()) },
            html! { (version.from.unwrap_or_default()) },
            html! { (version.until.unwrap_or_default()) },
            text::inline(version.fact.in_language(self.language)),
        ]
    }

    fn evidence(&self, evidence: &Evidence) -> [Markup; 4] {
        let outcome = evidence.exception.map_or_else(
            || html! { (self.words.ends_well) },
            |exception| html! { code { (exception.type_name) } ": " (exception.message) },
        );
        [
            html! { code { (evidence.case) } },
            text::inline(evidence.shows.in_language(self.language)),
            outcome,
            html! { (evidence.machine.name()) },
        ]
    }
}

/// A part of the page, left out where there is nothing to say.
fn section<T>(title: &str, items: &[T], show: impl Fn(&T) -> Markup) -> Markup {
    html! {
        @if !items.is_empty() {
            h2 { (title) }
            @for item in items { (show(item)) }
        }
    }
}

/// The same as a table, whose rows `show` fills.
fn table<T, const COLUMNS: usize>(
    title: &str,
    columns: [&str; COLUMNS],
    items: &[T],
    show: impl Fn(&T) -> [Markup; COLUMNS],
) -> Markup {
    html! {
        @if !items.is_empty() {
            h2 { (title) }
            div.wide tabindex="0" {
                table {
                    thead { tr { @for column in columns { th scope="col" { (column) } } } }
                    tbody {
                        @for item in items { tr { @for cell in show(item) { td { (cell) } } } }
                    }
                }
            }
        }
    }
}
