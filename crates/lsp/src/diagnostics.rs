//! Findings as the protocol's diagnostics.

use cgsan_catalogue::{Language, Severity};
use cgsan_finding::{Confidence, Finding, Label, Location};
use cgsan_lint::SyntaxError;
use gen_lsp_types as lsp;

use crate::client::Client;
use crate::documents::Places;

/// Who reports.
const SOURCE: &str = "cgsan";

/// The failure modes of code that replays do not run: editors may fade it out.
const NOT_REPLAYED: [&str; 2] = ["CG212", "CG213"];

/// A finding as a diagnostic, and the address of the text that it is in.
pub fn of_finding(
    finding: &Finding,
    places: &mut Places<'_>,
    client: &Client,
) -> Option<(lsp::Uri, lsp::Diagnostic)> {
    let place = places.location(finding.location.as_ref()?);
    let mut related = Vec::new();
    if client.related_information {
        related.extend(finding.labels.iter().map(|it| related_place(it, places)));
    }
    let fades = client.unnecessary_tag && NOT_REPLAYED.contains(&finding.id);
    let diagnostic = lsp::Diagnostic {
        range: place.range,
        severity: Some(severity(finding)),
        code: Some(finding.id.into()),
        code_description: page(finding.id, client).map(|href| lsp::CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: message(finding).into(),
        tags: fades.then(|| vec![lsp::DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        data: None,
    };
    Some((place.uri, diagnostic))
}

/// A syntax error as a diagnostic, and the address of the text that it is in.
pub fn of_error(error: &SyntaxError, places: &mut Places<'_>) -> (lsp::Uri, lsp::Diagnostic) {
    let place = places.location(&error.location);
    let diagnostic = lsp::Diagnostic {
        range: place.range,
        severity: Some(lsp::DiagnosticSeverity::Error),
        source: Some(SOURCE.to_owned()),
        message: error.message.clone().into(),
        ..lsp::Diagnostic::default()
    };
    (place.uri, diagnostic)
}

/// A remark on a place as a diagnostic, and the address of the text that it is in.
pub fn of_remark(
    message: String,
    location: &Location,
    places: &mut Places<'_>,
) -> (lsp::Uri, lsp::Diagnostic) {
    let place = places.location(location);
    let diagnostic = lsp::Diagnostic {
        range: place.range,
        severity: Some(lsp::DiagnosticSeverity::Information),
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        ..lsp::Diagnostic::default()
    };
    (place.uri, diagnostic)
}

fn severity(finding: &Finding) -> lsp::DiagnosticSeverity {
    match (finding.confidence, Severity::of(finding.id)) {
        (Confidence::Possible, _) => lsp::DiagnosticSeverity::Information,
        (_, Severity::Error) => lsp::DiagnosticSeverity::Error,
        (_, Severity::Warning) => lsp::DiagnosticSeverity::Warning,
    }
}

fn message(finding: &Finding) -> String {
    let mut message = finding.title.clone();
    for note in &finding.notes {
        message.push_str("\nnote: ");
        message.push_str(note);
    }
    for help in &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    message
}

fn related_place(label: &Label, places: &mut Places<'_>) -> lsp::DiagnosticRelatedInformation {
    lsp::DiagnosticRelatedInformation {
        location: places.location(&label.location),
        message: label.text.clone(),
    }
}

/// The page of a failure mode in the catalogue's site.
pub fn page(id: &str, client: &Client) -> Option<lsp::Uri> {
    if !client.code_description {
        return None;
    }
    let pages = client.pages.as_ref()?;
    let folder = match client.language {
        Language::English => "en",
        Language::Chinese => "zh",
    };
    Some(lsp::Uri(format!("{pages}/{folder}/{id}.html")))
}
