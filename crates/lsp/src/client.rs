//! What the client can do, and what was agreed with it.

use cgsan_catalogue::Language;
use gen_lsp_types as lsp;
use serde_json::Value;

use crate::text::Encoding;

/// A client.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an ability of the client's that the protocol names, independent of the others"
)]
pub struct Client {
    /// The unit of columns.
    pub encoding: Encoding,
    /// The language of explanations.
    pub language: Language,
    /// Whether explanations may be Markdown.
    pub markdown: bool,
    /// Whether it shows further places of a diagnostic.
    pub related_information: bool,
    /// Whether it fades out what a diagnostic calls unnecessary.
    pub unnecessary_tag: bool,
    /// Whether it opens a page about a diagnostic's code.
    pub code_description: bool,
    /// Whether it takes actions that are no commands.
    pub code_actions: bool,
    /// Whether it checks versions before it edits documents.
    pub document_changes: bool,
    /// Whether it can be asked to tell of changed files.
    pub watches_files: bool,
    /// Where the catalogue's site is, if the client was configured with it.
    pub pages: Option<String>,
}

impl Client {
    /// What `initialize` says of the client.
    pub fn new(params: &lsp::InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let document = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let general = capabilities.general.as_ref();
        let diagnostics = document
            .and_then(|it| it.publish_diagnostics.as_ref())
            .map(|it| &it.diagnostics_capabilities);
        let hover = document.and_then(|it| it.hover.as_ref());
        Self {
            encoding: general
                .and_then(|it| it.position_encodings.as_deref())
                .map_or(Encoding::Utf16, encoding),
            language: params
                .locale
                .as_deref()
                .map_or(Language::English, Language::of_locale),
            markdown: hover
                .and_then(|it| it.content_format.as_ref())
                .is_some_and(|it| it.contains(&lsp::MarkupKind::Markdown)),
            related_information: diagnostics
                .and_then(|it| it.related_information)
                .unwrap_or(false),
            unnecessary_tag: diagnostics
                .and_then(|it| it.tag_support.as_ref())
                .is_some_and(|it| it.value_set.contains(&lsp::DiagnosticTag::Unnecessary)),
            code_description: diagnostics
                .and_then(|it| it.code_description_support)
                .unwrap_or(false),
            code_actions: document
                .and_then(|it| it.code_action.as_ref())
                .is_some_and(|it| it.code_action_literal_support.is_some()),
            document_changes: workspace
                .and_then(|it| it.workspace_edit.as_ref())
                .and_then(|it| it.document_changes)
                .unwrap_or(false),
            watches_files: workspace
                .and_then(|it| it.did_change_watched_files.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or(false),
            pages: pages(params.initialization_options.as_ref()),
        }
    }
}

/// UTF-8 if the client knows it: it is what the linter counts in.
fn encoding(offered: &[lsp::PositionEncodingKind]) -> Encoding {
    if offered.contains(&lsp::PositionEncodingKind::UTF8) {
        Encoding::Utf8
    } else {
        Encoding::Utf16
    }
}

/// The option `pages`: the address under which `en/CG101.html` and its kin are.
fn pages(options: Option<&Value>) -> Option<String> {
    let address = options?.get("pages")?.as_str()?;
    let address = address.trim_end_matches('/');
    (!address.is_empty()).then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn client(params: Value) -> Client {
        Client::new(&serde_json::from_value(params).expect("parameters of initialize"))
    }

    #[test]
    fn a_client_that_says_nothing_gets_what_every_client_understands() {
        let client = client(json!({"processId": null, "rootUri": null, "capabilities": {}}));
        assert_eq!(client.encoding, Encoding::Utf16);
        assert_eq!(client.language, Language::English);
        assert!(!client.markdown && !client.related_information && !client.code_actions);
        assert_eq!(client.pages, None);
    }

    #[test]
    fn utf_8_is_taken_where_it_is_offered() {
        let with = |encodings: Value| {
            client(json!({"capabilities": {"general": {"positionEncodings": encodings}}})).encoding
        };
        assert_eq!(with(json!(["utf-16", "utf-8"])), Encoding::Utf8);
        assert_eq!(with(json!(["utf-32", "utf-16"])), Encoding::Utf16);
        assert_eq!(with(json!(["of-the-future"])), Encoding::Utf16);
    }

    #[test]
    fn the_locale_decides_the_language() {
        let of = |locale: &str| client(json!({"capabilities": {}, "locale": locale})).language;
        assert_eq!(of("zh-cn"), Language::Chinese);
        assert_eq!(of("zh_TW"), Language::Chinese);
        assert_eq!(of("de"), Language::English);
    }
}
