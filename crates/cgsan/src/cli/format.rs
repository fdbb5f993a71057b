//! The forms in which findings are written.

use clap::ValueEnum;

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, with the source
    Text,
    /// One line per finding: `file:line:column: id title`
    Concise,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanners
    Sarif,
    /// Annotations of GitHub's workflows
    Github,
    /// XML as JUnit writes it: a case for each id
    Junit,
    /// A page for the summary of a job
    Markdown,
}
