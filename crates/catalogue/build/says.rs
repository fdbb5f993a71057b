//! The sentences of findings, as Rust source: a constant each, or a function of its placeholders.

use crate::fold::fold;
use crate::schema::Entry;

/// The source of `pub mod says`, with a module for each id that has sentences.
pub fn emit_all(entries: &[Entry]) -> String {
    let says = entries.iter().filter(|entry| !entry.says.is_empty());
    let modules: Vec<String> = says.map(module).collect();
    format!("pub mod says {{\n{}}}\n", modules.concat())
}

fn module(entry: &Entry) -> String {
    let sentences = entry.says.iter().map(|(name, text)| emit(name, text));
    let sentences: Vec<String> = sentences.collect();
    let name = entry.id.to_ascii_lowercase();
    format!("pub mod {name} {{\n{}}}\n", sentences.concat())
}

fn emit(name: &str, text: &str) -> String {
    let text = fold(text);
    let arguments: Vec<String> = placeholders(&text)
        .iter()
        .map(|it| format!("{it}: impl std::fmt::Display"))
        .collect();
    if arguments.is_empty() {
        return format!(
            "pub const {}: &str = {text:?};\n",
            name.to_ascii_uppercase()
        );
    }
    format!(
        "pub fn {name}({}) -> String {{ format!({text:?}) }}\n",
        arguments.join(", ")
    )
}

/// The names in braces, each once, in the order of the sentence.
fn placeholders(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in text.split('{').skip(1) {
        let name = part.split('}').next().unwrap_or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
