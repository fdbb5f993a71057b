//! The source files of a program that ran.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cgsan_finding::Note;
use cgsan_selection::{Comment, Files};

use crate::traces::sources::Sources;

/// The source files of a program that ran, as far as they are in reach.
pub struct FilesOfRun<'a> {
    sources: Sources<'a>,
    read: BTreeMap<PathBuf, Read>,
}

/// A file, as it is now: what ran may have been another text.
#[derive(Default)]
struct Read {
    lines: Vec<String>,
    comments: Vec<Comment>,
}

impl<'a> FilesOfRun<'a> {
    /// Of these sources.
    pub fn new(sources: Sources<'a>) -> Self {
        Self {
            sources,
            read: BTreeMap::new(),
        }
    }

    /// What is wrong with the comments in the files that were asked for.
    pub fn notes(&self) -> Vec<Note> {
        let comments = self.read.values().flat_map(|it| &it.comments);
        comments.flat_map(Comment::notes).collect()
    }

    fn read(&mut self, file: &Path) -> &Read {
        if !self.read.contains_key(file) {
            let text = self.sources.text(file).unwrap_or_default();
            let read = Read {
                lines: text.lines().map(str::to_owned).collect(),
                comments: Comment::all_of(file, &text),
            };
            self.read.insert(file.to_owned(), read);
        }
        &self.read[file]
    }
}

impl Files for FilesOfRun<'_> {
    fn path(&self, file: &Path) -> PathBuf {
        self.sources.path(file)
    }

    fn line(&mut self, file: &Path, line: u32) -> Option<String> {
        let at = (line as usize).checked_sub(1)?;
        self.read(file).lines.get(at).cloned()
    }

    fn comments(&mut self, file: &Path) -> Vec<Comment> {
        self.read(file).comments.clone()
    }
}
