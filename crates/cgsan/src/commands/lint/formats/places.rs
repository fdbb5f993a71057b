//! Places in the files of a project, as other tools see them.

use std::ops::Range;
use std::path::Path;

use cgsan_finding::Location;
use cgsan_lint::Project;
use cgsan_render::Places;

/// The files of a project.
pub struct ProjectPlaces<'a>(pub &'a Project);

impl Places for ProjectPlaces<'_> {
    fn line_in_file(&self, place: &Location) -> u32 {
        self.0.line_in_file(place).unwrap_or(1)
    }

    /// Those of notebooks are left out: their edits change code, and not the file's text.
    fn of_edit(&self, file: &Path, bytes: Range<usize>) -> Option<Location> {
        if self.0.cells(file).is_some() {
            return None;
        }
        self.0.place(file, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cgsan_finding::Cell;

    #[test]
    fn a_cells_line_is_that_of_the_file() {
        let cell = r#"{"cell_type": "code", "execution_count": null, "source": ["a\n", "b"], "metadata": {}, "outputs": []}"#;
        let json = format!(
            r#"{{"nbformat": 4, "nbformat_minor": 4, "metadata": {{}}, "cells": [
{cell},
{cell}]}}"#
        );
        let mut project = Project::default();
        project.set_text("a.ipynb".as_ref(), json);
        let place = Location {
            file: "a.ipynb".into(),
            line: 3,
            span: None,
            cell: Some(Cell { number: 2, line: 1 }),
            function: String::new(),
        };
        let places = ProjectPlaces(&project);
        assert_eq!(places.line_in_file(&place), 3);
        assert_eq!(places.of_edit("a.ipynb".as_ref(), 0..1), None);
    }
}
