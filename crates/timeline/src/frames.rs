//! Python functions that ran, as PyTorch's profiler names them: `train.py(12): step`.

use crate::{NameId, Span, ThreadId};

/// A Python function of the program that ran, from its call to its return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When.
    pub span: Span,
    /// The function, as [`Place::of`] reads it.
    pub name: NameId,
    /// In which thread.
    pub thread: ThreadId,
}

/// A line of Python that a profiler named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file, as the profiler shortened it.
    pub file: &'a str,
    /// The line, counted from 1: that of the function's definition.
    pub line: u32,
    /// The function.
    pub function: &'a str,
}

impl<'a> Place<'a> {
    /// Reads `file(line): function`; `None` for what has another form, such as `<built-in method …>` and `nn.Module: …`.
    pub fn of(name: &'a str) -> Option<Self> {
        let (place, function) = name.split_once("): ")?;
        let (file, line) = place.rsplit_once('(')?;
        let line = line.parse().ok()?;
        let is_file = !file.is_empty() && !file.starts_with('<');
        is_file.then_some(Self {
            file,
            line,
            function,
        })
    }

    /// Whether it belongs to PyTorch or to Python's own library, and so says nothing of the program.
    pub fn is_of_library(self) -> bool {
        const PACKAGES: [&str; 3] = ["torch/", "triton/", "torch_"];
        const PYTHONS: [&str; 9] = [
            "contextlib.py",
            "functools.py",
            "threading.py",
            "runpy.py",
            "queue.py",
            "random.py",
            "selectors.py",
            "inspect.py",
            "weakref.py",
        ];
        PACKAGES.iter().any(|it| self.file.starts_with(it))
            || self.file.contains("/site-packages/torch/")
            || (self.file.contains("/lib/python3") && !self.file.contains("-packages/"))
            || PYTHONS.contains(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_read_with_its_line() {
        let place = Place::of("/home/a (b)/train.py(12): step").expect("a line");
        assert_eq!(
            (place.file, place.line, place.function),
            ("/home/a (b)/train.py", 12, "step")
        );
        for other in [
            "<built-in method mul of type object at 0x7f>",
            "nn.Module: Linear_0",
            "<string>(1): f",
            "train.py(x): step",
        ] {
            assert_eq!(Place::of(other), None, "{other}");
        }
    }

    #[test]
    fn lines_of_libraries_are_told_apart() {
        let is_of_library = |name| Place::of(name).expect("a line").is_of_library();
        assert!(is_of_library(
            "torch/nn/modules/module.py(1775): _call_impl"
        ));
        assert!(is_of_library(
            "/usr/lib/python3.11/contextlib.py(81): inner"
        ));
        assert!(!is_of_library("train.py(3): step"));
        assert!(!is_of_library("transformers/models/llama.py(3): forward"));
    }
}
