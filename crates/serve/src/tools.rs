//! What the tools are called, and what they take.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// The tool that gives an entry of the catalogue, or the meaning of an error code.
pub const LOOK_UP: &str = "look_up";

/// The tool that finds entries by words.
pub const SEARCH: &str = "search";

/// The tool that finds the entries for an error text.
pub const DIAGNOSE: &str = "diagnose_log";

/// The tool that looks for mistakes in source.
pub const LINT: &str = "lint";

/// The tool that reports on traces.
pub const REPORT: &str = "report";

/// The tool that runs a program and reports on it.
pub const RUN: &str = "run";

/// What is said of the arguments that leave findings out.
const SELECT: &str = "Report only findings with these ids, or beginnings of ids, e.g. [\"CG1\"]";
const IGNORE: &str = "Do not report findings with these ids, or beginnings of ids";
const BASELINE: &str =
    "A file that `--write-baseline` wrote, in the server's folder: do not report what it lists";

/// Every tool, of which one is there only where programs may be run.
pub fn all(may_run: bool) -> Vec<Tool> {
    let mut tools = of_reading();
    tools.extend(may_run.then(run));
    tools
}

fn run() -> Tool {
    let program = json!({
        "type": "array",
        "items": { "type": "string" },
        "minItems": 1,
        "description": "The program and its arguments, e.g. [\"python\", \"train.py\"]; no shell reads them",
    });
    let properties = json!({
        "program": program,
        "directory": text("The folder to run in, in that of the server; by default that one"),
        "virtual": truth("Use the virtual GPU, even if there is a real one"),
        "no_values": truth("Compute nothing on the virtual GPU: for a program that is too large for this machine"),
        "timeout_seconds": { "type": "integer", "minimum": 1, "default": 600, "description": "When to end the program" },
        "select": ids(SELECT),
        "ignore": ids(IGNORE),
        "baseline": text(BASELINE),
    });
    tool(
        RUN,
        "Runs a program on the GPU, or on a virtual one, and explains what goes wrong with its CUDA graphs: the report of \
         `cgsan run --json`, as text too, and the end of what the program printed",
        &properties,
        &["program"],
    )
    .with_annotations(ToolAnnotations::new().read_only(false).open_world(true))
}

/// Those that read.
fn of_reading() -> Vec<Tool> {
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
                "path": text("The path of a file with it, in the server's folder; a regular file of at most 16 MB"),
                "language": language(),
            }),
            &[],
        ),
        tool(
            LINT,
            "Finds mistakes with CUDA graphs in Python source and notebooks, without running them: the report of `cgsan lint \
             --json`, as text too",
            &of_paths("Files and folders, in the server's folder"),
            &["paths"],
        ),
        tool(
            REPORT,
            "Explains the traces that `cgsan run --save` kept, of one process or of many machines: the report of `cgsan report \
             --json`, as text too",
            &of_paths("Traces, and folders with traces, in the server's folder"),
            &["paths"],
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

/// The arguments of tools that read files.
fn of_paths(description: &str) -> Value {
    let paths = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "description": description });
    json!({ "paths": paths, "select": ids(SELECT), "ignore": ids(IGNORE), "baseline": text(BASELINE) })
}

fn ids(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn truth(description: &str) -> Value {
    json!({ "type": "boolean", "default": false, "description": description })
}

fn language() -> Value {
    json!({ "type": "string", "enum": ["en", "zh"], "default": "en", "description": "The language of the reasons" })
}
