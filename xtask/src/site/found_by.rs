//! Which commands find each failure mode, as cgsan itself says.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::process;

/// The names of the commands by the failure mode's id.
pub type FoundBy = BTreeMap<&'static str, Vec<String>>;

/// Asks cgsan about every failure mode.
pub fn ask(cgsan: &Path) -> Result<FoundBy> {
    cgsan_catalogue::entries()
        .iter()
        .map(|entry| {
            let answer =
                process::output(Command::new(cgsan).args(["explain", "--json", entry.id]))?;
            let commands = commands(&answer).ok_or_else(|| {
                Failure::new(format!(
                    "cgsan does not say which commands find {}",
                    entry.id
                ))
            })?;
            Ok((entry.id, commands))
        })
        .collect()
}

fn commands(answer: &str) -> Option<Vec<String>> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let commands = answer.pointer("/candidates/0/found_by")?.as_array()?;
    commands
        .iter()
        .map(|name| name.as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_those_of_the_first_candidate() {
        let answer = r#"{"candidates": [{"found_by": ["cgsan run", "cgsan lint"]}]}"#;
        assert_eq!(commands(answer).unwrap(), ["cgsan run", "cgsan lint"]);
        assert_eq!(commands(r#"{"candidates": []}"#), None);
    }
}
