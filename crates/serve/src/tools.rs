//! What the tools are called, and what they take.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// The tool that gives an entry of the catalogue, or the meaning of an error code.
pub const LOOK_UP: &str = "look_up";

/// The tool that finds entries by words.
pub const SEARCH: &str = "search";

/// The tool that finds the entries for an error text.
pub const DIAGNOSE: &str = "diagnose_log";

/// Every tool.
pub fn all() -> Vec<Tool> {
    vec![
        tool(
            LOOK_UP,
            "What is known of a failure mode (by its id, such as CG106, or its name) or of a CUDA error code (by its \
             number, such as 906, or its name)",
            &json!({ "name": text("An id, a name or a code") }),
            &["name"],
        ),
        tool(
            SEARCH,
            "The failure modes whose descriptions share the most telling words with the query, best first",
            &json!({ "query": text("Words, in English or Chinese"), "language": language() }),
            &["query"],
        ),
        tool(
            DIAGNOSE,
            "The failure modes that a traceback or a log shows, best first, with the reason for each and the command that \
             gets further evidence; give either the text or the path of a file",
            &json!({
                "text": text("The traceback or the log"),
                "path": text("The path of a file with it, read by the server; a regular file of at most 16 MB"),
                "language": language(),
            }),
            &[],
        ),
    ]
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description, schema).with_annotations(ToolAnnotations::new().read_only(true))
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn language() -> Value {
    json!({ "type": "string", "enum": ["en", "zh"], "default": "en", "description": "The language of the reasons" })
}
