//! Reading recordings, and keeping score.

use std::{
    io::{BufRead, BufReader},
    path::Path,
};

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;

/// The lines of a recording; `path` starts from this crate's folder.
pub fn read<T: DeserializeOwned>(path: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let file = std::fs::File::open(&path)
        .unwrap_or_else(|error| panic!("cannot open {}: {error}", path.display()));
    BufReader::new(GzDecoder::new(file))
        .lines()
        .map(|line| {
            let line = line.expect("the recording is intact");
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"))
        })
        .collect()
}

/// How many recorded answers the model gave, and the first ones that it did not.
#[derive(Default)]
pub struct Score {
    total: usize,
    misses: Vec<String>,
}

impl Score {
    /// Count one comparison; `context` is only worked out if it fails.
    pub fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        model: &T,
        recorded: &T,
        context: impl FnOnce() -> String,
    ) {
        self.total += 1;
        if model != recorded {
            let context = context();
            self.misses
                .push(format!("{context}: model {model:?}, recorded {recorded:?}"));
        }
    }

    /// Print the score and fail unless every answer was given.
    pub fn finish(self, what: &str) {
        let agreed = self.total - self.misses.len();
        println!("{what}: {agreed} of {} answers agree", self.total);
        assert!(self.total > 0, "{what}: nothing was compared");
        assert!(
            self.misses.is_empty(),
            "{what}: {} differ, the first of them:\n{}",
            self.misses.len(),
            self.misses[..self.misses.len().min(20)].join("\n")
        );
    }
}
