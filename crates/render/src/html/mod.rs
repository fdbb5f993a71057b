//! A report as one page of HTML that needs nothing else: no network, no other file.
//!
//! | file | what |
//! |---|---|
//! | `page` | the document: sections |
//! | `header` | what came of the run, what ran, on what, and a list of the findings |
//! | `policy` | its head, and what the browser may do with it |
//! | `findings` | each finding with its source, what led to it, and what the catalogue says |
//! | `source` | lines of source with what happened there |
//! | `graphs` | what was captured: a table, and the data that the pictures are drawn from |
//! | `ranks` | what each process did, side by side |
//! | `prose` | texts with code in backticks |
//! | `assets` | the style; `view.js` draws graphs, `rows.js` shows long lists, `page.js` puts them to work |
//!
//! The markup is written here, by `maud`, which escapes all texts: without scripts, everything but the pictures of graphs is there.
//! What the scripts show of the program is set as text.

mod findings;
mod graphs;
mod header;
mod page;
pub(crate) mod policy;
mod prose;
mod ranks;
mod source;

use cgsan_finding::Report;

use crate::source::Files;
use crate::{Options, Run, Sources, text};

/// A report as a page. Lines of source come from `sources`.
pub fn html(report: &Report, run: &Run, options: &Options, sources: &mut Sources<'_>) -> String {
    text::shown_plain(&page::document(
        report,
        run,
        options,
        &mut Files::new(sources),
    ))
}
