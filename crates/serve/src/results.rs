//! What the tools return.

use std::path::{Path, PathBuf};

use cgsan_catalogue::{Entry, ErrorCode, Language};
use cgsan_explain::{Evidence, Explanation, ReadError, Subject};
use cgsan_files::Unread;
use cgsan_render::FoundBy;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments::read;
use crate::commands::Permitted;
use crate::limits::LARGEST;

/// What only the command knows.
#[derive(Clone, Copy)]
pub struct Known {
    /// The commands that find a failure mode.
    pub found_by: FoundBy,
    /// What the linter finds in the program that a text holds.
    pub evidence: fn(&str) -> Vec<Evidence>,
}

/// What a tool returns, or what was wrong with its arguments, for the caller to read.
type ToolResult = Result<Value, String>;

/// The language of a result.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spoken {
    #[default]
    En,
    Zh,
}

impl From<Spoken> for Language {
    fn from(language: Spoken) -> Self {
        match language {
            Spoken::En => Language::English,
            Spoken::Zh => Language::Chinese,
        }
    }
}

/// The whole entry of an id or a name, in both languages, or the meaning of a code.
pub fn look_up(arguments: Value, found_by: FoundBy) -> ToolResult {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        name: String,
    }
    let Arguments { name } = read(arguments)?;
    match cgsan_explain::look_up(&name) {
        Some(Subject::Entry(entry)) => Ok(json!({ "entry": entry, "found_by": found_by(entry) })),
        Some(Subject::Code(code)) => Ok(json!({ "code": described(code) })),
        None => Err(format!(
            "the catalogue has neither an entry nor a code `{name}`; call `search` with words or `diagnose_log` with the text"
        )),
    }
}

/// The entries nearest to some words.
pub fn search(arguments: Value) -> ToolResult {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        query: String,
        #[serde(default)]
        language: Spoken,
    }
    let Arguments { query, language } = read(arguments)?;
    Ok(json!({ "entries": nearest(&query, language.into()) }))
}

/// The candidates for a text, or for a file with one in the folder that is permitted.
pub fn diagnose(arguments: Value, known: Known, permitted: &Permitted) -> ToolResult {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        text: Option<String>,
        path: Option<PathBuf>,
        #[serde(default)]
        language: Spoken,
    }
    let Arguments {
        text,
        path,
        language,
    } = read(arguments)?;
    let read = match (text, path) {
        (Some(text), None) => cgsan_explain::text(&text).map_err(|error| reason(&error)),
        (None, Some(path)) => permitted
            .below(&path)
            .and_then(|found| log(&found))
            .and_then(|log| cgsan_explain::read(&*log).map_err(|error| reason(&error)))
            .map_err(|error| format!("cannot explain {}: {error}", path.display())),
        _ => Err("give either `text` or `path`".to_owned()),
    };
    let mut explanation = read?;
    explanation.weigh(&(known.evidence)(&explanation.opening));
    explained(&explanation, language.into(), known.found_by)
}

/// A log that a client names, which may be anything.
fn log(path: &Path) -> Result<Vec<u8>, String> {
    cgsan_files::read(path, LARGEST).map_err(|error| match error {
        Unread::TooLarge(_) => format!(
            "{error}; give the part around the error as `text`, or run `cgsan explain FILE`, which reads any length"
        ),
        Unread::Kind(_) => format!("{error}; name a log, or give its text as `text`"),
        _ => error.to_string(),
    })
}

fn reason(error: &ReadError) -> String {
    match error {
        ReadError::Io(error) => cgsan_files::in_words(error),
        ReadError::Empty => "the text is empty".to_owned(),
        ReadError::Binary => "it is not text".to_owned(),
        ReadError::Utf16 => "it is UTF-16; convert it to UTF-8".to_owned(),
    }
}

/// The document that `cgsan explain --json` writes, with the nearest entries where no candidate was found.
fn explained(explanation: &Explanation, language: Language, found_by: FoundBy) -> ToolResult {
    let document = cgsan_render::candidates_json(explanation, language, found_by);
    let mut document: Value = serde_json::from_str(&document).map_err(|error| error.to_string())?;
    if explanation.candidates.is_empty() {
        document["nearest"] = nearest(&explanation.opening, language);
    }
    Ok(document)
}

/// The entries that share words with a text.
fn nearest(text: &str, language: Language) -> Value {
    cgsan_explain::nearest(text)
        .into_iter()
        .map(|entry| listed(entry, language))
        .collect()
}

fn listed(entry: &Entry, language: Language) -> Value {
    json!({
        "id": entry.id,
        "name": entry.name,
        "title": entry.title.in_language(language),
        "summary": entry.summary.in_language(language),
    })
}

fn described(code: &ErrorCode) -> Value {
    json!({
        "code": code.code,
        "runtime": code.runtime,
        "driver": code.driver,
        "text": code.text,
        "meaning": code.meaning,
        "entries": code.entries().map(|entry| entry.id).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No command finds anything.
    fn nothing(_: &Entry) -> Vec<&'static str> {
        Vec::new()
    }

    /// In the folder of this package.
    fn permitted() -> Permitted {
        Permitted {
            cgsan: PathBuf::new(),
            folder: Path::new(env!("CARGO_MANIFEST_DIR")).to_owned(),
            run: false,
        }
    }

    const KNOWN: Known = Known {
        found_by: nothing,
        evidence: |_| Vec::new(),
    };

    #[test]
    fn an_entry_is_given_whole() {
        let result = look_up(json!({ "name": "stream-not-rejoined" }), nothing).unwrap();
        assert_eq!(result["entry"]["id"], "CG106");
        for language in ["en", "zh"] {
            assert!(
                result["entry"]["cause"][language]
                    .as_str()
                    .is_some_and(|cause| !cause.is_empty())
            );
        }
    }

    #[test]
    fn a_code_names_its_entries() {
        let result = look_up(json!({ "name": "906" }), nothing).unwrap();
        assert_eq!(result["code"]["runtime"], "cudaErrorStreamCaptureImplicit");
        assert!(
            result["code"]["entries"]
                .as_array()
                .unwrap()
                .contains(&json!("CG108"))
        );
    }

    #[test]
    fn a_text_is_diagnosed() {
        let text = "RuntimeError: CUDA error: capturing stream has unjoined work";
        let result = diagnose(
            json!({ "text": text, "language": "zh" }),
            KNOWN,
            &permitted(),
        )
        .unwrap();
        assert_eq!(result["candidates"][0]["id"], "CG106");
    }

    #[test]
    fn wrong_arguments_are_named() {
        assert!(look_up(json!({}), nothing).unwrap_err().contains("name"));
        assert!(
            look_up(json!({ "name": "CG999" }), nothing)
                .unwrap_err()
                .contains("CG999")
        );
        assert!(
            search(json!({ "query": "x", "language": "fr" }))
                .unwrap_err()
                .contains("fr")
        );
        assert!(
            diagnose(json!({}), KNOWN, &permitted())
                .unwrap_err()
                .contains("either")
        );
        assert!(
            diagnose(json!({ "path": "no such file" }), KNOWN, &permitted())
                .unwrap_err()
                .contains("no such file")
        );
        for (path, wanted) in [
            ("src", "not a regular file"),
            ("/dev/zero", "is not in"),
            ("/etc/passwd", "is not in"),
            ("..", "is not in"),
        ] {
            let refused = diagnose(json!({ "path": path }), KNOWN, &permitted()).unwrap_err();
            assert!(refused.contains(wanted), "{refused}");
        }
    }
}
