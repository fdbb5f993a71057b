//! Changes of the source that repair a finding.

use std::path::PathBuf;

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: `keep a copy`.
    pub title: String,
    /// Whether the program means the same afterwards, but for the repair.
    pub safe: bool,
    /// The file.
    pub file: PathBuf,
    /// The edits, in order, none of which touches another.
    pub edits: Vec<Edit>,
}

/// The replacement of a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Where the replaced text begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What takes its place.
    pub text: String,
}

impl Fix {
    /// Adds to a finding's help the command that applies this fix.
    pub(crate) fn add_command(&self, help: &mut Vec<String>) {
        let option = if self.safe {
            "--fix"
        } else {
            "--fix --unsafe-fixes"
        };
        let command = format!("`cgsan lint {option}` can do it");
        // What is said already, as `keep a copy: ...` or `pass ... to ...`, is not said again.
        let is_said = |it: &&mut String| {
            let rest = it.strip_prefix(self.title.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty() || [": ", ", ", " to "].iter().any(|it| rest.starts_with(it))
            })
        };
        match help.iter_mut().find(is_said) {
            Some(said) => *said = format!("{said}; {command}"),
            None => help.push(format!("{command}: {}", self.title)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(title: &str, safe: bool) -> Fix {
        Fix {
            title: title.to_owned(),
            safe,
            file: PathBuf::new(),
            edits: Vec::new(),
        }
    }

    #[test]
    fn the_command_joins_the_help_that_says_the_same() {
        let mut help = vec![
            "keep a copy: `y = x.clone()`".to_owned(),
            "pass `x=1` to `f`, if that is so".to_owned(),
        ];
        fix("keep a copy", true).add_command(&mut help);
        assert_eq!(
            help,
            [
                "keep a copy: `y = x.clone()`; `cgsan lint --fix` can do it",
                "pass `x=1` to `f`, if that is so"
            ]
        );
        fix("pass `x=1`", true).add_command(&mut help);
        assert!(help[1].ends_with("if that is so; `cgsan lint --fix` can do it"));
        fix("keep", false).add_command(&mut help);
        assert_eq!(help[2], "`cgsan lint --fix --unsafe-fixes` can do it: keep");
    }
}
